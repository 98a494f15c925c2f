import { bool, columnFromArray, field, int32, list, type Table, tableFromColumns, tableToIPC } from '@uwdata/flechette'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { valueSpan } from '../../shared/containers/json-spans.ts'
import type { ExportId } from '../../shared/exports/export-kind.ts'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { elementsOf } from '../../shared/exports/source-repair.ts'
import { Session } from '../../shared/session/session.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'
import { exportRollouts } from './in-memory.ts'

const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }
// <|im_start|>user \n Who ? <|im_end|> \n <|im_start|>assistant \n It is . <|im_end|>
const IDS = [151644, 872, 198, 15191, 30, 151645, 198, 151644, 77091, 198, 2132, 374, 13, 151645]
const RIGHT = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
/** The question carries loss, the end token carries none. */
const WRONG = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0]

async function opened(bytes: Uint8Array, name = 'dump.jsonl') {
  const session = await Session.open([new MemorySource(name, bytes)], { tokenizer: 'qwen2.5' }, host)
  await session.done
  return session
}

async function exported(session: Session, as: ExportId, indices = session.facts.map((_, index) => index)) {
  const files = await exportRollouts(session, { as, indices, why: 'test', repairMasks: true })
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.at(-1)!.bytes))
  return { bytes: files[0]!.bytes, text: new TextDecoder().decode(files[0]!.bytes), manifest }
}

const lines = (...records: object[]) => Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))

