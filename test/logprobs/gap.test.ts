import { describe, expect, it } from 'vitest'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import { DEFAULT_THRESHOLDS, resolveThresholds } from '../../shared/model/thresholds/registry.ts'
import { logSoftmax, random, shaken, simulate, viewOf } from './simulated.ts'

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1)

/** How often each cause is named over many rollouts of different lengths. */
function causes(of: (seed: number, length: number) => ReturnType<typeof viewOf>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const seed of SEEDS) {
    const cause = gapOf(of(seed, 30 + ((seed * 37) % 900)))?.cause ?? 'too few'
    counts[cause] = (counts[cause] ?? 0) + 1
  }
  return counts
}

/** The most likely tokens that make up `share`, as if there were no others. */
function withinTopP(logprobs: readonly number[], share: number): number[] {
  let mass = 0
  let least = 0
  for (const value of [...logprobs].sort((a, b) => b - a)) {
    if (mass >= share) break
    mass += Math.exp(value)
    least = value
  }
  return logprobs.map((value) => (value >= least ? value - Math.log(mass) : Number.NEGATIVE_INFINITY))
}

it.each([
  ['that lowers', 0],
  ['that mostly lowers', 0.3],
])('noise %s a quarter of the tokens by up to 5 nats is no other context', (_, raised) => {
  const found = causes((seed, length) =>
    viewOf(
      simulate(seed, length, (at, next) => {
        const sampler = logSoftmax(at)
        const moved = next() < 0.25 ? 5 * next() * (next() < raised ? -1 : 1) : 0
        return { sampler, trainer: sampler.map((own) => Math.min(0, own - moved)) }
      }),
    ),
  )
  expect(Object.keys(found).filter((cause) => cause !== 'none' && cause !== 'mismatch')).toEqual([])
})

/** Logprobs moved down, by amounts whose tail is heavy: exp of a normal of 1.4, 0.7 nats on average. */
const heavyTail = (seed: number, length: number) =>
  simulate(seed, length, (at, next) => {
    const sampler = logSoftmax(at)
    const moved = 0.26 * Math.exp(1.4 * (shaken([0], next, 1)[0] as number))
    return { sampler, trainer: sampler.map((own) => own - Math.min(40, moved) * Math.min(1, 0.3 - own)) }
  })

it('noise to one side, with a heavy tail, is no other context in hardly a rollout of many', () => {
  const found = Array.from({ length: 1000 }, (_, seed) => gapOf(viewOf(heavyTail(seed + 1, 20 + (seed % 40))))?.cause)
  expect(found.filter((cause) => cause === 'context').length).toBeLessThanOrEqual(20)
})

it('a trainer that is surprised at every token stands behind another context, whatever line a token far out draws', () => {
  const named = Array.from({ length: 1000 }, (_, seed) => {
    const next = random(seed + 1)
    const exponential = () => -Math.log(1 - next())
    const own = Array.from({ length: 30 + (seed % 200) }, () => -(next() ** 3) * exponential())
    const trainer = own.map((sampler, into) => sampler - (into < 4 ? 3 : 1.2) * (0.3 + 0.7 * exponential()))
    return gapOf(viewOf({ sampler: own, trainer }))?.cause
  })
  expect(named.filter((cause) => cause !== 'context').length).toBeLessThanOrEqual(2)
})

describe('two engines that agree are let pass', () => {
  it.each([
    ['bfloat16 numerics', 0.02],
    ['8-bit rollouts', 0.06],
  ])('%s', (_, size) => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length, (at, next) => ({
          sampler: logSoftmax(at),
          trainer: logSoftmax(shaken(at, next, size)),
        })),
      ),
    )
    expect(found).toEqual({ none: SEEDS.length })
  })

  it.each([0.5, 0.7, 1.2])('both at a temperature of %f', (temperature) => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length, (at, next) => ({
          sampler: logSoftmax(at, temperature),
          trainer: logSoftmax(shaken(at, next, 0.02), temperature),
        })),
      ),
    )
    expect(found).toEqual({ none: SEEDS.length })
  })

  it('a rollout of tokens that are nearly all certain', () => {
    const found = causes((seed, length) => {
      const next = random(seed)
      const sampler = Array.from({ length }, () => (next() < 0.97 ? 0 : -2 * next()))
      return viewOf({ sampler, trainer: sampler.map((value) => Math.min(0, value - (next() - 0.4) * 0.02)) })
    })
    expect(found).toEqual({ none: SEEDS.length })
  })

  it('one wild token, in a rollout of any length', () => {
    const found = causes((seed, length) => {
      const scores = simulate(seed, length, (at, next) => ({
        sampler: logSoftmax(at),
        trainer: logSoftmax(shaken(at, next, 0.02)),
      }))
      scores.trainer[seed % length] = -6
      return viewOf(scores)
    })
    expect(found).toEqual({ none: SEEDS.length })
  })
})

