import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { encoded } from '../../shared/checks/texts/encoded.ts'
import type { OpenEnd } from '../../shared/checks/truncation/long-replies.ts'
import { replyPile } from '../../shared/checks/truncation/reply-pile.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditDump, settings } from '../checks/audit.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { resolveLimits } from '../helpers/at-once.ts'
import { assistant, tool } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

interface Reply {
  readonly tokens: number
  /** Default: five to a token, and as many more as the place of the rollout. */
  readonly characters?: number
  readonly text?: string
  readonly edge?: string
  readonly open?: OpenEnd
  readonly tool?: string
  readonly turn?: number
}

/** Rollouts of these replies, which end in mid-sentence and differ where nothing else is said. */
const rollouts = (...each: readonly (readonly Reply[])[]): TrajectoryFacts[] =>
  each.map((replies, i) => {
    const charactersOf = ({ tokens, characters = 5 * tokens + i }: Reply) => characters
    const placed = (reply: Reply, k: number) => ({
      start: 100 + 200 * k,
      end: 100 + 200 * k + reply.tokens,
      tokens: reply.tokens,
      characters: charactersOf(reply),
      tool: reply.tool ?? '',
      turn: reply.turn ?? k + 1,
    })
    return factsOf(i, {
      toolReplyLengths: replies.map(({ tokens }) => tokens + 4),
      ...(replies.length === 0
        ? {}
        : {
            longestReply: {
              tokens: Math.max(...replies.map(({ tokens }) => tokens)),
              characters: Math.max(...replies.map(charactersOf)),
            },
          }),
      longestOfKinds: replies.map(placed),
      longReplies: replies.map((reply, k) => ({
        ...placed(reply, k),
        open: reply.open ?? 'right',
        text: reply.text ?? `t${i}`,
        edge: reply.edge ?? `e${i}`,
      })),
    })
  })

const many = (count: number, of: (i: number) => Reply) => Array.from({ length: count }, (_, i) => [of(i)])
const pile = (...each: readonly (readonly Reply[])[]) => replyPile(rollouts(...each), DEFAULT_THRESHOLDS)

