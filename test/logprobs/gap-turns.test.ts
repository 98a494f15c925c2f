import { describe, expect, it } from 'vitest'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import type { LineSums } from '../../shared/checks/logprobs/gap-line.ts'
import { beginningsOff, isDeniedAtFirst, laterTurnsOff, type TurnGap } from '../../shared/checks/logprobs/gap-turns.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { random, viewOfTurns } from './simulated.ts'
import { turnGap } from './turn-gap.ts'

/** Three tokens of which the trainer finds less whatever the sampler finds less. */
const ALONG: LineSums = { n: 3, sumX: -6, sumY: -12, sumXX: 14, sumXY: 27.8, sumYY: 56 }
/** The same distance below each of them: what the sampler was certain of is as unlikely as the rest. */
const BELOW: LineSums = { n: 3, sumX: -6, sumY: -12, sumXX: 14, sumXY: 25.8, sumYY: 50 }

const turn = (mean: number, error: number): TurnGap =>
  turnGap({
    mean,
    error,
    meanAbsolute: Math.abs(mean) + error,
    earlyAbsolute: Math.abs(mean) + error,
    lateAbsolute: Math.abs(mean) + error,
  })

describe('a later turn that the trainer finds less likely', () => {
  it('is off where the engines agree in the first', () => {
    const later = turn(0.9, 0.25)
    expect(laterTurnsOff([turn(0.001, 0.004), later], DEFAULT_THRESHOLDS)).toEqual([later])
  })

  it('is not where noise as large as in the later one cancels out in the first', () => {
    expect(laterTurnsOff([turn(0.001, 0.45), turn(0.9, 0.25)], DEFAULT_THRESHOLDS)).toEqual([])
  })

  it('is where the engines differ a little in the first, and agree on average as little as that', () => {
    const first = { ...turn(0.03, 0.01), meanAbsolute: 0.12, lateAbsolute: 0.12 }
    const later = turn(1.4, 0.25)
    expect(laterTurnsOff([first, later], DEFAULT_THRESHOLDS)).toEqual([later])
  })

  it('is not where the engines differ in the first as well, now up and now down', () => {
    const first = { ...turn(0.001, 0.05), meanAbsolute: 0.25, lateAbsolute: 0.25 }
    expect(laterTurnsOff([first, turn(0.9, 0.1)], DEFAULT_THRESHOLDS)).toEqual([])
  })

  describe('behind a turn that is noisy at its end', () => {
    const first = { ...turn(0.01, 0.01), meanAbsolute: 0.02, lateAbsolute: 0.04 }
    const second = { ...turn(0.09, 0.02), earlyAbsolute: 0.06, lateAbsolute: 0.12 }
    const third = { ...turn(0.2, 0.03), earlyAbsolute: 0.15, lateAbsolute: 0.25 }

    it('is not where the gap grows from token to token and from turn to turn', () => {
      expect(laterTurnsOff([first, second, third], DEFAULT_THRESHOLDS)).toEqual([])
    })

    it('is where the gap is a step', () => {
      const step = turn(1.2, 0.2)
      expect(laterTurnsOff([first, second, step, step], DEFAULT_THRESHOLDS)).toEqual([step, step])
      expect(laterTurnsOff([first, step, third], DEFAULT_THRESHOLDS)).toEqual([step])
    })

    it('is where the turn between is a step of which too little is known', () => {
      const unsure = turn(0.6, 0.5)
      const step = turn(1.2, 0.2)
      expect(laterTurnsOff([first, unsure, step], DEFAULT_THRESHOLDS)).toEqual([step])
    })
  })

  it('is not where the trainer follows the sampler from token to token, however far below', () => {
    const noisy = { ...turn(0.9, 0.25), line: ALONG }
    expect(laterTurnsOff([turn(0.001, 0.004), noisy], DEFAULT_THRESHOLDS)).toEqual([])
    const below = { ...noisy, line: BELOW }
    expect(laterTurnsOff([turn(0.001, 0.004), below], DEFAULT_THRESHOLDS)).toEqual([below])
    const against = { ...noisy, line: { ...ALONG, sumXY: 2 * 24 - ALONG.sumXY } }
    expect(laterTurnsOff([turn(0.001, 0.004), against], DEFAULT_THRESHOLDS)).toEqual([against])
  })

  describe('whose line a token far out has drawn', () => {
    const drawn = { ...turn(0.9, 0.25), line: { ...ALONG, sumXY: 26.6, sumYY: 51.6 } }

    it('is off where most of its tokens lost half of their probability, be they of few that were unsure', () => {
      const halved = { ...drawn, halved: 10 }
      expect(laterTurnsOff([turn(0.001, 0.004), halved], DEFAULT_THRESHOLDS)).toEqual([halved])
      const few = { ...halved, unsure: 2, unsureAgreed: 1 }
      expect(laterTurnsOff([turn(0.001, 0.004), few], DEFAULT_THRESHOLDS)).toEqual([few])
    })

    it('is not where fewer did, or where the trainer follows the sampler', () => {
      expect(laterTurnsOff([turn(0.001, 0.004), { ...drawn, halved: 9 }], DEFAULT_THRESHOLDS)).toEqual([])
      expect(laterTurnsOff([turn(0.001, 0.004), { ...drawn, halved: 20, line: ALONG }], DEFAULT_THRESHOLDS)).toEqual([])
    })

    it('is off in every one of many rollouts behind another context', () => {
      const next = random(1)
      const exponential = () => -Math.log(1 - next())
      const isMissed = (_: unknown, seed: number) => {
        const sampler = Array.from({ length: 40 + (seed % 60) }, () =>
          next() < 0.2 ? 0 : -(next() < 0.25 ? 0.9 : 0.06) * exponential(),
        )
        const trainer = sampler.map((own, at) =>
          at < 20 ? own * 1.01 : own - (at < 24 ? 3 : 1.2) * (0.3 + 0.7 * exponential()),
        )
        return gapOf(viewOfTurns({ sampler, trainer }, [20, sampler.length - 20]))?.affectedTurns.length !== 1
      }
      expect(Array.from({ length: 4000 }, isMissed).filter(Boolean)).toEqual([])
    })
  })

  it('is not where most of what the sampler was not sure of is as likely as it was', () => {
    const few = { ...turn(0.9, 0.25), unsureAgreed: 4 }
    expect(laterTurnsOff([turn(0.001, 0.004), few], DEFAULT_THRESHOLDS)).toEqual([])
  })
})

