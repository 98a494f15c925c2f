import { describe, expect, it } from 'vitest'
import { logprobFacts } from '../../shared/checks/logprobs/sums.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { logSoftmax, random, shaken, simulate, viewOfTurns } from './simulated.ts'

/** Where a token stands: its turn, and from 0 to 1 along the rollout. */
interface Place {
  readonly turn: number
  readonly along: number
}

/** What the trainer finds of a token, from what the sampler did. */
type Trainer = (own: number, place: Place, next: () => number) => number

const normal = (next: () => number) => shaken([0], next, 1)[0] as number
const exponential = (next: () => number) => -Math.log(1 - next())
/** What numerics leave. */
const agreed: Trainer = (own, _, next) => own + 0.02 * normal(next) * Math.min(1, 0.05 - own)
/** This share of tokens loses three nats or so, however sure the sampler was. */
const losing =
  (share: (place: Place) => number): Trainer =>
  (own, place, next) =>
    next() < share(place) ? own - 3 * exponential(next) : agreed(own, place, next)

/** What L02 says over so many rollouts of two to four turns. */
function found(rollouts: number, trainerOf: (record: number) => Trainer) {
  const facts = Array.from({ length: rollouts }, (_, record) => {
    const next = random(record * 7919 + 1)
    const lengths = Array.from({ length: 2 + (record % 3) }, () => 40 + Math.floor(next() * 60))
    const starts = lengths.map((_, turn) => lengths.slice(0, turn).reduce((sum, each) => sum + each, 0))
    const all = lengths.reduce((sum, each) => sum + each, 0)
    const scores = simulate(record + 1, all, (logits, draw, step) => {
      const place = { turn: starts.findLastIndex((start) => start <= step), along: step / all }
      const sampler = logSoftmax(logits)
      return { sampler, trainer: sampler.map((own) => Math.min(0, trainerOf(record)(own, place, draw))) }
    })
    return factsOf(record, logprobFacts(viewOfTurns(scores, lengths)))
  })
  return runOver('L02', dumpOf(facts))
}

const behindFirst =
  (share: number) =>
  ({ turn }: Place) =>
    turn === 0 ? 0 : share

describe('L02 over many rollouts', () => {
  it.each([0.1, 0.2])('names later turns in which %f of the tokens lose some nats', (share) => {
    const { findings, tally } = found(48, () => losing(behindFirst(share)))
    expect(findings.length).toBeGreaterThan(36)
    expect(findings[0]?.message).toMatch(
      /^From assistant turn 2 on the trainer finds \d+ of \d+ tokens that the sampler was sure of half as likely or less, in turn 1 0 of \d+; so it is in all \d+ such rollouts together$/,
    )
    expect(Object.keys(tally.byTurn)).not.toContain('1')
    expect(Object.values(tally.byTurn).reduce((sum, count) => sum + count, 0)).toBe(findings.length)
  })

  it('names those of which it holds, and not those beside them whose engines agree', () => {
    const { findings } = found(48, (record) => (record % 2 === 0 ? losing(behindFirst(0.15)) : agreed))
    expect(findings.length).toBeGreaterThan(16)
    expect(findings.every(({ record }) => (record ?? 1) % 2 === 0)).toBe(true)
  })

  it.each<[string, (place: Place) => number]>([
    ['in every turn alike', () => 0.12],
    ['in every turn alike, and seldom', () => 0.02],
    ['more and more along a rollout', ({ along }) => 0.15 * along],
  ])('leaves a fat tail to L01 that strikes %s', (_, share) => {
    expect(found(48, () => losing(share)).findings).toEqual([])
  })

  it.each([
    ['up and down', false],
    ['down alone', true],
  ])('leaves noise of later turns alone that spares what is sure, %s', (_, oneSided) => {
    const noisy: Trainer = (own, { turn }, next) => {
      const moved = 0.8 * turn * normal(next)
      return own - (oneSided ? Math.abs(moved) : moved) * Math.min(1, 0.05 - own)
    }
    expect(found(48, () => noisy).findings).toEqual([])
  })

  it('does not take the burst of a few rollouts for what all have', () => {
    expect(found(48, (record) => (record < 4 ? losing(behindFirst(0.15)) : losing(() => 0.01))).findings).toEqual([])
  })
})
