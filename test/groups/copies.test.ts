import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'

const TOKENS = 60

/** What sampler and trainer say of a completion that the policy gives with this probability. */
function scored(probability: number, count = TOKENS): Pick<TrajectoryFacts, 'gap'> {
  const trainerSum = Math.log(probability)
  return {
    gap: { count, sum: 0, absolute: 0, squares: 0, largest: 0, trainerSum, samplerValues: count, samplerHash: 'c' },
  }
}

/** One group of eight, of which as many as `copies` say the same. */
const group = (copies: number, more: Partial<TrajectoryFacts>) =>
  groupFacts([Array<number>(8).fill(1)], (_, __, member) => ({
    assistantLengths: [TOKENS],
    assistantTurns: 1,
    idsHash: member < copies ? 'same' : `other ${member}`,
    ...more,
  }))

const affected = (code: string, facts: TrajectoryFacts[], options: AuditOptions = {}) =>
  runOver(code, dumpOf(facts, { options })).tally.affected

describe('equal completions of a group', () => {
  it.each([
    ['two of eight, which the policy gives half of the time', 2, 0.5, 0],
    ['six of eight, which it gives nearly always', 6, 0.95, 0],
    ['two of eight, which it gives once in fifty times', 2, 0.02, 0],
    ['eight of eight, which it gives once in fifty times', 8, 0.02, 1],
    ['two of eight, which it gives once in a million times', 2, 1e-6, 1],
  ])('%s', (_, copies, probability, found) => {
    expect(affected('A06', group(copies, scored(probability)))).toBe(found)
  })

  it('are copies where nothing, or not enough, tells how probable they are', () => {
    expect(affected('A06', group(2, {}))).toBe(1)
    expect(affected('A06', group(2, scored(0.5, 20)))).toBe(1)
  })

  it.each([7, 8])('are a note where they are %d of eight, of which the policy is sure', (copies) => {
    const { tally, findings } = runOver('A06', dumpOf(group(copies, scored(0.95))))
    expect(tally.affected).toBe(1)
    expect(findings).toMatchObject([{ severity: 'info', evidence: { different_rollouts: 9 - copies } }])
    expect(findings[0]?.message).toMatch(/^\d of 8 rollouts of group g0 are the same, token by token.*95 %/)
    expect(affected('S04', group(copies, scored(0.95)))).toBe(0)
  })

  it('are no note in a pair, or where they are short', () => {
    const pair = group(2, scored(0.95)).slice(0, 2)
    expect(affected('A06', pair)).toBe(0)
    expect(affected('A06', group(8, { ...scored(0.95, 8), assistantLengths: [8] }))).toBe(0)
  })

  it('are copies where a 0 was stored for every logprob: that is what a filler says, and greedy sampling', () => {
    const zero = scored(1)
    expect(runOver('A06', dumpOf(group(8, zero))).findings).toMatchObject([{ severity: 'warning' }])
    expect(affected('A06', group(2, zero))).toBe(1)
    const gap = { ...scored(1e-9).gap, samplerValues: 0 } as TrajectoryFacts['gap']
    expect(affected('A06', group(2, { gap }))).toBe(1)
    expect(affected('S04', group(3, zero))).toBe(2)
  })

  it('are a note where only the last turn is trained, and is short: what stands before it is history', () => {
    const found = (lengths: number[], policy: 'rl' | 'last-turn') =>
      runOver(
        'A06',
        dumpOf(group(3, { assistantLengths: lengths, assistantTurns: lengths.length }), { options: { policy } }),
      ).findings.map(({ severity, message }) => [severity, message])
    const copies = '2 of 8 rollouts of group g0 are copies of others, token by token'
    expect(found([TOKENS, 2], 'last-turn')).toEqual([
      [
        'info',
        `${copies}; what stands before their last turn, of 2 tokens, is history, which the rows of a group may share`,
      ],
    ])
    expect(found([2, TOKENS], 'last-turn')).toEqual([['warning', copies]])
    expect(found([TOKENS], 'last-turn')).toEqual([['warning', copies]])
    expect(found([TOKENS, 2], 'rl')).toEqual([['warning', copies]])
  })

  it('begin alike for long only where that is no history', () => {
    const alike = (assistantTurns: number, policy: 'rl' | 'last-turn') =>
      runOver(
        'A06',
        dumpOf(group(0, { assistantTurns, prefixHashes: ['a', 'b'] }), { options: { policy } }),
      ).findings.map(({ severity }) => severity)
    expect(alike(2, 'rl')).toEqual(['info'])
    expect(alike(1, 'last-turn')).toEqual(['info'])
    expect(alike(2, 'last-turn')).toEqual([])
  })

  describe('of which one engine alone scored the tokens', () => {
    const only = (probability: number, count = TOKENS, values = count): Pick<TrajectoryFacts, 'onlyLogprobs'> => ({
      onlyLogprobs: { count, sum: Math.log(probability), values },
    })

    it.each<[string, number, Partial<TrajectoryFacts>, number]>([
      ['six of eight, which it gives nearly always', 6, only(0.95), 0],
      ['two of eight, which it gives half of the time', 2, only(0.5), 0],
      ['two of eight, which it gives once in a million times', 2, only(1e-6), 1],
      ['two of eight, of which too few tokens were scored', 2, only(0.5, 20), 1],
      ['two of eight, of which every logprob is 0', 2, only(1, TOKENS, 0), 1],
    ])('%s', (_, copies, more, found) => {
      expect(affected('A06', group(copies, more))).toBe(found)
      expect(affected('S04', group(copies, more))).toBe(found)
    })

    it('are a note where nearly all say the same', () => {
      const { findings } = runOver('A06', dumpOf(group(8, only(0.95))))
      expect(findings).toMatchObject([{ severity: 'info', evidence: { probability: expect.closeTo(0.95) } }])
    })
  })

  it('are none where each holds the prompt of the group and nothing else, unless one is in two files', () => {
    const alone = { assistantLengths: [], assistantTurns: 0, trained: 0, endReason: 'prompt-only' as const }
    const rows = group(3, alone)
    expect(affected('S04', rows)).toBe(0)
    expect(affected('S04', group(3, { ...alone, endReason: 'unknown', promptLength: 200 }))).toBe(0)
    expect(affected('S04', group(3, { ...alone, trained: 60 }))).toBe(2)
    const again = { ...rows[0]!, place: { source: 1, record: 0, part: 0 } }
    expect(affected('S04', [...rows, again])).toBe(1)
  })

  it('are as probable as a person says', () => {
    const facts = group(2, scored(0.02))
    expect(affected('A06', facts, { thresholds: { 'chance-of-copies': 0.1 } })).toBe(1)
  })
})