describe('replyPile', () => {
  const cut = many(6, () => ({ tokens: 256 }))
  const short = many(30, (i) => ({ tokens: 60 + i * 5, open: i % 3 === 0 ? 'right' : 'none' }))
  const middle = many(6, () => ({ tokens: 256, open: 'none' }))

  it('finds the length at which different replies stop in mid-sentence', () => {
    const found = { unit: 'tokens', side: 'right', length: 256, kind: null, replies: 6, rollouts: 6, texts: 6 }
    expect(pile(...cut, ...short)).toEqual(found)
    expect(pile(...cut)).toEqual(found)
  })

  it('finds it where they begin in mid-sentence, where neither end shows it, and in characters', () => {
    const left = many(6, () => ({ tokens: 256, open: 'left' }))
    expect(pile(...left, ...short)).toMatchObject({ side: 'left', length: 256, rollouts: 6 })
    expect(pile(...middle, ...short)).toMatchObject({ side: null, length: 256, rollouts: 6 })
    const byCharacters = many(6, (i) => ({ tokens: 250 + i, characters: 2000 }))
    expect(pile(...byCharacters, ...short)).toMatchObject({ unit: 'characters', side: 'right', length: 2000 })
  })

  it('finds it in characters where shorter replies have as many tokens', () => {
    const byCharacters = many(6, (i) => ({ tokens: 236 + 4 * i, characters: 1068, open: 'none' }))
    const shorter = many(6, (i) => ({ tokens: 230 + 3 * i, characters: 1000 + 9 * i, open: 'none' }))
    expect(pile(...byCharacters, ...shorter)).toMatchObject({ unit: 'characters', side: null, length: 1068 })
    expect(pile(...byCharacters)).toBeNull()
  })

  it('counts those that were cut at the end of a sentence by chance', () => {
    expect(pile(...cut, [{ tokens: 256, open: 'dense' }], ...short)).toMatchObject({ side: 'right', rollouts: 7 })
  })

  it.each([
    ['all say the same', many(6, () => ({ tokens: 256, text: 'same' }))],
    ['all end in the same words', many(6, () => ({ tokens: 256, edge: 'same' }))],
    ['all end as a sentence does, and none is shorter', middle],
    [
      'six of four texts have the greatest length, and a dozen nearly it, all of which end as a sentence does',
      [
        ...many(6, (i): Reply => ({ tokens: 256, open: 'none', text: `t${i % 4}` })),
        ...many(12, (i) => ({ tokens: 246 + (i % 10), open: 'none' })),
        ...short,
      ],
    ],
    [
      'they are no prose, and end as they should',
      [...many(6, (): Reply => ({ tokens: 256, open: 'dense' })), ...short],
    ],
    ['one is longer', [...cut, [{ tokens: 257, open: 'none' }]]],
    ['a few are of that length by chance', [...cut.slice(0, 2), ...short]],
    ['they are one in thirty', [...cut.slice(0, 3), ...short, ...short]],
    ['as many have each length just below it', [...cut, ...many(60, (i) => ({ tokens: 246 + (i % 10) }))]],
    ['no reply is long', [[], []]],
  ] as const)('finds none where %s', (_, rows) => {
    expect(pile(...rows)).toBeNull()
  })

  it('is the limit of replies, in tokens, and C08 names the rollouts that reach it', () => {
    const facts = rollouts(...cut, ...short)
    const { max_tool_response_length: limit } = resolveLimits(settings(), {}, facts)
    expect(limit).toEqual({ value: 256, origin: 'inferred', unit: 'tokens' })
    const { findings, tally } = runOver('C08', dumpOf(facts))
    expect(findings.map(({ record }) => record)).toEqual([0, 1, 2, 3, 4, 5])
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      tokens: [100, 356],
      evidence: { shown_by: 'pile-up', replies_at_this_length: 6 },
    })
    expect(tally).toMatchObject({ affected: 6, placesAffected: 6 })
  })

  it('says nothing of it where cut replies tell a limit already', () => {
    const facts = rollouts(...cut).map((row) => ({ ...row, cutReplies: [{ tokens: 90, characters: 256 }] }))
    expect(runOver('C08', dumpOf(facts)).findings).toEqual([])
  })
})

describe('a limit on the replies of one tool, or behind one turn', () => {
  const told = (facts: readonly TrajectoryFacts[]) =>
    runOver('C08', dumpOf(facts)).findings.map(({ record, message, tokens }) => ({ record, message, tokens }))
  /** The reply of a search, and a page that is longer. */
  const both = (search: (i: number) => Reply, page: (i: number) => Reply = () => ({ tokens: 0 })) =>
    rollouts(
      ...Array.from({ length: 12 }, (_, i): Reply[] => [
        { tool: 'search', ...search(i) },
        { tool: 'open_page', open: 'none', ...page(i), tokens: 300 + 17 * i },
      ]),
    )

  it('is found among the replies of that tool, as are those that it cut at the end of a sentence', () => {
    const facts = both((i) => ({ tokens: 64, turn: 1 + (i % 3), open: i > 9 ? 'dense' : 'right' })).map((row) => ({
      ...row,
      longReplies: row.longReplies?.filter(({ open }) => open !== 'dense') ?? [],
    }))
    const found = told(facts)
    expect(found.map(({ record }) => record)).toEqual(facts.map((_, i) => i))
    expect(found[0]).toMatchObject({
      message:
        'A tool reply ends in mid-sentence at exactly 64 tokens, as 12 replies of 12 rollouts do, and none that search returned is longer',
      tokens: [100, 164],
    })
    // The other tool knows no such limit: nothing is said of lengths that replies of any tool may have.
    expect(resolveLimits(settings(), {}, facts).max_tool_response_length).toBeNull()
  })

  it('is found behind one turn, whatever tool is asked', () => {
    const facts = both((i) => ({ tokens: 64, characters: 310 + i, tool: ['search', 'look_up', ''][i % 3]! }))
    expect(told(facts)[0]?.message).toMatch(
      /exactly 64 tokens, as 12 replies .* none behind turn 1 of the model is longer/,
    )
  })

  it.each([
    ['one of the same tool and turn is longer', (i) => ({ tokens: i === 5 ? 70 : 64 })],
    ['they end as a sentence does', () => ({ tokens: 64, open: 'none' })],
    ['all say the same', () => ({ tokens: 64, characters: 320, text: 'same' })],
    ['all end in the same words', () => ({ tokens: 64, characters: 320, edge: 'same' })],
    ['they are of many lengths', (i) => ({ tokens: 40 + 2 * i })],
    ['five are of that length', (i) => ({ tokens: i < 5 ? 64 : 33 + i })],
    ['as many have each length just below it', (i) => ({ tokens: i < 6 ? 64 : 57 + i })],
  ] as const satisfies readonly (readonly [string, (i: number) => Reply])[])('is not where %s', (_, search) => {
    expect(told(both(search))).toEqual([])
  })
})