describe('beginnings of turns that the trainer finds less likely', () => {
  const agrees = { ...turn(0.001, 0.004), headUnsure: 4, headAgreed: 4 }
  /** The engines agree again a few tokens into the turn. */
  const begun = { ...turn(0.6, 0.4), head: 3, headTokens: 4, headError: 0.5, headUnsure: 3, unsureAgreed: 5 }

  it('are off in the later turns, whatever the first one agrees on', () => {
    expect(laterTurnsOff([agrees, begun], DEFAULT_THRESHOLDS)).toEqual([])
    expect(beginningsOff([agrees, begun], DEFAULT_THRESHOLDS)).toEqual([begun])
    expect(beginningsOff([agrees, begun, begun], DEFAULT_THRESHOLDS)).toEqual([begun, begun])
  })

  it('are off where the engines differ in the first turn by a tenth of that, and not by much more', () => {
    const first = { ...agrees, meanAbsolute: 0.25 }
    expect(beginningsOff([first, begun], DEFAULT_THRESHOLDS)).toEqual([begun])
    expect(beginningsOff([{ ...first, meanAbsolute: 0.35 }, begun], DEFAULT_THRESHOLDS)).toEqual([])
  })

  it('are not where the trainer follows the sampler from token to token, unless it lies further below than any noise', () => {
    const noisy = { ...begun, head: 1.4, headLine: ALONG, lateAbsolute: 0.1 }
    expect(beginningsOff([agrees, noisy], DEFAULT_THRESHOLDS)).toEqual([])
    expect(beginningsOff([agrees, { ...noisy, headLine: turnGap({}).headLine }], DEFAULT_THRESHOLDS)).toHaveLength(1)
    expect(beginningsOff([agrees, { ...noisy, head: 1.6 }], DEFAULT_THRESHOLDS)).toHaveLength(1)
  })

  it('are not where the sampler was all but certain of the first turn, which differs by as much', () => {
    const first = { ...agrees, meanAbsolute: 0.03 }
    const noisy = { ...begun, head: 0.45, headTokens: 3, headError: 0.15, tail: 0, lateAbsolute: 0.04 }
    expect(beginningsOff([{ ...first, surprise: 0.05 }, noisy], DEFAULT_THRESHOLDS)).toEqual([noisy])
    expect(beginningsOff([{ ...first, surprise: 0.04 }, noisy], DEFAULT_THRESHOLDS)).toEqual([])
  })

  it('are not where a tenth of that is the noise of what follows, however calm a short first turn is', () => {
    const by = { ...begun, head: 0.585, headTokens: 3, headError: 0.21 }
    expect(beginningsOff([agrees, { ...by, lateAbsolute: 0.05 }], DEFAULT_THRESHOLDS)).toHaveLength(1)
    expect(beginningsOff([agrees, { ...by, lateAbsolute: 0.06 }], DEFAULT_THRESHOLDS)).toEqual([])
    // What lies to the side of the beginning is no noise.
    expect(beginningsOff([agrees, { ...by, lateAbsolute: 0.06, tail: 0.05 }], DEFAULT_THRESHOLDS)).toHaveLength(1)
  })

  it('are off where a line lies through them by chance, if all of them are and nothing before and behind them', () => {
    const by = { ...begun, head: 1.4, headLine: { ...ALONG, n: 4 }, lateAbsolute: 0.1 }
    expect(beginningsOff([agrees, by], DEFAULT_THRESHOLDS)).toEqual([by])
    expect(beginningsOff([agrees, { ...by, headTokens: 3 }], DEFAULT_THRESHOLDS)).toEqual([])
    expect(beginningsOff([agrees, { ...by, lateAbsolute: 0.15 }], DEFAULT_THRESHOLDS)).toEqual([])
    expect(beginningsOff([{ ...agrees, head: -0.15 }, by], DEFAULT_THRESHOLDS)).toEqual([])
    expect(beginningsOff([{ ...agrees, headError: 0.1 }, by], DEFAULT_THRESHOLDS)).toEqual([])
  })

  describe('in every turn', () => {
    const every = { ...begun, head: 0.9, headError: 0.1, tail: 0.1, headErrorByTail: 0.1 }

    it('are off where they pass what follows by more than its noise leaves by chance', () => {
      expect(beginningsOff([every, every], DEFAULT_THRESHOLDS)).toEqual([every, every])
    })

    it.each([
      ['noise lies to one side throughout', { ...every, headError: 0.3, tail: 0.5 }],
      ['what follows is as noisy', { ...every, headErrorByTail: 0.4 }],
    ])('are not where %s', (_, noisy) => {
      expect(beginningsOff([noisy, noisy], DEFAULT_THRESHOLDS)).toEqual([])
    })
  })

  it.each([
    ['the first turn is noisy, too', [{ ...agrees, meanAbsolute: 0.35 }, begun]],
    ['most of what the sampler was not sure of there is as likely as it was', [agrees, { ...begun, headAgreed: 2 }]],
    ['most later turns agree', [agrees, begun, agrees, agrees]],
  ])('are not where %s', (_, turns) => {
    expect(beginningsOff(turns, DEFAULT_THRESHOLDS)).toEqual([])
  })
})