describe('rollouts of which each call is a row', () => {
  /** One group; each rollout a list of calls, a word for what was sent and what came back. */
  const calls = (
    rollouts: readonly (readonly string[])[],
    more: (call: string) => Partial<TrajectoryFacts> = () => ({}),
  ) =>
    rollouts.flatMap((rows, rollout) =>
      rows.map((call, turn) =>
        factsOf(10 * rollout + turn, {
          branchOf: `r${rollout}`,
          group: 'g',
          reward: rollout % 2,
          idsHash: call,
          assistantLengths: Array<number>(turn + 1).fill(TOKENS),
          assistantTurns: turn + 1,
          ...more(call),
        }),
      ),
    )

  it.each<[string, (readonly string[])[], number, number]>([
    [
      'two begin with the same call',
      [
        ['search', 'a'],
        ['search', 'b'],
        ['other', 'c'],
      ],
      0,
      0,
    ],
    ['one of them ended there', [['search'], ['search', 'b'], ['other', 'c']], 0, 0],
    ['two have no call but this one', [['search'], ['search'], ['other', 'c']], 1, 1],
    [
      'two are the same, call by call',
      [
        ['search', 'a'],
        ['search', 'b'],
        ['search', 'a'],
      ],
      1,
      2,
    ],
    [
      'two are the same, and a third begins as they do',
      [
        ['search', 'a', 'x'],
        ['search', 'a'],
        ['search', 'a'],
      ],
      1,
      2,
    ],
    [
      'one was stored with a call twice',
      [
        ['search', 'a', 'a'],
        ['search', 'b'],
      ],
      0,
      1,
    ],
  ])('%s', (_, rollouts, groups, rows) => {
    expect(affected('A06', calls(rollouts))).toBe(groups)
    expect(affected('S04', calls(rollouts))).toBe(rows)
  })

  it('are counted as rollouts, with all that is trained of them', () => {
    const { tally, findings } = runOver(
      'A06',
      dumpOf(
        calls([
          ['search', 'a'],
          ['search', 'b'],
          ['search', 'a'],
        ]),
      ),
    )
    expect(findings[0]?.message).toBe('1 of 3 rollouts of group g are copies of others, token by token')
    expect(findings[0]).toMatchObject({
      evidence: { different_rollouts: 2, sampled_tokens: [120] },
    })
    expect(tally.affectedTokens).toBe(120)
  })

  it('are the same by chance where the policy gives each of their calls often', () => {
    const twice = [
      ['search', 'a'],
      ['search', 'a'],
      ['search', 'b'],
      ['search', 'c'],
    ]
    const likely = calls(twice, () => scored(0.5))
    expect([affected('A06', likely), affected('S04', likely)]).toEqual([0, 0])
    const unlikely = calls(twice, (call) => scored(call === 'search' ? 0.5 : 1e-9))
    expect([affected('A06', unlikely), affected('S04', unlikely)]).toEqual([1, 2])
  })

  it('are copies in another file', () => {
    const rows = calls([
      ['search', 'a'],
      ['search', 'b'],
    ])
    const again = rows.map((each) => ({ ...each, place: { ...each.place, source: 1 } }))
    expect(affected('S04', [...rows, ...again])).toBe(4)
  })
})

