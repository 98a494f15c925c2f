import { describe, expect, it } from 'vitest'
import { Random } from '../../samples/random.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { zerosDenied } from '../../shared/checks/logprobs/lone-zeros.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump, copyOf, type PlantedDump } from '../planted/dump.ts'
import { found, sampledIn } from '../planted/plants/logprob-changes.ts'
import type { PlantedToken } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

const clean = await cleanDump('lone zeros', 'qwen3', { groups: 4 })

/** Rollouts in which L05 speaks, of a dump whose tokens were changed, rollout by rollout. */
async function named(change: (tokens: PlantedToken[], index: number) => void) {
  const dump: PlantedDump = { ...clean, rollouts: clean.rollouts.map(copyOf) }
  for (const [index, rollout] of dump.rollouts.entries()) change(sampledIn(rollout), index)
  const faults = faultsOf(await audit(dump, native)).filter(({ code }) => code === 'L05')
  return [...new Set(faults.map(({ record }) => record))]
}

/** Experts that are routed otherwise: of a hundred tokens, certain ones as well, one is half a nat to three apart. */
function routed(seed: string) {
  const random = new Random(seed)
  return (tokens: PlantedToken[]) => {
    for (const token of tokens) {
      if (!random.chance(0.01)) continue
      const gap = (0.5 + 2.5 * random.next()) * (random.chance(0.6) ? 1 : -1)
      token.trainer = Math.min(0, token.trainer - gap)
    }
  }
}

/** One token, no exact zero, that an expert that is routed otherwise puts three nats off. */
function apart(tokens: PlantedToken[]): void {
  const token = tokens.find(({ sampler }) => sampler < -0.2)
  if (token !== undefined) token.trainer = token.sampler - 3
}

/** The zero at a word in the middle of what was sampled, and as many behind it as are asked for. */
function filled(tokens: PlantedToken[], count = 1): void {
  const middle = tokens.findIndex(({ id }, at) => at >= tokens.length >> 1 && id < FIRST_SPECIAL)
  for (const token of tokens.slice(middle, middle + count)) {
    token.sampler = 0
    found(token, -3)
  }
}

/** Turns of the tokens that the model wrote. */
const sampledOf = (tokens: readonly PlantedToken[]) => tokens.flatMap(({ sampled, turn }) => (sampled ? [turn] : []))

/** Of Qwen3's ids. */
const FIRST_SPECIAL = 151_643

describe('an exact zero of the sampler that the trainer denies', () => {
  it.each(['a', 'b', 'c', 'd'])('is noise where other rollouts have gaps of that size (%s)', async (seed) => {
    expect(await named(routed(seed))).toEqual([])
    const noise = routed(seed)
    const and = (tokens: PlantedToken[], index: number) => {
      noise(tokens)
      if (index === 7) filled(tokens)
    }
    expect(await named(and)).toEqual([])
  })

  it('is noise where it hits two in a row, and a placeholder where it hits three', async () => {
    const noise = routed('two in a row')
    const and = (count: number) => (tokens: PlantedToken[], index: number) => {
      if (index === 7) filled(tokens, count)
      else noise(tokens)
    }
    expect(await named(and(2))).toEqual([])
    expect(await named(and(3))).toEqual([7])
  })

  it('is a placeholder where two stand in a row and no other rollout has such a gap', async () => {
    expect(await named((tokens, index) => index === 7 && filled(tokens, 2))).toEqual([7])
  })

  it('is told turn by turn', async () => {
    const dump: PlantedDump = { ...clean, rollouts: clean.rollouts.map(copyOf) }
    const rollout = dump.rollouts.find(({ tokens }) => new Set(sampledOf(tokens)).size > 1)
    const turns = [...new Set(sampledOf(rollout?.tokens ?? []))].slice(0, 2)
    for (const turn of turns) filled(rollout?.tokens.filter((token) => token.sampled && token.turn === turn) ?? [])
    const faults = faultsOf(await audit(dump, native)).filter(({ code }) => code === 'L05')
    expect(faults.map(({ turn }) => turn)).toEqual(turns)
  })

  it('is a placeholder where no other rollout has such a gap', async () => {
    expect(await named((tokens, index) => index === 7 && filled(tokens))).toEqual([7])
  })

  it('is a placeholder among noise where it stands in every rollout', async () => {
    const every = await named((tokens, index) => {
      // Of rollouts that have such a gap on another token themselves, one zero more tells nothing.
      if (index % 2 === 1) apart(tokens)
      filled(tokens)
    })
    expect(every).toEqual(clean.rollouts.flatMap((_, index) => (index % 2 === 0 ? [index] : [])))
  })

  it('is a placeholder among noise where it stands in a run of them', async () => {
    const noise = routed('in a run')
    const inRun = (tokens: PlantedToken[], index: number) => {
      noise(tokens)
      if (index === 7) filled(tokens, 12)
    }
    expect(await named(inRun)).toEqual([7])
  })
})

it('one that the trainer hardly denies is held against the gaps that deny one, not against smaller ones that nearly all rollouts have', () => {
  /** Of a hundred rollouts `wide` have a gap that would deny a zero, and nearly all of the others one of half that size. */
  const told = (wide: number) => {
    const largest = (index: number) => (index < wide ? 0.6 : index < 95 ? 0.3 : 0.1)
    const facts = Array.from({ length: 100 }, (_, index) => ({
      gap: { largest: largest(index) },
      ...(index >= 85 ? { loneZeros: [{ token: 5, trainer: -0.51, turn: 0 }] } : {}),
    }))
    return atOnce(zerosDenied(facts as unknown as TrajectoryFacts[], DEFAULT_THRESHOLDS)).length
  }
  expect(told(80)).toBe(0)
  expect(told(10)).toBe(15)
})
