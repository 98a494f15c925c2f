import { describe, expect, it } from 'vitest'
import { EDGE_NAMES } from '../../shared/checks/oracles/edges.ts'
import type { CheckResult } from '../../shared/model/report.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { whereFaultsStand } from '../../shared/session/concluding/where-faults-stand.ts'
import { factsOf } from '../helpers/facts.ts'
import { resultOf } from '../hypotheses/input.ts'

interface Told {
  readonly source?: number
  readonly environment?: string
  readonly step?: number
  readonly has: boolean
  readonly lookedAt?: string
  readonly turns?: number
  readonly edges?: number
}

/** What is said of M15 where these rollouts have it. */
function judged(rollouts: readonly Told[], over: Partial<CheckResult> = {}): CheckResult {
  const check = resultOf('M15', { affected: 1, checked: rollouts.length, pattern: 'sporadic', ...over })
  const rows = Uint8Array.from(rollouts, ({ has }) => Number(has))
  const all = rollouts.map(({ source = 0, environment, step = null, lookedAt, turns = 1, edges }, record) =>
    factsOf(record, {
      place: { source, record, part: 0 },
      step,
      assistantTurns: turns,
      ...(lookedAt === undefined ? {} : { lookedAt }),
      ...(edges === undefined ? {} : { edges }),
      ...(environment === undefined ? {} : { environment }),
    }),
  )
  const [result] = atOnce(whereFaultsStand([check], new Map([[check.code, rows]]), all, DEFAULT_THRESHOLDS))
  return result as CheckResult
}

const many = (count: number, told: (at: number) => Told) => Array.from({ length: count }, (_, at) => told(at))

describe('a fault in files that were opened together', () => {
  const patternWith = (...files: (readonly [affected: number, rollouts: number])[]) =>
    judged(files.flatMap(([affected, rollouts], source) => many(rollouts, (at) => ({ source, has: at < affected }))))
      .pattern

  it('is systematic where all rollouts of one file have it and none of the other', () => {
    expect(patternWith([96, 96], [0, 96])).toBe('systematic')
    expect(patternWith([0, 50], [92, 96], [0, 50])).toBe('systematic')
  })

  it('is sporadic where it stands in a part of a file', () => {
    expect(patternWith([96, 96], [1, 96])).toBe('sporadic')
    expect(patternWith([91, 96], [0, 96])).toBe('sporadic')
    expect(patternWith([96, 192])).toBe('sporadic')
  })

  it('is sporadic where the files that have it are few rollouts, or few of many', () => {
    expect(patternWith([9, 9], [0, 9])).toBe('sporadic')
    expect(patternWith([1, 1], [1, 1], [0, 1], [0, 1])).toBe('sporadic')
    expect(patternWith([16, 16], [0, 784])).toBe('sporadic')
  })
})

describe('a fault that came in at a step', () => {
  const run = (has: (step: number, at: number) => boolean) =>
    many(96, (at) => ({ step: Math.floor(at / 8), has: has(Math.floor(at / 8), at) }))

  it('is systematic from that step on, and its steps are listed with their rollouts', () => {
    const check = judged(run((step) => step >= 7))
    expect(check).toMatchObject({ pattern: 'systematic', systematic_in: { steps: [7, 11] } })
    expect(check.by_step).toEqual(
      Object.fromEntries([7, 8, 9, 10, 11].map((step) => [step, { checked: 8, affected: 8 }])),
    )
    expect(check).not.toHaveProperty('by_environment')
  })

  it('is sporadic where rollouts of these steps do not have it', () => {
    const check = judged(run((step, at) => step >= 7 && at % 8 < 7))
    expect(check.pattern).toBe('sporadic')
    expect(check).not.toHaveProperty('systematic_in')
    expect(check.by_step?.['9']).toEqual({ checked: 8, affected: 7 })
  })

  it('is sporadic where the check takes the rollouts of some steps by itself', () => {
    const check = judged(
      run((step) => step >= 7),
      { code: 'L08' },
    )
    expect(check.pattern).toBe('sporadic')
    expect(check.by_step?.['9']).toEqual({ checked: 8, affected: 8 })
    // It is no other one where the run writes a file for each step, or each step has an environment of its own.
    const apart = (code: string, of: (step: number) => Partial<Told>) =>
      judged(
        many(96, (at) => ({ step: at >> 4, has: at >= 48, ...of(at >> 4) })),
        { code },
      ).pattern
    const ways = [(step: number) => ({ source: step }), (step: number) => ({ environment: `e${step}` })]
    expect(ways.map((of) => apart('L08', of))).toEqual(['sporadic', 'sporadic'])
    expect(ways.map((of) => apart('M15', of))).toEqual(['systematic', 'systematic'])
  })

  it('is sporadic in a step of few rollouts, and in one of very many steps', () => {
    expect(judged(run((step) => step === 7)).pattern).toBe('sporadic')
    expect(judged(many(800, (at) => ({ step: Math.floor(at / 16), has: at < 16 }))).pattern).toBe('sporadic')
  })
})