const WORDS = 'harbour river observatory weaver north mill quay archive tower valley painter bridge'.split(' ')

/** Prose without an end: another one for each number. */
const prose = (i: number) =>
  Array.from({ length: 120 }, (_, k) => WORDS[(i * 5 + k * (i + 3) + (k >> 3)) % WORDS.length]).join(' ')

function firstTokens(tokenizer: Tokenizer, text: string, count: number): string {
  const ids = encoded(tokenizer, text)
  if (ids === null) throw new Error('not encoded')
  return decodeSpan(tokenizer.table, Int32Array.from(ids), 0, count)
}

describe('C08 without a marker', () => {
  const dump = (
    family: BundledTokenizerId,
    written: (texts: string[]) => string,
    count: (i: number) => number,
    begin = '',
  ) =>
    auditDump({
      story: '',
      family,
      rows: (tokenizer) =>
        Array.from({ length: 5 }, (_, i) =>
          searchRow(tokenizer, i, {
            reply: { text: written([2 * i, 2 * i + 1].map((k) => firstTokens(tokenizer, begin + prose(k), count(k)))) },
          }),
        ),
    })

  it.each([
    ['qwen2.5', 'one reply to a turn', ([text]: string[]) => text ?? ''],
    ['qwen3', 'one reply to a turn', ([text]: string[]) => text ?? ''],
    ['qwen2.5', 'two', (texts: string[]) => texts.join('\n</tool_response>\n<tool_response>\n')],
    ['qwen3', 'two', (texts: string[]) => texts.join('\n</tool_response>\n<tool_response>\n')],
  ] as const)('counts the tokens between the tags of %s, %s', async (family, _, written) => {
    const { findings } = (await dump(family, written, () => 48)).byCode.get('C08')!
    expect(findings).toHaveLength(5)
    expect(findings[0]?.message).toMatch(/at exactly 48 tokens/)
    expect(findings[0]?.evidence).toMatchObject({ limit: { value: 48, unit: 'tokens', origin: 'inferred' } })
  })

  it('is silent where the longest replies are the same documents in another order', async () => {
    const documents = ['first', 'second', 'third'].map((which, k) => `${prose(k)} and so ends the ${which} of them.`)
    const orders = [
      [0, 1, 2],
      [1, 0, 2],
      [2, 1, 0],
      [0, 2, 1],
      [1, 2, 0],
    ]
    const { byCode } = await auditDump({
      story: '',
      family: 'qwen3',
      rows: (tokenizer) =>
        Array.from({ length: 10 }, (_, i) => {
          const found = i < 5 ? orders[i]!.map((k) => documents[k]) : [prose(i).slice(0, 40 * i)]
          return searchRow(tokenizer, i, { reply: { text: `${found.join('\n\n')}.` } })
        }),
    })
    expect(byCode.get('C08')!.findings).toEqual([])
  })

  it.each([
    ['a newline', '\n', []],
    ['a tab', '.\t', []],
    ['a quote', '"', []],
    ['a backslash and a letter', '\\n', [0, 1, 2, 3, 4]],
    ['a control character', '\u001b', []],
  ] as const)('takes what Llama escapes at the end of a reply for what it stands for: %s', async (_, end, named) => {
    const { byCode } = await dump(
      'llama3',
      ([text]) => `${text}${end}`,
      () => 48,
      'The ',
    )
    expect(byCode.get('C08')!.findings.map(({ record }) => record)).toEqual(named)
  })

  it.each([
    'qwen2.5',
    'llama3',
  ] as const)('names replies behind one turn that a limit cuts there: %s', async (family) => {
    const named = async (lengthOf: (i: number) => number) => {
      const { byCode } = await auditDump({
        story: '',
        family,
        rows: (tokenizer) =>
          Array.from({ length: 8 }, (_, i) =>
            searchRow(tokenizer, i, {
              reply: { text: `The ${prose(2 * i)}, and so it ends.` },
              after: () => [tool(prose(2 * i + 1).slice(0, lengthOf(i))), assistant('So it is.')],
            }),
          ),
      })
      return byCode.get('C08')!.findings
    }
    const found = await named(() => 221)
    expect(found).toHaveLength(8)
    expect(found[0]?.message).toMatch(/ at exactly 221 characters, as 8 .* none behind turn 2 of the model is longer/)
    expect(found[0]?.evidence).toMatchObject({ only_of: 'turn 2', limit: null })
    expect(await named((i) => 221 - i)).toEqual([])
  })

  /** A board of letters: another one for each number. */
  const board = (i: number, size: number, between: string) =>
    Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (_, k) => 'HFSG'[(i * 7 + row * (i + 3) + k * (row + i) + (k >> 1)) % 4]).join(
        between,
      ),
    ).join('\n')
  const replies = (family: BundledTokenizerId, textOf: (i: number) => string, rows = 8) =>
    auditDump({
      story: '',
      family,
      rows: (tokenizer) =>
        Array.from({ length: rows }, (_, i) =>
          searchRow(tokenizer, i, { reply: { text: textOf(i) } }, { messages: true }),
        ),
    })

  it.each([
    'qwen2.5',
    'qwen3',
    'llama3',
  ] as const)('is silent where replies are whole boards of one size: %s', async (family) => {
    for (const textOf of [
      (i: number) => board(i, 8, ' '),
      (i: number) => board(i, 12, ''),
      (i: number) => `Step ${i}\n${board(i, 8, ' ')}`,
      (i: number) => board(i, 8, ' ').toLowerCase().replaceAll('f', '.'),
      (i: number) => board(i, 8, ' ').replaceAll(/[FS]/g, (field) => (field === 'F' ? '1' : '.')),
    ]) {
      const { byCode } = await replies(family, textOf)
      expect(byCode.get('C08')!.findings).toEqual([])
    }
  })

  it.each(['qwen2.5', 'qwen3', 'llama3'] as const)('names boards that a limit cut within a row: %s', async (family) => {
    const named = (await replies(family, (i) => board(i, 12, '').slice(0, 100))).byCode.get('C08')!.findings
    expect(named).toHaveLength(8)
  })

  it('is silent on records of one length that may end in a letter, unless others are shorter', async () => {
    const record = (i: number) =>
      Array.from({ length: 96 }, (_, k) => ((i * 31 + k * (i + 5) + (k >> 2)) % 16).toString(16)).join('')
    const lettered = (i: number) => `${record(i).slice(0, 95)}${'abcdef'[i % 6]}`
    const named = async (textOf: (i: number) => string) =>
      (await replies('qwen3', textOf, 16)).byCode.get('C08')!.findings.map(({ record }) => record)
    expect(await named(lettered)).toEqual([])
    const cut = (i: number) => (i < 10 ? lettered(i) : record(i).slice(0, 96 - 7 * (i - 8)))
    expect(await named(cut)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('is silent where replies are of their own lengths', async () => {
    const { findings } = (
      await dump(
        'qwen3',
        ([text]) => text ?? '',
        (i) => 48 + i,
      )
    ).byCode.get('C08')!
    expect(findings).toEqual([])
  })
})
