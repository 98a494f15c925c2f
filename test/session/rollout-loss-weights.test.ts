import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOSS_TYPES } from '../../shared/checks/groups/token-weights.ts'
import { lossBatchOf, tokenWeightsOf } from '../../shared/session/rollout/loss-weights.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

const rowsOf = (trained: readonly number[]) =>
  trained.map((tokens, record) => factsOf(record, { trained: tokens, weight: tokens }))

describe('the weight of a token', () => {
  it('and its ratio are one number, told by itself and against the mean trained token', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(lengths, fc.constantFrom(...LOSS_TYPES), (trained, type) => {
        const rows = rowsOf(trained)
        const tokens = trained.reduce((sum, own) => sum + own, 0)
        fc.pre(tokens > 0)
        const dump = dumpOf(rows, { limits: { max_completion_length: 300 } })
        const found = rows.map((row) => tokenWeightsOf(row, lossBatchOf(row, dump)))
        const own = found.map((each) => each?.weights.find((weight) => weight.type === type))
        const sum = (value: (at: number) => number) => trained.reduce((all, count, at) => all + count * value(at), 0)
        // Ratios say nothing of a factor that all share: over all trained tokens their mean is 1.
        expect(sum((at) => own[at]?.ratio ?? 0) / tokens).toBeCloseTo(1, 9)
        const untrained = trained.filter((count) => count === 0).length
        expect(found[0]).toMatchObject({ rollouts: trained.length, untrained })
        const whole = sum((at) => own[at]?.token ?? 0)
        for (const each of own) expect((each?.token ?? 0) * tokens).toBeCloseTo((each?.ratio ?? 0) * whole, 9)
        // TRL divides by all rollouts, also by those that train nothing.
        if (type === 'grpo') expect(whole).toBeCloseTo((trained.length - untrained) / trained.length, 9)
      }),
    )
  })

  it('under dr_grpo is not known where no limit of whole completions is', () => {
    const rows = rowsOf([100, 259])
    const dump = dumpOf(rows)
    const of = (limits: typeof dump.limits) =>
      tokenWeightsOf(rows[0]!, lossBatchOf(rows[0]!, { ...dump, limits }))?.weights.find(
        ({ type }) => type === 'dr_grpo',
      )
    const perTurn = { value: 128, origin: 'metadata', per: 'turn' } as const
    expect(of({ ...dump.limits, max_completion_length: perTurn })).toEqual({ type: 'dr_grpo', token: null, ratio: 1 })
    expect(of(dump.limits)).toEqual({ type: 'dr_grpo', token: null, ratio: 1 })
    expect(of({ ...dump.limits, max_completion_length: { ...perTurn, per: 'completion' } })?.token).toBe(1 / 256)
  })

  it('is not told of a rollout that its source leaves out', () => {
    const [row] = [factsOf(0, { trained: 5, weight: 5, excluded: true })]
    expect(tokenWeightsOf(row!, lossBatchOf(row!, dumpOf([row!])))).toBeNull()
  })
})