describe('a fault that not every rollout of its files and steps could show', () => {
  const [search, chat] = [1 << EDGE_NAMES.indexOf('tool>assistant'), 1 << EDGE_NAMES.indexOf('user>assistant')]
  /** Of two steps with the fault and two without: `could` says what the rollouts that lack it are like. */
  const pattern = (could: Partial<Told>, over: Partial<CheckResult> = {}) =>
    judged(
      many(96, (at) => {
        const has = at < 48 && at % 3 === 0
        const others = at % 3 === 0 ? {} : could
        return { step: Math.floor(at / 24), has, lookedAt: 'M10M15T05', turns: 3, edges: search | chat, ...others }
      }),
      over,
    ).pattern
  const onEdges = { by_boundary: { 'tool>assistant': { checked: 96, affected: 16 }, 'user>assistant': none() } }
  function none() {
    return { checked: 96, affected: 0 }
  }

  it('is counted against those that its check looked at', () => {
    expect(pattern({ lookedAt: 'M10T05' })).toBe('systematic')
    expect(pattern({})).toBe('sporadic')
    expect(pattern({ lookedAt: 'M15' })).toBe('sporadic')
  })

  it('is counted against those that reach a turn in which it stands', () => {
    const later = { by_turn: { 1: 0, 2: 9, 3: 7 } }
    expect(pattern({ turns: 1 }, later)).toBe('systematic')
    expect(pattern({ turns: 2 }, later)).toBe('sporadic')
    expect(pattern({ turns: 1 }, { by_turn: { 1: 1, 2: 9 } })).toBe('sporadic')
  })

  it('is counted against those that have an edge at which it stands', () => {
    const places = { checked: 192, affected: 16 }
    expect(pattern({ edges: chat }, { ...onEdges, places })).toBe('systematic')
    expect(pattern({ edges: search }, { ...onEdges, places })).toBe('sporadic')
    // Some of it stands at no edge.
    expect(pattern({ edges: chat }, { ...onEdges, places: { checked: 192, affected: 17 } })).toBe('sporadic')
  })

  it('is counted against all where nothing but the whole dump tells of it', () => {
    const whole = (at: number) => ({ step: Math.floor(at / 24), has: at < 48 && at % 3 === 0, lookedAt: 'T05' })
    expect(judged(many(96, whole)).pattern).toBe('sporadic')
    expect(judged(many(96, (at) => ({ ...whole(at), has: at < 48 }))).pattern).toBe('systematic')
  })
})

describe('a fault of one environment', () => {
  const kinds = ['chat', 'search', 'code']
  const mixed = (has: (kind: string, step: number) => boolean) =>
    many(96, (at) => {
      const [environment, step] = [kinds[at % 3] as string, Math.floor(at / 12)]
      return { environment, step, has: has(environment, step) }
    })

  it('is systematic in it, and its rollouts are counted by environment', () => {
    const check = judged(mixed((kind) => kind === 'search'))
    expect(check).toMatchObject({ pattern: 'systematic', systematic_in: { environments: ['search'] } })
    expect(check.by_environment).toEqual({ search: { checked: 32, affected: 32 } })
  })

  it('is systematic in the steps of that environment from which on it stands there', () => {
    const check = judged(mixed((kind, step) => kind === 'code' && step >= 3))
    expect(check.systematic_in).toEqual({ environments: ['code'], steps: [3, 7] })
  })

  it('is sporadic where another environment has it here and there', () => {
    expect(judged(mixed((kind, step) => kind === 'search' || (kind === 'chat' && step === 2))).pattern).toBe('sporadic')
  })

  it('says nothing of environments where there is one, or where rollouts with the fault name none', () => {
    expect(judged(many(96, (at) => ({ environment: 'search', has: at % 3 === 0 }))).pattern).toBe('sporadic')
    expect(
      judged(many(96, (at) => ({ ...(at < 48 ? {} : { environment: kinds[at % 2] as string }), has: at < 48 })))
        .pattern,
    ).toBe('sporadic')
  })
})

it('leaves the pattern as it is where it is settled, or of groups', () => {
  const halves = many(40, (at) => ({ step: at < 20 ? 1 : 2, has: at < 20 }))
  expect(judged(halves, { pattern: 'systematic' })).not.toHaveProperty('systematic_in')
  expect(judged(halves, { code: 'A05', unit: 'group' }).pattern).toBe('sporadic')
})

it('leaves what passes as it is', () => {
  const check = resultOf('M15', { status: 'pass', affected: 0, pattern: null })
  expect(atOnce(whereFaultsStand([check], new Map(), [factsOf(0, { step: 1 })], DEFAULT_THRESHOLDS))).toEqual([check])
})