describe('as source', () => {
  test('the mask is mended where it stands, every other byte stays', async () => {
    const text = `{"id": "a",  "note": "loss_mask: [1, 2] \\" {",\t"input_ids": ${JSON.stringify(IDS)}, "loss_mask": ${JSON.stringify(WRONG)}, "reward": 0.1000, "big": 12345678901234567890}`
    const session = await opened(Buffer.from(`${text}\n`))
    const { text: written, manifest } = await exported(session, 'source')
    expect(written).toBe(`${text.replace(JSON.stringify(WRONG), `[${RIGHT.join(', ')}]`)}\n`)
    expect(manifest.trajectories).toMatchObject([{ repaired: 3 }])
    expect((await opened(Buffer.from(written))).report().totals.tokens).toMatchObject({ trained: 4, masked: 10 })
  })

  test('labels, booleans, floats and masks of the response stay what they are', async () => {
    const labels = (mask: readonly number[]) => mask.map((flag, i) => (flag ? IDS[i] : -100))
    const rows = lines(
      { input_ids: IDS, labels: labels(WRONG) },
      { input_ids: IDS, loss_mask: WRONG.map(Boolean) },
      { prompt_ids: IDS.slice(0, 10), completion_ids: IDS.slice(10), completion_mask: WRONG.slice(10) },
    ).toString()
    const floats = `{"input_ids": ${JSON.stringify(IDS)}, "loss_mask": [${WRONG.map((flag) => `${flag}.0`).join(', ')}]}\n`
    const { text } = await exported(await opened(Buffer.from(rows + floats)), 'source')
    const [first, second, third, fourth] = text.trim().split('\n')
    expect(JSON.parse(first!).labels).toEqual(labels(RIGHT))
    expect(JSON.parse(second!).loss_mask).toEqual(RIGHT.map(Boolean))
    expect(JSON.parse(third!).completion_mask).toEqual(RIGHT.slice(10))
    expect(fourth).toContain(`[${RIGHT.map((flag) => `${flag}.0`).join(', ')}]`)
  })

  test('a mask that marks predictions is mended one entry before its token', async () => {
    const session = await Session.open(
      [new MemorySource('dump.jsonl', lines({ input_ids: IDS, loss_mask: WRONG.slice(1) }))],
      { tokenizer: 'qwen2.5', maskAlignment: 'target' },
      host,
    )
    await session.done
    const { text, manifest } = await exported(session, 'source')
    expect(JSON.parse(text).loss_mask).toEqual(RIGHT.slice(1))
    expect(manifest.trajectories).toMatchObject([{ repaired: 3 }])
  })

  test.each([0, 1])('where it marks predictions, also one that is all %s', async (flag) => {
    const session = await Session.open(
      [new MemorySource('dump.jsonl', lines({ input_ids: IDS, loss_mask: IDS.map(() => flag) }))],
      { tokenizer: 'qwen2.5', maskAlignment: 'target' },
      host,
    )
    await session.done
    const { text } = await exported(session, 'source')
    // The last entry marks what comes behind the sequence: nothing tells what it should be.
    expect(JSON.parse(text).loss_mask).toEqual([...RIGHT.slice(1), flag])
  })

  test('of a group that is one record the chosen members are mended', async () => {
    const masks = [WRONG, WRONG].map((mask) => mask.map((flag, i) => (flag ? IDS[i] : -100)))
    const session = await opened(lines({ tokens: [IDS, IDS], masks, scores: [1, 0] }))
    const { text, manifest } = await exported(session, 'source', [1])
    const [first, second] = JSON.parse(text).masks
    expect(first).toEqual(masks[0])
    expect(second).toEqual(RIGHT.map((flag, i) => (flag ? IDS[i] : -100)))
    expect(manifest.trajectories).toMatchObject([{ part: 1, repaired: 3 }])
  })

  test.each([
    ['lines', 'dump.jsonl', (records: readonly string[]) => records.map((record) => `${record}\n`).join('')],
    ['an array', 'dump.json', (records: readonly string[]) => `[\n${records.join(',\n')}\n]\n`],
  ])('groups longer than what is read at once are written once, with every member mended: %s', async (_, name, text) => {
    const padded = (list: readonly number[], filling: number) => [
      ...list.slice(0, 3),
      ...Array<number>(100_000).fill(filling),
      ...list.slice(3),
    ]
    const ids = padded(IDS, 15191)
    const labels = (mask: readonly number[]) =>
      padded(
        mask.map((flag, i) => (flag ? (IDS[i] as number) : -100)),
        -100,
      )
    const groupOf = (mask: readonly number[]) =>
      JSON.stringify({ tokens: [ids, ids, ids], masks: [mask, mask, mask].map(labels), scores: [1, 0, 0.5] })
    const bytes = Buffer.from(text([groupOf(WRONG), groupOf(WRONG)]))
    expect(bytes.length).toBeGreaterThan(4 << 20)
    const session = await opened(bytes, name)
    expect(session.facts).toHaveLength(6)

    const plain = await exportRollouts(session, { as: 'source', indices: [0, 1, 2, 3, 4, 5], why: 'test' })
    expect(Buffer.from(plain[0]!.bytes).equals(bytes)).toBe(true)

    const { text: written, manifest } = await exported(session, 'source')
    const parse = (line: string): unknown => JSON.parse(line)
    const records = name.endsWith('l') ? written.trim().split('\n').map(parse) : parse(written)
    expect(records).toEqual([groupOf(RIGHT), groupOf(RIGHT)].map(parse))
    expect(manifest.files).toMatchObject([{ records: 2, trajectories: 6 }])
    expect(manifest.trajectories.map(({ repaired }) => repaired)).toEqual([3, 3, 3, 3, 3, 3])

    const [first] = JSON.parse(`[${(await exported(session, 'source', [0, 2])).text.replace(/^\[|\]\s*$/g, '')}]`)
    expect(first.masks).toEqual([RIGHT, WRONG, RIGHT].map(labels))
  })

  test('the manifest counts what was written, and not what stands in no list of its own', async () => {
    const session = await opened(
      lines({ input_ids: IDS, loss_mask: WRONG, response_loss_mask: WRONG }, { input_ids: IDS, loss_mask: WRONG }),
    )
    const { text, manifest } = await exported(session, 'source')
    const [inPieces, whole] = text.trim().split('\n')
    expect(JSON.parse(inPieces!).loss_mask).toEqual(WRONG)
    expect(JSON.parse(whole!).loss_mask).toEqual(RIGHT)
    expect(manifest.trajectories.map(({ repaired }) => repaired)).toEqual([0, 3])
    expect(manifest.notes).toEqual([
      'The masks of 1 rollout of dump.jsonl stand in no list of their own: not repaired here. --as native repairs them.',
    ])
  })

  test('what can only be written as native is repaired there', async () => {
    const pickled = (list: readonly number[]) => `(l${list.map((value) => `I${value}\na`).join('')}`
    const record = `(dS'input_ids'\n${pickled(IDS)}sS'loss_mask'\n${pickled(WRONG)}s`
    const session = await opened(Buffer.from(`\x80\x02(l${record}a${record}a.`, 'latin1'), 'dump.pkl')
    expect(session.report().sources[0]?.container).toContain('pickle')
    const { text, manifest } = await exported(session, 'source', [1])
    expect(manifest.files[0]?.name).toBe('dump.native.jsonl')
    expect(JSON.parse(text).loss_mask).toEqual(RIGHT)
    expect(manifest.trajectories.map(({ repaired }) => repaired)).toEqual([3])
  })

  test('columns of Arrow keep their type', async () => {
    const rows = [WRONG, RIGHT]
    const table = tableFromColumns({
      input_ids: columnFromArray(
        rows.map(() => IDS),
        list(field('item', int32())),
      ),
      loss_mask: columnFromArray(
        rows.map((mask) => mask.map(Boolean)),
        list(field('item', bool())),
      ),
    }) as Table
    const { bytes, manifest } = await exported(
      await opened(tableToIPC(table, { format: 'stream' })!, 'dump.arrow'),
      'source',
    )
    const again = await opened(bytes, 'again')
    for (const index of [0, 1]) expect(Array.from((await again.load(index)).trajectory.mask ?? [])).toEqual(RIGHT)
    expect(again.report().sources[0]?.container).toBe('arrow')
    expect(manifest.trajectories.map(({ repaired }) => repaired)).toEqual([3, 0])
  })

  test('and columns of Parquet', async () => {
    const rows = await opened(lines({ input_ids: IDS, loss_mask: WRONG }, { input_ids: IDS, loss_mask: RIGHT }))
    const [columns] = await exportRollouts(rows, { as: 'parquet', indices: [0, 1], why: 'test' })
    const { manifest, bytes } = await exported(await opened(columns!.bytes, 'dump.parquet'), 'source')
    const again = await opened(bytes, 'again')
    expect(again.report().sources[0]?.container).toBe('parquet')
    expect(manifest.trajectories.map(({ repaired }) => repaired)).toEqual([3, 0])
    for (const index of [0, 1]) expect(Array.from((await again.load(index)).trajectory.mask ?? [])).toEqual(RIGHT)
  })
})

