import { loneZerosOf } from '../../../shared/checks/logprobs/fillers.ts'
import { laterDenialsOf } from '../../../shared/checks/logprobs/later-denials.ts'
import { endsDenied } from '../../../shared/checks/logprobs/lone-zeros.ts'
import { liftedTokens } from '../../../shared/checks/logprobs/most-likely.ts'
import type { GapSums } from '../../../shared/checks/logprobs/sums.ts'
import { atOnce } from '../../../shared/model/steps.ts'
import { resolveThresholds } from '../../../shared/model/thresholds/registry.ts'
import { factsOf } from '../../helpers/facts.ts'
import { viewOf, viewOfTurns } from '../../logprobs/simulated.ts'
import { onFacts, severitiesOnFacts } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

const rows = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i))

const gapSums = (largest: number): GapSums => ({
  ...{ count: 100, sum: 0, absolute: 2, squares: 0.1, largest },
  ...{ trainerSum: -50, samplerValues: 80, samplerHash: '0'.repeat(16) },
})

/** Two rollouts with a zero that the trainer denies, among some with another token that is nearly as far off. */
const amongNoise = rows(20, (i) =>
  factsOf(i, {
    gap: gapSums(i % 4 === 1 ? 2 : 0.3),
    ...(i % 10 === 0 ? { loneZeros: [{ token: 30, trainer: -3, turn: 2 }] } : {}),
  }),
)

/** Two rollouts with an end token that the trainer denies, among some with a word that is nearly as far off. */
const endsAmongNoise = rows(20, (i) =>
  factsOf(i, {
    gap: gapSums(i % 4 === 1 ? 2 : 0.3),
    ...(i % 10 === 0
      ? {
          deniedEnd: {
            ...{ token: 30, id: 7, trainer: -3, turn: 2, ordinal: 1 },
            ...{ boundary: 'assistant>end', endsRow: true },
          },
        }
      : {}),
  }),
)

/** Of two versions each, of which the older is further from the trainer in one and nearer in the next. */
const mixedVersions = (count: number) =>
  rows(count, (i) => {
    const mean = i % 2 === 0 ? 0.18 : 0.06
    const listed = i === 0 ? [10, 60] : []
    return factsOf(i, {
      gap: gapSums(0.3),
      versionGaps: {
        older: [50, 50 * mean, 25],
        newest: [50, 5, 25],
        ...{ versions: listed, starts: listed, ends: listed, tokens: listed, means: listed },
      },
    })
  })

/** Twelve rollouts: of 40 tokens that the sampler was sure of the trainer denies 8 in later turns, and one in the first turn of every fourth. */
const deniedLater = rows(12, (i) =>
  factsOf(i, {
    gap: gapSums(4),
    laterDenials: { first: [40, i % 4 === 0 ? 1 : 0], later: [40, 8], turn: 2, span: [50, 100] },
  }),
)

/** Twelve rollouts whose sampler is above the trainer throughout; of the squared gap a multiple of its logprob explains 0.3. */
const filtered = rows(12, (i) =>
  factsOf(i, {
    gap: { ...gapSums(1.5), sum: 15, absolute: 15.1, squares: 6 },
    tilt: {
      logprobs: [100, -60, -75, 100 + i / 100, 114.5 + i / 100, 136 + i / 100],
      odds: [0, 0, 0, 0, 0, 0],
      span: [10, 110],
      own: null,
      otherwise: 'mismatch',
    },
  }),
)

/** Of twelve rollouts ten have tokens that only the sampler finds likely. */
const mostLikely = rows(12, (i) => factsOf(i, { gap: gapSums(4), ...(i < 10 ? { lifted: [4, 4] as const } : {}) }))

/** What is told of one rollout only by the others of the dump. */
export const POOLED_LOGPROB_FLIPS: Flips = {
  'lone-zeros': flip(
    (set) => {
      const sampler: number[] = rows(200, (i) => (i === 30 ? 0 : -0.4))
      const view = viewOf({ sampler, trainer: sampler.with(30, -3) })
      return loneZerosOf({ ...view, thresholds: resolveThresholds(set) })?.length ?? 'none'
    },
    0,
    1,
    'none',
  ),
  'sure-token': flip(
    (set) => {
      const sampler: number[] = rows(60, () => -0.05)
      const view = viewOfTurns({ sampler, trainer: sampler.with(40, -3) }, [30, 30])
      return laterDenialsOf({ ...view, thresholds: resolveThresholds(set) })?.later ?? 'none'
    },
    0.01,
    [30, 1],
    'none',
  ),
  'unlikely-token': flip(
    (set) => {
      const sampler: number[] = rows(60, (i) => (i < 45 ? -0.5 : -0.6))
      const view = viewOf({ sampler, trainer: sampler.with(30, -3.5).with(50, -2.5) })
      return liftedTokens({ ...view, thresholds: resolveThresholds(set) }) ?? 'none'
    },
    -2,
    [1, 1],
    [2, 2],
  ),
  'most-likely-rollouts': flip(onFacts('L06', mostLikely), 0.9, 10, 'silent'),
  'denied-end-others': flip((set) => atOnce(endsDenied(endsAmongNoise, resolveThresholds(set))).length, 1, 2, 0),
  'lone-zero-others': flip(onFacts('L05', amongNoise), 0.1, 'silent', 2),
  'lone-zero-beyond': flip(onFacts('L05', amongNoise), 1, 'silent', 2),
  'denied-share': flip(onFacts('L02', deniedLater), 0.5, 9, 'silent'),
  'denied-times': flip(onFacts('L02', deniedLater), 1, 9, 12),
  'denied-standard-errors': flip(onFacts('L02', deniedLater), 5, 9, 'silent'),
  'renormalised-tokens': flip(onFacts('L04', filtered), 500, 12, 'silent'),
  'renormalised-one-sided': flip(onFacts('L01', filtered), 1, 'silent', 12),
  'renormalised-explained-least': flip(onFacts('L04', filtered), 0.4, 12, 'silent'),
  'renormalised-explained-most': flip(onFacts('L04', filtered), 0.2, 12, 'silent'),
  'versions-rollouts': flip(severitiesOnFacts('L09', mixedVersions(6)), 2, ['warning'], ['info']),
  'versions-standard-errors': flip(severitiesOnFacts('L09', mixedVersions(12)), 0, ['info'], ['warning']),
}