describe('a cause is named from the shape', () => {
  const most = (found: Record<string, number>, cause: string) => (found[cause] ?? 0) / SEEDS.length

  it.each([0.5, 0.7, 1.5])('temperature %f in the trainer alone', (temperature) => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length + 100, (at, next) => ({
          from: logSoftmax(at, temperature),
          sampler: logSoftmax(at),
          trainer: logSoftmax(shaken(at, next, 0.02), temperature),
        })),
      ),
    )
    expect(most(found, 'temperature')).toBeGreaterThan(0.9)
  })

  it('logprobs that top-p of 0.9 left over', () => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length + 50, (at, next) => ({
          sampler: withinTopP(logSoftmax(at), 0.9),
          trainer: logSoftmax(shaken(at, next, 0.01)),
        })),
      ),
    )
    expect(most(found, 'renormalised')).toBeGreaterThan(0.9)
  })

  it.each([0.93, 0.95, 0.97])('a temperature of %f, which L03 does not tell, is no filter', (temperature) => {
    const found = causes((seed, length) => {
      const next = random(seed + 2000)
      const { sampler } = simulate(seed, length, (at) => ({ sampler: logSoftmax(at), trainer: at }))
      // Most of the likely tokens are certain by its digits.
      const rounded = sampler.map((own) => (own > -0.02 && next() < 0.6 ? 0 : own))
      const shake = () => (next() + next() + next() - 1.5) * 0.02
      return viewOf({ sampler: rounded, trainer: rounded.map((own) => Math.min(-1e-8, own / temperature + shake())) })
    })
    expect(found).not.toHaveProperty('renormalised')
  })

  it('a mean gap that one token far off makes is no filter', () => {
    const row = (far: number) => {
      const sampler = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 0 : -0.05))
      return viewOf({ sampler, trainer: sampler.map((own, i) => own - (i < far ? 0.5 : 0.009)) })
    }
    expect(gapOf(row(0))?.cause).not.toBe('renormalised')
    // The mean is 0.014 now.
    expect(gapOf(row(1))?.cause).not.toBe('renormalised')
    expect(gapOf(row(20))?.cause).toBe('renormalised')
  })

  it.each([0.05, 0.2, 0.5, 1])('noise of %f on the logprobs themselves is no temperature, shift or filter', (size) => {
    const found = causes((seed, length) => {
      const next = random(seed + 1000)
      const { sampler } = simulate(seed, length, (at) => ({ sampler: logSoftmax(at), trainer: at }))
      return viewOf({ sampler, trainer: sampler.map((value) => Math.min(0, value + (next() - 0.5) * 2 * size)) })
    })
    for (const cause of ['temperature', 'shifted', 'renormalised']) expect(found).not.toHaveProperty(cause)
  })

  it.each([0.3, 0.6])('both engines shake their logits by %f: no temperature', (size) => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length, (at, next) => ({
          from: logSoftmax(at),
          sampler: logSoftmax(shaken(at, next, size)),
          trainer: logSoftmax(shaken(at, next, size)),
        })),
      ),
    )
    expect(found).not.toHaveProperty('temperature')
  })

  it('many short rollouts whose odds are noisy: none of them lines up by chance', () => {
    const tilted = (errors: number) => {
      const thresholds = resolveThresholds({ 'slope-standard-errors': errors })
      return Array.from({ length: 20_000 }, (_, seed) => {
        const next = random(seed + 1)
        const noise = () => (next() + next() + next() + next() - 2) * 1.4
        const sampler = Array.from({ length: 26 }, () => Math.log(next() < 0.7 ? 0.35 + 0.4 * next() : 0.03))
        const odds = sampler.map((own) => own - Math.log(-Math.expm1(own)) + noise())
        const trainer = odds.map((own) => -Math.log1p(Math.exp(-own)))
        return { ...viewOf({ sampler, trainer }), thresholds }
      }).filter((view) => gapOf(view)?.cause === 'temperature').length
    }
    expect([tilted(3) > 0, tilted(DEFAULT_THRESHOLDS['slope-standard-errors'])]).toEqual([true, 0])
  })

  it.each([-2, -1, 1, 2])('a shift of %i', (shift) => {
    const found = causes((seed, length) => {
      const { sampler, trainer } = simulate(seed, length + 30, (at, next) => ({
        sampler: logSoftmax(at),
        trainer: logSoftmax(shaken(at, next, 0.02)),
      }))
      const moved = trainer.map((_, i) => trainer[i - shift] ?? Number.NaN)
      return viewOf({ sampler, trainer: moved })
    })
    expect(most(found, 'shifted')).toBeGreaterThan(0.9)
  })

  it('a trainer that is surprised throughout is not moved where a few unlikely tokens fall together', () => {
    const sampler = Array.from({ length: 60 }, (_, i) => (i % 25 === 10 ? -6 : -0.1 * (i % 4)))
    const trainer = sampler.map((own, i) => (i % 25 === 13 ? -8 : own === -6 ? -2 : own - 1.2 - 0.1 * (i % 3)))
    expect(gapOf(viewOf({ sampler, trainer }))?.cause).not.toBe('shifted')
    // The same few in arrays that agree once one of them is moved.
    const moved = sampler.map((_, i) => (sampler[i - 3] ?? 0) - 0.02)
    expect(gapOf(viewOf({ sampler, trainer: moved }))).toMatchObject({ cause: 'shifted', shift: 3 })
  })

  it('another context: all tokens are drawn from other logits than the trainer has', () => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length + 50, (at, next) => ({
          sampler: logSoftmax(at),
          trainer: logSoftmax(shaken(at, next, 3)),
        })),
      ),
    )
    expect(found).not.toHaveProperty('none')
  })

  it('weights that moved: symmetric in neither direction, but small', () => {
    const found = causes((seed, length) =>
      viewOf(
        simulate(seed, length + 200, (at, next) => ({
          sampler: logSoftmax(at),
          trainer: logSoftmax(shaken(at, next, 0.4)),
        })),
      ),
    )
    expect(most(found, 'mismatch')).toBeGreaterThan(0.9)
  })
})

it('says nothing of a handful of tokens', () => {
  expect(gapOf(viewOf({ sampler: Array(20).fill(-1), trainer: Array(20).fill(-3) }))).toBeNull()
})
