import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalsOf } from '../../shared/checks/logprobs/kl-rounded.ts'
import { logprobFacts } from '../../shared/checks/logprobs/sums.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'
import { random, viewOf } from './simulated.ts'

const k3 = (d: number) => Math.exp(d) - d - 1

/** H03 of 400 tokens whose reference lies within `spread` nats of the trainer, and whose stored KL is this of the distance. */
function judged(spread: number, stored: (d: number, token: number, own: number) => number) {
  const next = random(7)
  const trainer = Array.from({ length: 400 }, () => -0.05 - 3 * next())
  const reference = trainer.map((own) => Math.min(-1e-4, own + (next() - 0.5) * 2 * spread))
  const view = viewOf({ sampler: trainer, trainer })
  const kl = Float32Array.from(trainer, (own, i) => stored((reference[i] as number) - own, i, own))
  const logprobs = { ...view.trajectory.logprobs, reference: Float32Array.from(reference) }
  const facts = logprobFacts({ ...view, trajectory: { ...view.trajectory, logprobs, kl } })
  const rows = Array.from({ length: 20 }, (_, record) => factsOf(record, facts))
  const { verdict, because } = verdictOf('H03', dumpOf(rows))
  return { verdict, follows: because.find(({ measure }) => measure.startsWith('formula that'))?.value }
}

const to = (decimals: number) => (value: number) => Math.round(value * 10 ** decimals) / 10 ** decimals

/** The nearest number of bf16. */
function bf16(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)
  bits[0] = (((bits[0] as number) + 0x7fff + (((bits[0] as number) >>> 16) & 1)) & 0xffff0000) >>> 0
  return new Float32Array(bits.buffer)[0] as number
}

describe('a KL that was computed in bf16', () => {
  /** As trainers do, e^d − 1 − d or e^d − d − 1, each step rounded. */
  const ratioFirst = (d: number) => bf16(bf16(bf16(Math.exp(bf16(d))) - 1) - bf16(d))
  const ratioLast = (d: number) => bf16(bf16(bf16(Math.exp(bf16(d))) - bf16(d)) - 1)

  it.each([
    // Within half a step of 1, most of what is left lies below 0.
    ['tiny', 0.004],
    ['very small', 0.02],
    ['small', 0.01],
    ['larger', 0.05],
    ['middling', 0.3],
  ])('of %s distances is k3, though some of it lies below 0', (_, spread) => {
    for (const stored of [ratioFirst, ratioLast]) {
      expect(judged(spread, stored)).toMatchObject({ verdict: 'contradicted', follows: expect.stringMatching(/^k3/) })
    }
  })

  it.each([
    ['larger', 0.05],
    ['middling', 0.1],
    ['large', 0.15],
  ])('of %s distances is no k3 where its sign is turned round, or where it is one number below 0', (_, spread) => {
    const turned = [(d: number) => bf16(-k3(d)), (d: number) => -ratioFirst(d), () => bf16(-0.007)]
    for (const stored of turned) {
      expect(judged(spread, stored)).toMatchObject({ verdict: 'supported', follows: expect.not.stringMatching(/^k3,/) })
    }
  })

  it('is no k3 where its sign is turned round and all of it lies on the grid of bf16', () => {
    for (const spread of [0.1, 0.11, 0.12, 0.3]) {
      expect(judged(spread, (d) => -ratioLast(d))).toMatchObject({ verdict: 'supported' })
    }
  })

  it('is k3 where the logprobs were rounded to bf16 as well', () => {
    for (const spread of [0.03, 0.2]) {
      const stored = (d: number, _: number, own: number) => ratioFirst(bf16(own + d) - bf16(own))
      expect(judged(spread, stored)).toMatchObject({ verdict: 'contradicted' })
    }
  })

  it('is another formula where it is one, and no k3 where it lies below 0 by more than bf16 rounds', () => {
    expect(judged(0.3, (d) => bf16(-d))).toMatchObject({ follows: expect.stringMatching(/^k1/) })
    expect(judged(0.6, (d) => bf16(k3(-d)))).toMatchObject({ verdict: 'supported' })
    expect(judged(0.1, (d, token) => bf16(k3(d) - (token % 9 === 0 ? 0.25 : 0)))).toMatchObject({
      verdict: 'supported',
    })
  })
})

describe('a stored KL that is rounded', () => {
  it.each([3, 4, 5, 6])('to %d decimals is known as k3', (decimals) => {
    const round = to(decimals)
    expect(judged(0.15, (d) => round(k3(d)))).toMatchObject({
      verdict: 'contradicted',
      follows: expect.stringMatching(/^k3(, rounded to \d decimals)?$/),
    })
    // Where most of it is rounded away, no fit is close.
    expect(judged(12 * 10 ** (-decimals / 2), (d) => round(k3(d)))).toMatchObject({ verdict: 'contradicted' })
  })

  it('is known where it is reversed, and where it is another formula', () => {
    expect(judged(0.6, (d) => to(3)(k3(-d)))).toMatchObject({
      verdict: 'supported',
      follows: expect.stringMatching(/^k3-reversed/),
    })
    expect(judged(0.02, (d) => to(3)(-d))).toMatchObject({
      verdict: 'inconclusive',
      follows: expect.stringMatching(/^k1/),
    })
  })

  it('is no formula that one token disagrees with by more than rounding', () => {
    const round = to(3)
    const off = (d: number, token: number) => round(k3(d)) + (token % 9 === 0 ? 0.002 : 0)
    expect(judged(0.1, off)).toEqual({ verdict: 'inconclusive', follows: 'none of k1, k2, k3, abs' })
  })

  it('tells nothing where all but a few tokens are rounded to nothing', () => {
    expect(judged(0.03, (d, token) => (token === 5 ? 0.001 : to(3)(k3(d) / 2)))).toMatchObject({
      verdict: 'inconclusive',
      follows: 'none of k1, k2, k3, abs',
    })
  })

  it('is not taken for one that is not', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 6 }),
        fc.array(fc.integer({ min: -9999, max: 9999 }), { minLength: 1 }),
        (decimals, whole) => {
          const values = Float32Array.from(whole, (value) => value / 10 ** decimals)
          expect(decimalsOf([...values])).toBeLessThanOrEqual(decimals)
        },
      ),
    )
    expect(decimalsOf([0.001, Math.PI / 100])).toBeNull()
  })
})