describe('a line that the first turn denies', () => {
  const halved = Math.log(0.5)
  const unlikely = Math.log(0.02)
  const likely = -0.02
  const odds = { of: 'odds', slope: 2, explained: 1, count: 60 } as const
  /** Twelve tokens before two of another turn, whose logprobs say nothing here. */
  const denied = (first: readonly number[], trainer: readonly number[]) => {
    const tokens = Int32Array.from({ length: 14 }, (_, at) => 7 + at)
    const by = (values: readonly number[]) => Float32Array.from({ length: 21 }, (_, at) => values[at - 7] ?? 0)
    const meanAbsolute = first.reduce((sum, own, at) => sum + Math.abs(own - (trainer[at] as number)), 0) / 12
    const turns = [turnGap({ start: 7, count: 12, meanAbsolute }), turnGap({ start: 19, count: 2 })]
    const pairs = {
      tokens,
      sampler: by(first),
      trainer: by(trainer),
      placeholders: [],
      trainerIsOff: false,
      unlikely: [],
      onlyFillers: false,
      unfilled: new Int32Array(0),
    }
    return isDeniedAtFirst(turns, odds, pairs, DEFAULT_THRESHOLDS)
  }
  /** Odds squared. */
  const squared = (own: number) => -Math.log1p(Math.exp(-2 * Math.log(Math.exp(own) / (1 - Math.exp(own)))))

  it('is none of odds where its tokens are nearly certain or as likely as not, which such a line leaves nearly where they are', () => {
    const first = [...Array<number>(10).fill(likely), halved, halved]
    expect(denied(first, first.map(squared))).toBe(false)
  })

  it('is one where the trainer agrees on tokens that it would move', () => {
    const first = [...Array<number>(10).fill(likely), unlikely, unlikely]
    expect(denied(first, first.map(squared))).toBe(false)
    expect(denied(first, first)).toBe(true)
  })
})
