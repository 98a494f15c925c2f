import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, type RecordOptions, system, tool, user } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { findings } from './findings.ts'

const ANSWERS = [
  'The mill was built in the spring of 1894, when the river Olsa had been led around the town for the second time, by the weaver Maud Ester.',
  'I remember that the observatory at Brenne was opened late in a wet autumn, and that nobody who had paid for it was there to see the stars.',
  'Of the film little is known but that it was shown twice, in a harbour town of the north, and that its director went abroad the year after.',
  'What the report says of the bridge is that it was drawn by two sisters, who had never seen the valley that it was to be built across.',
]

/** Row `n`: a question, an answer of some 30 tokens, and two more turns; or the question and the answer alone. */
function row(tokenizer: Tokenizer, n: number, oneTurn: boolean, options: RecordOptions) {
  const answer = assistant(ANSWERS[n] as string)
  const rest = oneTurn ? [] : [tool('Nothing was found.'), assistant('So it is.')]
  return conversation(tokenizer, [system('Answer briefly.'), user('What is known of it?'), answer, ...rest], options)
}

/** Findings of C01 where the first `cut` of four rows begin so many tokens into the model's first turn. */
async function named(cut: number, into: number, options: RecordOptions, oneTurn = false) {
  const rows = (tokenizer: Tokenizer) =>
    ANSWERS.map((_, n) => {
      const own = { ...options, reward: n / 4 }
      const start = row(tokenizer, n, oneTurn, own).layout[2]?.contentStart as number
      return row(tokenizer, n, oneTurn, n < cut ? { ...own, cutLeft: start + into, padLeft: 3 } : own)
    })
  const { findings: found } = await findings('C01', {}, {}, { rows })
  return found
}

describe('a row that begins with what the model wrote', () => {
  it.each([
    ['in a turn that others follow', false],
    ['in the only one', true],
  ])('was cut where most of its group begin with their prompt: %s', async (_, oneTurn) => {
    const found = await named(1, 20, { group: 'g' }, oneTurn)
    expect(found).toMatchObject([
      { severity: 'error', record: 0, evidence: { whole_siblings: 3, siblings: 4, lost_parts: null } },
    ])
    expect(found[0]?.tokens?.[0]).toBe(3)
    expect(found[0]?.message).toContain('inside a turn that the model wrote, 3 of 4 rollouts of its group')
  })

  it.each([
    ['half of its group begin so', 2, { group: 'g' }],
    ['all of it do', 4, { group: 'g' }],
    ['it stands in no group', 1, {}],
    ['messages say that it is the beginning of an answer', 4, { group: 'g', messages: true, into: 0 }],
    ['what is missing of the answer may be a prefill', 4, { group: 'g', messages: true, into: 8 }],
  ] as const)('is a completion alone as far as is known where %s', async (_, cut, { into = 20, ...options }: Into) => {
    expect(await named(cut, into, options)).toEqual([])
  })

  it('was cut where its messages hold a good deal of the answer before it', async () => {
    const found = await named(4, 20, { messages: true })
    expect(found.map(({ record, tokens }) => [record, tokens?.[0]])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    expect(found[0]?.evidence.lost_tokens_estimated).toBeGreaterThan(20)
    // What a resumed rollout adds may be stored without its beginning.
    expect(await named(4, 20, { messages: true, more: { prompt_length: 0 } })).toEqual([])
  })

  it.each([
    ['call', true],
    ['thought', false],
  ])('inside a %s was cut: %s', async (tag, isCut) => {
    const open =
      tag === 'call' ? '<tool_call>\n{"name": "search", "arguments": {"query": "the mill"}}' : '<think>\nI look.'
    const close = tag === 'call' ? '\n</tool_call>' : '\n</think>\n\nIt is red.'
    const rows = (tokenizer: Tokenizer) =>
      [0, 1, 2].map((n) => {
        const turns = [user('What is it?'), assistant(`${open}${close}`), tool(`Nothing ${n}.`), assistant('So it is.')]
        const start = conversation(tokenizer, turns).layout[1]?.contentStart as number
        return conversation(tokenizer, turns, { cutLeft: start + 4, reward: n / 3 })
      })
    const { findings: found } = await findings('C01', {}, {}, { rows })
    expect(found.map(({ record }) => record)).toEqual(isCut ? [0, 1, 2] : [])
  })

  it('is no start that was looked at by itself, and may be what a branch adds', () => {
    const whole = [1, 2, 3].map((n) => factsOf(n, { group: 'g', firstRole: 'user', promptLength: 300 }))
    const written = { group: 'g', firstRole: null, promptLength: 80, beginsWritten: [0, 40] } as const
    const tally = (more: object) => runOver('C01', dumpOf([factsOf(0, { ...written, ...more }), ...whole])).tally
    expect(tally({})).toMatchObject({ checked: 4, affected: 1, byTurn: { 0: 1 } })
    expect(tally({ branchOf: 'one' })).toMatchObject({ checked: 3, affected: 0 })
    const all = [0, 1, 2].map((n) => factsOf(n, written))
    expect(runOver('C01', dumpOf(all)).tally).toMatchObject({ checked: 0, affected: 0 })
    const headed = [1, 2, 3].map((n) => factsOf(n, { group: 'g', firstRole: 'assistant' }))
    expect(runOver('C01', dumpOf([factsOf(0, written), ...headed])).tally.affected).toBe(0)
  })
})

interface Into extends RecordOptions {
  readonly into?: number
}

describe('a row that begins with what stands between two turns', () => {
  const end = 151645
  /** C01 of rows that were cut behind their system turn and padded with the end token. */
  async function behindSystem(options: RecordOptions, behind = 1, question = 'What is known of the mill?') {
    const rows = (tokenizer: Tokenizer) =>
      [0, 1, 2].map((n) => {
        const turns = [system('Answer the question that follows briefly.'), user(question), assistant(`It is ${n}.`)]
        const cutLeft = (conversation(tokenizer, turns).layout[0]?.endToken as number) + behind
        const cut = conversation(tokenizer, turns, { reward: n / 4, cutLeft, padLeft: 4, ...options })
        cut.record.input_ids.fill(end, 0, 4)
        return cut
      })
    const { findings: found } = await findings('C01', {}, {}, { rows })
    return found.map(({ record, tokens, evidence }) => [record, tokens, evidence.lost_tokens_estimated])
  }

  it.each([
    ['of which the newline is left', 1],
    ['of which the end token is left, and lies behind padding of the same', 0],
  ])('was cut where its messages have a system text that it lacks, %s', async (_, behind) => {
    expect(await behindSystem({ messages: true }, behind)).toEqual(
      [0, 1, 2].map((n) => [n, [5 - behind, 6 - behind], 7]),
    )
  })

  it.each([
    ['there are no messages', {}, 1, undefined],
    ['nothing is left of what stood between them', { messages: true }, 2, undefined],
    [
      'its question holds the system text',
      { messages: true },
      1,
      'Answer the question that follows briefly.\n\nWhat is it?',
    ],
  ] as const)('may begin so by its template where %s', async (_, options, behind, question) => {
    expect(await behindSystem(options, behind, question)).toEqual([])
  })
})
