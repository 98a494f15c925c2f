import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { whereFaultsStand } from '../../shared/session/concluding/where-faults-stand.ts'
import { factsOf } from '../helpers/facts.ts'
import { resultOf } from '../hypotheses/input.ts'

interface Told {
  readonly has: boolean
  /** Faults in it and places that it has; one of each of its turns where nothing is said. */
  readonly faults?: number
  readonly turns?: number
  readonly tools?: string
  readonly together?: boolean
  readonly group?: string
  readonly tokens?: number
  readonly replies?: readonly number[]
}

/** What is said of a check where these rollouts have its fault. */
function judged(rollouts: readonly Told[], code = 'M10'): CheckResult {
  const having = rollouts.filter(({ has }) => has)
  const sum = (of: (told: Told) => number, told: readonly Told[]) => told.reduce((total, each) => total + of(each), 0)
  const check = resultOf(code, {
    affected: having.length,
    checked: rollouts.length,
    pattern: 'sporadic',
    by_turn: { 1: having.length },
    places: {
      checked: sum(({ turns = 3 }) => turns, rollouts),
      affected: sum(({ faults, turns = 3 }) => faults ?? turns, having),
    },
  })
  const facts = rollouts.map(({ turns = 3, tools, together, group = null, tokens, replies }, record) =>
    factsOf(record, {
      assistantTurns: turns,
      group,
      ...(tools === undefined ? {} : { calledTools: tools }),
      ...(together === true ? { parallelCalls: true } : {}),
      ...(tokens === undefined ? {} : { realLength: tokens }),
      ...(replies === undefined ? {} : { toolReplyLengths: replies }),
    }),
  )
  const faults = new Map([[code, Uint8Array.from(rollouts, ({ has }) => Number(has))]])
  return atOnce(whereFaultsStand([check], faults, facts, DEFAULT_THRESHOLDS))[0] as CheckResult
}

const many = (count: number, told: (at: number) => Told) => Array.from({ length: count }, (_, at) => told(at))

describe('a fault that stands in one kind of rollouts by chance', () => {
  it('strikes one place of ten, of which long rollouts have many', () => {
    const lengths = many(64, (at) => (at % 2 === 0 ? { turns: 40, has: true, faults: 4 } : { turns: 1, has: false }))
    expect(judged(lengths).pattern).toBe('sporadic')
    expect(judged(lengths.map((told) => ({ ...told, together: told.has, tools: told.has ? 'a' : 'b' }))).pattern).toBe(
      'sporadic',
    )
  })

  it('is of two questions, which alone ask for a tool', () => {
    const ofGroups = many(64, (at) => ({ group: `q${at >> 3}`, tools: at < 16 ? 'map' : 'search', has: at < 16 }))
    expect(judged(ofGroups).pattern).toBe('sporadic')
    expect(judged(ofGroups.map((told, at) => ({ ...told, group: `q${at % 16}` }))).pattern).toBe('systematic')
  })

  it('is of a check that its kind would be the cause of', () => {
    const calls = many(64, (at) => ({ tools: at % 4 === 0 ? 'ghost' : 'search', has: at % 4 === 0, faults: 1 }))
    for (const code of ['T07', 'C03', 'L01', 'A08']) expect(judged(calls, code).pattern).toBe('sporadic')
  })

  it('is none where it is strewn by chance, over rollouts or over their turns', () => {
    const rollout = fc.record({
      turns: fc.integer({ min: 1, max: 12 }),
      tools: fc.subarray(['calculate', 'open', 'search', 'map']).map((names) => names.join(' ')),
      together: fc.boolean(),
      tokens: fc.integer({ min: 200, max: 4000 }),
      replies: fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 4 }),
      group: fc.integer({ min: 0, max: 7 }).map((number) => `q${number}`),
      draws: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
    })
    const property = fc.property(
      fc.array(rollout, { minLength: 24, maxLength: 96 }),
      fc.double({ min: 0.02, max: 0.9, noNaN: true }),
      fc.boolean(),
      (rollouts, rate, byTurn) => {
        const told = rollouts.map(({ draws, ...each }) => {
          const own = byTurn ? draws.slice(0, each.turns) : draws.slice(0, 1)
          const faults = own.filter((draw) => draw < rate).length
          return { ...each, has: faults > 0, faults: Math.max(1, faults) }
        })
        expect(judged(told).pattern).toBe('sporadic')
      },
    )
    fc.assert(property, { numRuns: 300, seed: 52 })
  })
})