describe('rollouts that are there again', () => {
  it('are none where an answer is short, be it of another step', () => {
    const short = {
      idsHash: 'same',
      assistantLengths: [2],
      assistantTurns: 1,
      length: 102,
      realLength: 102,
      trained: 2,
    }
    const facts = [1, 1, 2].map((step, record) => factsOf(record, { ...short, step }))
    expect(affected('S04', facts)).toBe(0)
    // The same record in another file was read twice.
    const again = facts.map((each) => ({ ...each, place: { ...each.place, source: 1 } }))
    expect(affected('S04', [...facts, ...again])).toBe(3)
  })

  const twice = (names: (record: number) => Partial<TrajectoryFacts>) => {
    const rows = [0, 1, 2, 3].map((record) =>
      factsOf(record, { idsHash: `short ${record}`, assistantLengths: [2], assistantTurns: 1, ...names(record) }),
    )
    const again = rows.map((row, record) => ({ ...row, place: { ...row.place, record: 4 + record } }))
    return affected('S04', [...rows, ...again])
  }

  it('are copies where the same record stands in a file twice, however short the answer is', () => {
    expect(twice((record) => ({ id: `r${record}` }))).toBe(4)
    // Ids that begin anew with each step.
    expect(twice((record) => ({ id: `r${record % 2}`, step: record >> 1 }))).toBe(4)
  })

  it('are none where records are equal by chance: without an id, or with that of their prompt', () => {
    const unnamed = [0, 1].map((record) =>
      factsOf(record, { idsHash: 'same', recordHash: 'same', assistantLengths: [2], assistantTurns: 1 }),
    )
    expect(affected('S04', unnamed)).toBe(0)
    expect(twice((record) => ({ id: `prompt ${record >> 1}` }))).toBe(0)
  })

  it('are none where the policy gives them by chance', () => {
    expect(affected('S04', group(3, scored(0.5)))).toBe(0)
    expect(affected('S04', group(3, scored(1e-9)))).toBe(2)
  })

  it('are found where no tokenizer tells what was sampled', () => {
    const facts = [0, 1].map((record) => factsOf(record, { idsHash: 'same', assistantLengths: [], trained: null }))
    expect(affected('S04', facts)).toBe(1)
  })
})