test('as sft rows of messages hold no mask: none of theirs counts as repaired', async () => {
  const messages = [
    { role: 'user', content: 'Who?' },
    { role: 'assistant', content: 'It is.' },
  ]
  const session = await opened(lines({ messages, input_ids: IDS, loss_mask: WRONG, logprobs: IDS.map(() => 0) }))
  const { manifest } = await exported(session, 'sft')
  expect(manifest.trajectories).toMatchObject([{ repaired: 0 }])
  expect(manifest.notes).toEqual([
    '1 rollout whose masks would be repaired: messages hold none, whoever trains on them makes one of their roles.',
  ])
})

test.each(['native', 'parquet', 'sft'] as const)('as %s the mask is the right one', async (as) => {
  const session = await opened(lines({ input_ids: IDS, loss_mask: WRONG }))
  const { bytes, manifest, text } = await exported(session, as)
  expect(manifest.trajectories).toMatchObject([{ repaired: 3 }])
  if (as === 'sft') expect(JSON.parse(text).labels).toEqual(RIGHT.map((flag, i) => (flag ? IDS[i] : -100)))
  else expect(Array.from((await (await opened(bytes, 'again')).load(0)).trajectory.mask ?? [])).toEqual(RIGHT)
})

test('a row without a mask has none that could be repaired', async () => {
  const session = await opened(lines({ input_ids: IDS, is_truncated: true }))
  const { text, manifest } = await exported(session, 'native')
  expect(JSON.parse(text)).not.toHaveProperty('loss_mask')
  expect(manifest.trajectories).toMatchObject([{ repaired: null }])
  expect(manifest.trajectories[0]).not.toHaveProperty('masked_whole')
})

test('what no oracle tells stays as it is, and tables have no masks', async () => {
  const session = await opened(lines({ input_ids: [1, 2, 3], loss_mask: [0, 1, 1] }))
  const { text, manifest } = await exported(session, 'source')
  expect(JSON.parse(text).loss_mask).toEqual([0, 1, 1])
  expect(manifest.trajectories).toMatchObject([{ repaired: null }])
  await expect(exported(session, 'csv')).rejects.toThrow(
    'Masks are repaired in exports as source, native, parquet, sft, not as csv.',
  )
})

test('tokens that train again without a logprob are counted', async () => {
  const changed = RIGHT.flatMap((flag, at) => (flag === 1 && WRONG[at] === 0 ? [at] : []))
  expect(changed.length).toBeGreaterThan(0)
  const notesOf = async (value: number) => {
    const logprobs = IDS.map((_, at) => (changed.includes(at) ? value : -0.25))
    const session = await opened(lines({ input_ids: IDS, loss_mask: WRONG, logprobs: { sampler: logprobs } }))
    return (await exported(session, 'native')).manifest.notes
  }
  expect(await notesOf(-0.5)).toEqual([])
  expect(await notesOf(0)).toEqual([
    expect.stringMatching(new RegExp(`^${changed.length} tokens? of those that train`)),
  ])
})

