import { describe, expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import type { Stream } from '../../shared/model/streams.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, type Conversation, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { type Edit, findingsOf, resultOf, search } from './findings-of.ts'

describe('S01', () => {
  const packed = (tokenizer: Tokenizer) => {
    const turns = [system('Be brief.'), user('Is it red?'), assistant('Yes.')]
    return [conversation(tokenizer, [...turns, system('Be brief.'), user('Is it blue?'), assistant('No.')])]
  }
  const start = (row: Conversation) => row.layout[3]!.start
  const positions =
    (restart: boolean): Edit =>
    ({ ids }, row) => ({
      positionIds: Int32Array.from(ids!, (_, i) => (restart && i >= start(row) ? i - start(row) : i)),
    })

  it('needs more than a second system turn to call a row packed', async () => {
    expect(await findingsOf('S01', 'qwen2.5', packed, positions(false))).toEqual([])
    expect(await findingsOf('S01', 'qwen2.5', packed, positions(true))).toEqual([])
  })

  it('takes no BOS before a reply for the start of a document, but one before a question', async () => {
    const withBos = (row: Conversation, turn: number) => {
      const spliced = (array: readonly number[], value: number) => array.toSpliced(row.layout[turn]!.start, 0, value)
      const { input_ids, loss_mask } = row.record
      return {
        ...row,
        record: { ...row.record, input_ids: spliced(input_ids, 128000), loss_mask: spliced(loss_mask!, 0) },
      }
    }
    const reply = (tokenizer: Tokenizer) => search()(tokenizer).map((row) => withBos(row, 3))
    const exchange = [user('Is it red?'), assistant('Yes.')]
    const question = (tokenizer: Tokenizer) => [withBos(conversation(tokenizer, [...exchange, ...exchange]), 2)]
    const runOn: Edit = ({ ids }) => ({ positionIds: Int32Array.from(ids!, (_, i) => i) })
    expect(await findingsOf('S01', 'llama3', reply, runOn)).toEqual([])
    expect(await findingsOf('T01', 'llama3', reply, runOn)).toHaveLength(1)
    expect(await findingsOf('S01', 'llama3', question, runOn)).toHaveLength(1)
  })

  it('takes numbered attention masks for a wall between documents', async () => {
    const numbered: Edit = (trajectory, row, index) => ({
      ...positions(false)(trajectory, row, index),
      sequenceIds: Int32Array.from(trajectory.ids!, (_, i) => (i >= start(row) ? 1 : 0)),
      attentionMask: Int32Array.from(trajectory.ids!, (_, i) => (i >= start(row) ? 2 : 1)),
    })
    expect(await findingsOf('S01', 'qwen2.5', packed, numbered)).toEqual([])
    const one: Edit = (trajectory, row, index) => ({
      ...numbered(trajectory, row, index),
      attentionMask: new Int32Array(trajectory.ids!.length).fill(1),
    })
    expect(await findingsOf('S01', 'qwen2.5', packed, one)).toMatchObject([{ severity: 'error' }])
  })
})

describe('the documents of a packed row', () => {
  const twice = (tokenizer: Tokenizer) => {
    const one = conversation(tokenizer, [user('Is it red?'), assistant('Yes.', { separator: false })])
    const { input_ids, loss_mask } = one.record
    const record = { input_ids: [...input_ids, ...input_ids], loss_mask: [...loss_mask!, ...loss_mask!] }
    return [{ ...one, record: { ...one.record, ...record } }]
  }
  const half = ({ ids }: { readonly ids: Int32Array | null }) => ids!.length / 2
  const restarted: Edit = (row) => ({ positionIds: Int32Array.from(row.ids!, (_, i) => i % half(row)) })
  const numbered: Edit = (row) => ({ sequenceIds: Int32Array.from(row.ids!, (_, i) => (i < half(row) ? 0 : 1)) })
  const continued: Edit = ({ ids }) => ({ positionIds: Int32Array.from(ids!, (_, i) => i) })

  it.each([
    ['T01', 'llama3'],
    ['T04', 'qwen2.5'],
  ] as const)('have no edge between them that %s speaks of', async (code, family) => {
    expect(await findingsOf(code, family, twice, restarted)).toEqual([])
    expect(await findingsOf(code, family, twice, numbered)).toEqual([])
    expect(await findingsOf(code, family, twice, continued)).toHaveLength(1)
    const nowhere: Edit = ({ ids }) => ({ positionIds: new Int32Array(ids!.length) })
    expect(await findingsOf(code, family, twice, nowhere)).toHaveLength(1)
  })

  it('have none where a system turn alone tells that a further one begins', async () => {
    const withSystem = (isFirst: boolean) => (tokenizer: Tokenizer) => {
      const exchange = (separator: boolean) => [user('Is it red?'), assistant('Yes.', { separator })]
      const first = isFirst ? [system('Be brief.')] : []
      return [conversation(tokenizer, [...first, ...exchange(false), system('Be brief.'), ...exchange(true)])]
    }
    expect(await findingsOf('T04', 'qwen2.5', withSystem(true), continued)).toEqual([])
    expect(await findingsOf('T04', 'qwen2.5', withSystem(false), continued)).toHaveLength(1)
  })
})

describe('S02', () => {
  const positioned =
    (position: (i: number) => number): Edit =>
    ({ ids }) => ({
      positionIds: Int32Array.from(ids!, (_, i) => position(i)),
    })

  it('names a jump in the middle, with the numbers', async () => {
    const findings = await findingsOf(
      'S02',
      'qwen2.5',
      search({}, { attention: 'ones' }),
      positioned((i) => (i < 9 ? i : i + 4)),
    )
    expect(findings.map(({ message, tokens }) => [message, tokens])).toEqual([
      ['Position 13 follows 8 at token 9, where 9 is due', [9, 10]],
    ])
  })

  it('leaves an attention mask that is the loss mask to M15', async () => {
    expect(
      await findingsOf(
        'S02',
        'qwen2.5',
        search({}, { attention: 'loss' }),
        positioned((i) => i * 2),
      ),
    ).toEqual([])
  })

  describe('without an attention mask', () => {
    /** As a collator counts them that takes the loss mask for the attention mask. */
    const ofTrained: Edit = ({ ids, mask }) => {
      let trained = 0
      return { positionIds: Int32Array.from(ids!, (_, i) => Math.max(0, (trained += mask![i] === 1 ? 1 : 0) - 1)) }
    }
    const unproved = async (edit: Edit) => {
      const { tally } = await resultOf('S02', 'qwen2.5', search(), edit)
      const streams = new Set<Stream>(['ids', 'position_ids'])
      return tally.affected > 0 ? 'found' : checkByCode('S02')?.unproved?.(tally, { streams } as unknown as DumpView)
    }

    it('names positions that stand still where nothing is trained', async () => {
      const findings = await findingsOf('S02', 'qwen2.5', search(), ofTrained)
      expect(findings[0]?.message).toMatch(/^\d+ tokens in a row, from token 0, all have position 0$/)
      expect(findings[0]?.tokens?.[0]).toBe(0)
    })

    it.each<[string, Edit]>([
      ['that count on', positioned((i) => i)],
      ['that jump', positioned((i) => (i < 9 ? i : i + 4))],
      ['of which two are the same', positioned((i) => (i < 9 ? i : i - 1))],
    ])('cannot tell of positions %s', async (_, edit) => {
      expect(await unproved(edit)).toBe('the dump does not carry attention mask')
    })

    it('cannot tell of padding that nothing declares', async () => {
      const padded: Edit = ({ ids }) => ({
        ids: Int32Array.from(ids!, (id, i) => (i < 5 ? 11 : id)),
        positionIds: Int32Array.from(ids!, (_, i) => Math.max(0, i - 5)),
      })
      expect(await unproved(padded)).toBe('the dump does not carry attention mask')
    })
  })
})

describe('S05', () => {
  const splitAt =
    (at: (row: Conversation) => number): Edit =>
    (_, row) => ({ promptLength: at(row) })

  it('takes every generation prompt for a split, and what follows an answer', async () => {
    for (const turn of [2, 4]) {
      for (const edge of ['headerEnd', 'end'] as const) {
        const findings = await findingsOf(
          'S05',
          'llama3',
          search(),
          splitAt(({ layout }) => layout[turn]![edge]),
        )
        expect(findings).toEqual([])
      }
    }
  })

  it.each(['qwen2.5', 'llama3'] as const)('names a length without any generation prompt (%s)', async (family) => {
    const before = splitAt(({ layout }) => layout[2]!.start)
    const [first, ...others] = await findingsOf('S05', family, search(), before)
    expect(first?.message).toMatch(
      / does not end at a generation prompt: it lies before the header of assistant turn 1$/,
    )
    expect(others).toHaveLength(search()(await testTokenizer(family)).length - 1)
  })

  it('leaves a header to the response that the model wrote itself', async () => {
    const written: Edit = (trajectory, { layout }) => {
      const sampled = Uint8Array.from(trajectory.sampled ?? [])
      sampled.fill(1, layout[2]!.start, layout[2]!.contentStart)
      return { promptLength: layout[2]!.start, sampled }
    }
    expect(await findingsOf('S05', 'qwen2.5', search({}, { sampled: true }), written)).toEqual([])
  })

  it('counts left padding or not, as the dump does', async () => {
    const rows = search({}, { padLeft: 6 })
    expect(
      await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(({ layout }) => layout[2]!.headerEnd),
      ),
    ).toEqual([])
    expect(
      await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(({ layout }) => layout[2]!.headerEnd - 6),
      ),
    ).toEqual([])
  })

  it.each([
    0, 9, 40,
  ])('places a split that is off by two at the header that it is near, behind padding of %i', async (left) => {
    const rows = search({}, { padLeft: left })
    const [row] = rows(await testTokenizer('qwen2.5'))
    const at = row!.layout[2]!.headerEnd - 2
    for (const stored of [at, at - left]) {
      const findings = await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(() => stored),
      )
      expect(findings[0]?.tokens).toEqual([at, at + 1])
      expect(findings[0]?.message).toMatch(/inside the header of assistant turn 1$/)
    }
  })

  it('names a split inside a question, and one behind trained words', async () => {
    const inQuestion = await findingsOf(
      'S05',
      'qwen2.5',
      search(),
      splitAt(({ layout }) => layout[1]!.contentStart + 2),
    )
    expect(inQuestion[0]?.message).toMatch(/inside a user turn$/)
    const late = await findingsOf(
      'S05',
      'qwen2.5',
      search(),
      splitAt(({ layout }) => layout[2]!.contentStart + 2),
    )
    expect(late[0]?.message).toMatch(/inside assistant turn 1, after 2 trained tokens$/)
  })
})
