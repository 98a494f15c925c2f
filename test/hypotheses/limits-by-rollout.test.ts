import { describe, expect, it } from 'vitest'
import { severalWords } from '../../renderer/text/words.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { limitTexts } from '../../shared/exports/phrases.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { foundBy } from '../helpers/found.ts'
import { verdictOf } from './input.ts'

/** 96 rollouts of a run with a limit of 1,000 beside 96 of one with 4,000; `near` of each end at their own. */
function twoRuns(near: number, more: Partial<TrajectoryFacts> = {}) {
  return Array.from({ length: 192 }, (_, i) => {
    const limit = i < 96 ? 1000 : 4000
    return factsOf(i, { limits: { max_seq_len: limit }, realLength: i % 96 < near ? limit - 3 : 980, ...more })
  })
}

describe('limits that differ between rollouts', () => {
  it('judge each rollout by its own', () => {
    const dump = dumpOf(twoRuns(24))
    expect(dump.limits.max_seq_len).toBeNull()
    expect(dump.limitsByRollout).toEqual({
      max_seq_len: [
        { value: 1000, rollouts: 96 },
        { value: 4000, rollouts: 96 },
      ],
    })
    const { verdict, because } = verdictOf('H04', dump)
    expect(verdict).toBe('supported')
    expect(because[0]).toMatchObject({
      measure: 'share of rollouts within 10 tokens of a limit (max_seq_len 1000 or 4000, by rollout)',
      value: 48 / 192,
    })
    expect(because[0]?.where).toEqual({ left: [{ of: 'sequence', atMost: 10 }] })
    expect(foundBy(dump, because[0]?.where)).toEqual(
      dump.facts.flatMap(({ realLength }, index) => (realLength === 980 ? [] : [index])),
    )
  })

  it('open the rollouts near any of them, whatever they count', () => {
    const row = (i: number, of: Partial<TrajectoryFacts>) =>
      factsOf(i, { limits: { max_completion_length: i % 2 ? 64 : 512, max_prompt_length: 600 }, ...of })
    const turn = (tokens: number) => ({ assistantLengths: [30, tokens], realLength: 900 })
    const ofTurns = dumpOf([row(0, turn(503)), row(1, turn(60)), row(2, turn(60)), row(3, { promptLength: 599 })])
    expect(ofTurns.limitsByRollout?.max_completion_length?.[0]?.per).toBe('turn')
    const ofRest = dumpOf([row(0, { realLength: 603 }), row(1, { realLength: 102 }), row(2, { realLength: 164 })])
    expect(ofRest.limitsByRollout?.max_completion_length?.[0]?.per).toBe('completion')
    for (const [dump, near] of [
      [ofTurns, [0, 1, 3]],
      [ofRest, [0]],
    ] as const) {
      const [line] = verdictOf('H04', dump).because
      expect(line?.value).toBe(near.length / dump.facts.length)
      expect(foundBy(dump, line?.where)).toEqual(near)
    }
  })

  it('are not reached where a rollout is as long as the limit of another', () => {
    const dump = dumpOf(
      twoRuns(0).map((row) => (row.limits?.max_seq_len === 4000 ? { ...row, realLength: 1000 } : row)),
    )
    expect(verdictOf('H04', dump).verdict).toBe('contradicted')
  })

  it('of one name stand beside one that all share, and one that a person gives stands for all', () => {
    const rows = twoRuns(0).map((row) => ({ ...row, limits: { ...row.limits, max_prompt_length: 600 } }))
    const dump = dumpOf(rows)
    expect(dump.limits.max_prompt_length).toEqual({ value: 600, origin: 'metadata' })
    expect(Object.keys(dump.limitsByRollout ?? {})).toEqual(['max_seq_len'])
    const given = dumpOf(rows, { options: { limits: { max_seq_len: 1000 } } })
    expect(given.limits.max_seq_len).toEqual({ value: 1000, origin: 'given' })
    expect(given.limitsByRollout).toBeUndefined()
  })

  it('are no reason to infer one from rollouts that end there', () => {
    const cut = { endReason: 'cut-prose' } as const
    const dump = dumpOf(
      twoRuns(24).map((row) => (row.realLength === 3997 ? { ...row, ...cut, realLength: 4000 } : row)),
    )
    expect(Object.values(dump.limits).filter((limit) => limit !== null)).toEqual([])
  })

  it('of tool replies are no reason to infer one from replies that are cut there', () => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      factsOf(i, {
        limits: { max_tool_response_length: i < 30 ? 400 : 800 },
        cutReplies: i < 30 ? [{ tokens: 400, characters: 1500 + i }] : [],
      }),
    )
    const { limits, limitsByRollout } = dumpOf(rows)
    expect(limitsByRollout?.max_tool_response_length?.map(({ value }) => value)).toEqual([400, 800])
    expect(limits.max_tool_response_length).toBeNull()
    expect(dumpOf(rows.map((row) => ({ ...row, limits: {} }))).limits.max_tool_response_length).toMatchObject({
      value: 400,
      origin: 'inferred',
    })
  })

  it('of tool replies are limits that H04 knows', () => {
    const rows = (several: boolean) =>
      Array.from({ length: 40 }, (_, i) =>
        factsOf(i, { limits: { max_tool_response_length: several && i < 20 ? 400 : 800 } }),
      )
    for (const several of [false, true]) {
      const { verdict, missing } = verdictOf('H04', dumpOf(rows(several)))
      expect(verdict).toBe('inconclusive')
      expect(missing[0]).toBe('limits of the prompt, the completion or the sequence')
    }
  })

  it('of a completion are said to hold for each turn where rollouts show it', () => {
    const row = (i: number, limit: number) =>
      factsOf(i, {
        limits: { max_completion_length: limit },
        promptLength: 100,
        realLength: 100 + 3 * 200,
        assistantLengths: [200, 200, 200],
        assistantTurns: 3,
      })
    const per = (limits: readonly number[]) =>
      dumpOf(limits.map((limit, i) => row(i, limit))).limitsByRollout?.max_completion_length?.map((each) => each.per)
    // Few rollouts of a value seldom show it: those of the others tell for all.
    expect(per(Array.from({ length: 20 }, (_, i) => (i < 10 ? 256 : 1024)))).toEqual(['turn', 'turn'])
    expect(per(Array.from({ length: 20 }, (_, i) => (i < 10 ? 768 : 1024)))).toEqual(['completion', 'completion'])
  })

  it('judge as many values as there are, and list the most common', () => {
    // Each with a budget of its own, far above any of its turns, and below them all together.
    const dump = dumpOf(
      Array.from({ length: 80 }, (_, i) =>
        factsOf(i, {
          limits: { max_completion_length: 200 + Math.max(0, i - 8) },
          promptLength: 12,
          realLength: 12 + 5 * 60,
          assistantLengths: [60, 60, 60, 60, 60],
          assistantTurns: 5,
        }),
      ),
    )
    const { verdict, because } = verdictOf('H04', dump)
    expect(because[0]).toMatchObject({
      measure:
        'share of rollouts within 10 tokens of a limit (max_completion_length 72 values, the 32 most common from 200 to 231, by rollout)',
      value: 0,
    })
    expect(verdict).toBe('contradicted')
    const { limits, limitsByRollout = {}, limitsLeftOut = {} } = dump
    expect(limitsByRollout.max_completion_length).toHaveLength(32)
    expect(limitsLeftOut).toEqual({ max_completion_length: { values: 40, rollouts: 40 } })
    expect(limitTexts({ limits, limits_by_rollout: limitsByRollout, limits_left_out: limitsLeftOut })[0]).toMatch(
      /^max_completion_length 200 per turn in 9 rollouts, .*, 231 per turn in 1 rollout and 40 more values in 40 rollouts \(metadata/,
    )
    expect(
      severalWords(
        'max_completion_length',
        limitsByRollout.max_completion_length ?? [],
        limitsLeftOut.max_completion_length,
      ),
    ).toBe('completion length 72 values, the 32 most common from 200 per turn to 231 per turn, by rollout')
  })

  it('are listed with the rollouts that declare them', () => {
    const { limits, limitsByRollout = {} } = dumpOf(twoRuns(0))
    expect(limitTexts({ limits, limits_by_rollout: limitsByRollout })).toEqual([
      'max_seq_len 1,000 in 96 rollouts, 4,000 in 96 rollouts (metadata, each rollout by its own)',
    ])
    expect(severalWords('max_seq_len', limitsByRollout.max_seq_len ?? [])).toBe(
      'sequence length 1,000 or 4,000, by rollout',
    )
    const many = Array.from({ length: 9 }, (_, i) => ({ value: 100 + i, rollouts: 1 }))
    expect(severalWords('max_prompt_length', many)).toBe('prompt length 9 values from 100 to 108, by rollout')
  })
})