test('rows that keep no trained token are counted, and native ones say under which policy to read them', async () => {
  const labels = (mask: readonly number[]) => mask.map((flag, i) => (flag ? IDS[i] : -100))
  /** The answer, then the environment's turn, which alone is trained. */
  const ended = [...IDS, 198, ...IDS.slice(0, 6)]
  const environments = ended.map((id, i) => (i > 17 ? id : -100))
  const group = (tokens: readonly number[][], masks: readonly (number | undefined)[][]) =>
    lines({ tokens, masks, scores: tokens.map((_, i) => i) })
  const session = await opened(group([IDS, ended, ended], [labels(WRONG), environments, environments]))
  const policy =
    'The native format holds no policy: inspect these rows with --policy last-turn, under which they were audited.'
  const emptied =
    '2 rollouts have no trained token once their masks are repaired: nothing in them is what this policy trains.'
  for (const as of ['native', 'parquet'] as const)
    expect((await exported(session, as)).manifest.notes).toEqual([policy, emptied])
  expect((await exported(session, 'source')).manifest.notes).toEqual([emptied])
  // Those without a trained token are left out of rows for fine-tuning, and counted so.
  expect((await exported(session, 'sft')).manifest.notes[0]).toBe('2 rollouts without trained token ids: left out.')
  expect((await exported(session, 'native', [0])).manifest.notes).toEqual([policy])

  const plain = await opened(lines({ input_ids: IDS, loss_mask: WRONG }))
  expect((await exported(plain, 'native')).manifest.notes).toEqual([])
})

test('of files under several policies the rows of each are named', async () => {
  const session = await Session.open(
    [
      new MemorySource('rl.jsonl', lines({ input_ids: IDS, loss_mask: RIGHT })),
      new MemorySource(
        'groups.jsonl',
        lines({ tokens: [IDS], masks: [IDS.map((id, i) => (RIGHT[i] ? id : -100))], scores: [1] }),
      ),
    ],
    { tokenizer: 'qwen2.5' },
    host,
  )
  await session.done
  expect((await exported(session, 'native')).manifest.notes).toEqual([
    'The native format holds no policy: inspect the rows of groups.jsonl with --policy last-turn, under which they were audited.',
  ])
  expect((await exported(session, 'native', [0])).manifest.notes).toEqual([])
})

describe('rows that were masked whole on purpose', () => {
  const row = (token_ids: number[], sample_loss_mask = 1) => ({
    token_ids,
    token_loss_mask: token_ids.map(() => 0),
    sample_loss_mask,
  })
  const excluded = row(IDS, 0)
  const cut = row(IDS.slice(0, -1))
  /** Excluded as well, and nothing tells where its turns are. */
  const unknown = row([1, 2, 3], 0)

  test.each([
    [[excluded, excluded, excluded], true, [null, null, null], '3 rollouts were masked whole', 'left as they are.'],
    [[cut, cut], true, [3, 3], '2 rollouts were masked whole', 'trained again here.'],
    [
      [cut, excluded, unknown],
      true,
      [3, null, null],
      '3 rollouts were masked whole',
      ': 1 trained again here, 2 left as they are.',
    ],
    [[cut, unknown], false, [0, null], '2 rollouts were masked whole', 'left as they are.'],
    [[unknown], false, [null], '1 rollout was masked whole', 'left as it is.'],
  ])('are said to be what they are: %#', async (rows, repairMaskedWhole, changed, were, end) => {
    const session = await opened(lines(...rows))
    const indices = rows.map((_, index) => index)
    for (const as of ['native', 'source'] as const) {
      const request = { as, indices, why: 'test', repairMasks: true, repairMaskedWhole }
      const files = await exportRollouts(session, request)
      const { trajectories, notes }: Manifest = JSON.parse(new TextDecoder().decode(files.at(-1)!.bytes))
      expect(trajectories.map(({ repaired }) => repaired)).toEqual(changed)
      const note = notes.filter((text) => text.includes('masked_whole'))
      expect(note).toEqual([expect.stringContaining(were)])
      expect(note[0]?.endsWith(end)).toBe(true)
      const written = new TextDecoder().decode(files[0]!.bytes).trim().split('\n')
      const trains = written.map((text) => {
        const { loss_mask, token_loss_mask } = JSON.parse(text)
        return (loss_mask ?? token_loss_mask).includes(1)
      })
      expect(trains).toEqual(changed.map((tokens) => (tokens ?? 0) > 0))
    }
  })
})

test('a value is found in the text of any JSON by its path', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value, null, indent))
      const walk = (at: unknown, path: readonly (string | number)[]): void => {
        const span = valueSpan(bytes, path)
        expect(span).not.toBeNull()
        expect(JSON.parse(new TextDecoder().decode(bytes.subarray(span!.start, span!.end)))).toEqual(at)
        if (at === null || typeof at !== 'object') return
        for (const [key, item] of Object.entries(at)) walk(item, [...path, Array.isArray(at) ? Number(key) : key])
      }
      walk(JSON.parse(new TextDecoder().decode(bytes)), [])
    }),
  )
  expect(elementsOf(' [ 1, true ,2.0 ] ')).toEqual(['1', 'true', '2.0'])
  expect(elementsOf('[]')).toEqual([])
})
