import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { gapOf } from '../../../shared/checks/logprobs/gap.ts'
import { beginningsOff, laterTurnsOff, type TurnGap } from '../../../shared/checks/logprobs/gap-turns.ts'
import { pairsOf } from '../../../shared/checks/logprobs/scored.ts'
import type { GapSums, KlSums } from '../../../shared/checks/logprobs/sums.ts'
import { resolveThresholds } from '../../../shared/model/thresholds/registry.ts'
import { scoredRows } from '../../fixtures/checks/logprob-rows.ts'
import { factsOf } from '../../helpers/facts.ts'
import { factsFrom, rollouts } from '../../logprobs/rollouts.ts'
import { logSoftmax, random, type SimulatedScores, simulate, viewOf } from '../../logprobs/simulated.ts'
import { turnGap } from '../../logprobs/turn-gap.ts'
import { cause, type Outcome, onFacts, onFixture, onRows, verdict } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

const rows = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i))

/** Scores of a row: what the sampler says, and by how much the trainer finds a token less likely. */
function scores(length: number, gap: (i: number, next: () => number) => number, seed = 5): SimulatedScores {
  const next = random(seed)
  const sampler = rows(length, () => -(next() ** 2) * 2 - 0.01)
  return { sampler, trainer: sampler.map((own, i) => Math.min(0, own - gap(i, next))) }
}

/** The first four tokens are 1.6 less likely to the trainer, as where it does not see what stands before them. */
const lostHead = scores(60, (i, next) => (i < 4 ? 1.6 : 0.2 * next()))
/** The same on average, and much more so for two of the four. */
const unevenHead = scores(60, (i, next) => (i < 4 ? 0.5 + 2 * (i % 2) : 0.2 * next()))
/** Beginnings that are off behind a first turn in which the engines differ by 0.04. */
const laterBeginning: Outcome = (set) =>
  beginningsOff(
    [turnGap({ meanAbsolute: 0.04 }), turnGap({ meanAbsolute: 0.5, head: 1.6, headTokens: 4, headError: 0.5 })],
    resolveThresholds(set),
  ).length

/** Of the later turn every token is as far below the sampler, on this line. */
const laterBelow =
  (more: Partial<TurnGap>): Outcome =>
  (set) =>
    laterTurnsOff(
      [
        turnGap({ meanAbsolute: 0.004, lateAbsolute: 0.004 }),
        turnGap({ mean: 0.9, meanAbsolute: 0.9, earlyAbsolute: 0.9, ...more }),
      ],
      resolveThresholds(set),
    ).length
const ofSlope = (slope: number, sumYY: number) => ({
  line: { n: 3, sumX: -6, sumY: -12, sumXX: 14, sumXY: 24 + 2 * slope, sumYY },
})

/** Every fourth token is far less likely to the trainer, and the others are as likely. */
const coarse = scores(80, (i) => (i % 4 === 1 ? 4 : 0))
/** Every token is less likely to the trainer, by an amount of its own. */
const otherContext = scores(80, (_, next) => 0.05 + 3 * next() ** 2)
/** The same by 0.6 or more, and one token far out, which draws a line through them. */
const bent = scores(80, (i, next) => (i === 9 ? 7 : 0.6 + next()))
bent.sampler[9] = -3
bent.trainer[9] = -10
const renormalised = scores(80, (i, next) => (i % 8 === 0 ? -0.05 : 0.1 + 0.1 * next()))

/** A trainer that divides by a temperature of 0.97, and a sampler that rounds likely tokens to certain ones. */
const even = scores(160, () => 0).sampler
const nearOne = {
  sampler: even.map((own, i) => (i % 8 === 0 ? 0 : own)),
  trainer: even.map((own, i) => (i % 8 === 0 ? -0.01 : own / 0.97)),
}

/** A sampler that scores at temperature 1 and a trainer that divides the logits. */
const tilted = (temperature: number, length = 400) =>
  simulate(11, length, (logits) => ({ sampler: logSoftmax(logits), trainer: logSoftmax(logits, temperature) }))

const line =
  (given: SimulatedScores): Outcome =>
  (set) => {
    const gap = gapOf({ ...viewOf(given), thresholds: resolveThresholds(set) })
    return gap?.cause === 'temperature' ? gap.line.of : (gap?.cause ?? null)
  }

/** A trainer at a temperature of 0.95, which the rollouts declare. */
const declared = factsFrom(rollouts(32, { trainer: 0.95 }), () => ({ temperature: 0.95 }))
/** One rollout of 128 has a line of its own. */
const lone = factsFrom(rollouts(128, (record) => (record < 1 ? { trainer: 0.5, length: 400 } : {})))
/** A policy that grows sharper than its sampler, step by step. */
const sharpened = factsFrom(
  rollouts(96, (record) => ({ trainer: 0.6 ** ((record % 12) / 11) })),
  (record) => ({ step: record % 12 }),
)

/** An exact 0 of the sampler that the trainer contradicts, as it does with a tenth of the other tokens. */
const trainerOff = scores(60, (i) => (i % 10 === 1 ? 1 : 0))
const placeholders: Outcome = (set) => {
  const sampler = trainerOff.sampler.map((own, i) => (i === 30 ? 0 : own))
  const trainer = trainerOff.trainer.map((own, i) => (i === 30 ? -3 : own))
  return pairsOf({ ...viewOf({ sampler, trainer }), thresholds: resolveThresholds(set) })?.placeholders.length
}

/** A fifth of the tokens certain; of both kinds the trainer contradicts one in twenty or so. */
const fatTail = scores(200, (i) => (i % 40 === 1 ? 1 : 0))
const tailPlaceholders: Outcome = (set) => {
  const sampler = fatTail.sampler.map((own, i) => (i % 5 === 0 ? 0 : own))
  const trainer = fatTail.trainer.map((own, i) => (i % 5 === 0 ? (i === 10 || i === 30 ? -3 : 0) : own))
  return pairsOf({ ...viewOf({ sampler, trainer }), thresholds: resolveThresholds(set) })?.placeholders.length
}

/** The one exact 0 of a row, which the trainer contradicts by this much, and by how much it does the others. */
const loneZero =
  (contradicted: number, gap: (i: number) => number): Outcome =>
  (set) => {
    const row = scores(200, gap)
    const [sampler, trainer] = [row.sampler.with(30, 0), row.trainer.with(30, -contradicted)]
    return pairsOf({ ...viewOf({ sampler, trainer }), thresholds: resolveThresholds(set) })?.placeholders.length
  }
/** Two of the four tokens nearest to it are contradicted as well. */
const besideOthers = loneZero(3, (i) => (i === 28 || i === 32 ? 1 : 0))

/** 100 tokens with this mean gap. */
const gapSums = (mean: number, more: Partial<GapSums> = {}): GapSums => ({
  ...{ count: 100, sum: 0, absolute: 100 * mean, squares: 100 * mean * mean, largest: mean * 2 },
  ...{ trainerSum: -50, samplerValues: 80, samplerHash: '0'.repeat(16) },
  ...more,
})

const stepsOf = (gap: (step: number) => number, steps = 12): TrajectoryFacts[] =>
  rows(60, (i) => factsOf(i, { step: i % steps, gap: gapSums(gap(i % steps)) }))

/** It grows, with a fall every third step. */
const unsteady = stepsOf((step) => 0.12 + 0.02 * step - (step % 3 === 0 ? 0.11 : 0))

/** It grows, and so does the lag, by a fifth of a step at every step. */
const everLater = stepsOf((step) => 0.01 + 0.02 * step).map((row) => ({ ...row, version: (row.step ?? 0) * 0.8 }))

/** The same text, scored by the sampler as before; the trainer moved by a hundredth of a nat. */
const frozen = [1, 2].map((step) =>
  factsOf(step, { step, idsHash: 'ids', promptHash: 'prompt', gap: gapSums(0.01, { trainerSum: -50 - step }) }),
)

/** Rows whose stored KL is `stored` of d = reference − trainer, on forty tokens. */
function withKl(of: (k: number) => number, stored: ((d: number) => number) | null, more: Partial<KlSums> = {}) {
  const ds = rows(40, of)
  const each = ds.map((d) => [-d, (d * d) / 2, Math.exp(d) - d - 1, Math.exp(-d) + d - 1])
  const kept = ds.map((d) => stored?.(d) ?? 0)
  const sums = (value: (k: number) => number) => ds.reduce((sum, _, k) => sum + value(k), 0)
  const overFormulas = (value: (k: number, f: number) => number) => [0, 1, 2, 3].map((f) => sums((k) => value(k, f)))
  const k3 = each.map(([, , value]) => value as number)
  const kl: KlSums = {
    count: 40,
    formulas: overFormulas((k, f) => each[k]![f]!),
    largest: Math.max(...k3),
    largestToken: k3.indexOf(Math.max(...k3)),
    trainerSum: -40,
    referenceSum: -41,
    stored: stored && {
      count: 40,
      sum: sums((k) => kept[k]!),
      least: Math.min(...kept),
      leastToken: kept.indexOf(Math.min(...kept)),
      squares: sums((k) => kept[k]! ** 2),
      products: overFormulas((k, f) => kept[k]! * each[k]![f]!),
      formulaSquares: overFormulas((k, f) => each[k]![f]! ** 2),
    },
    declared: null,
    ...more,
  }
  return [factsOf(0, { kl })]
}
const k3 = (d: number) => Math.exp(d) - d - 1

/** Small differences, for which k2 is nearly k3. */
const declaredK2 = withKl((k) => (k - 20) / 200, k3, { declared: 'k2' })
/** One token of k3 = 16.1, the others of hundredths. */
const outlier = withKl((k) => (k === 7 ? 3 : 0.1), null)

/** The stored mean is 2 % off that over all tokens, and far from that over the trained ones. */
const roundedMean = onRows('L11', {
  family: 'qwen2.5',
  rows: scoredRows((_scores, row) => {
    const entropy = row.sampled.map((flag) => (flag ? 0.2 : 2))
    row.record.entropy = entropy
    row.record.meta = { entropy_mean: (1.02 * entropy.reduce((sum, value) => sum + value, 0)) / entropy.length }
  }),
})

/** -100 on a token that the trainer finds likely. */
const neverDrawn = onRows('L05', {
  family: 'qwen2.5',
  rows: scoredRows(({ sampler, trainer, sampled }) => {
    sampler[sampled[3] as number] = -100
    trainer[sampled[3] as number] = -0.4
  }),
})
/** -100 on two tokens, where no trainer scored any. */
const recurring = onRows('L05', {
  family: 'qwen2.5',
  rows: scoredRows(({ sampler, sampled }, { record }) => {
    for (const index of [3, 8]) sampler[sampled[index] as number] = -100
    delete record.logprobs?.trainer
  }),
})

/** Logprobs of sampler, trainer and reference. */
export const LOGPROB_FLIPS: Flips = {
  'logprob-above-zero': flip(onFixture('L05.trips'), 2, 3, 'silent'),
  'least-logprob': flip(onFixture('L05.nearMiss'), -0.5, 'silent', 6),
  'never-drawn': flip(neverDrawn, -200, 3, 'silent'),
  'contradicts-never-drawn': flip(neverDrawn, -0.1, 3, 'silent'),
  'least-forced': flip(recurring, -200, 3, 'silent'),
  'scored-tokens': flip(onFixture('L01.trips'), 240, 3, 'silent'),
  'engines-agree': flip(onFixture('L03.trips'), 100, 3, 'silent'),
  'engines-differ': flip(onFixture('L01.trips'), 0.1, 3, 'silent'),
  'gap-standard-errors': flip(onFixture('L01.trips'), 20, 3, 'silent'),
  'large-gap': flip(onFixture('L12.trips'), 1.4, 3, 'silent'),
  'turn-head-tokens': flip(cause(lostHead), 60, 'context', 'mismatch'),
  'turn-head-times': flip(cause(lostHead), 100, 'context', 'mismatch'),
  'turn-head-gap': flip(cause(lostHead), 2, 'context', 'mismatch'),
  'turn-head-large': flip(cause(lostHead), 5, 'context', 'mismatch'),
  'turn-head-standard-errors': flip(cause(unevenHead), 2, 'mismatch', 'context'),
  'turn-head-sure': flip(cause(lostHead), 2, 'context', 'mismatch'),
  'turn-head-over-first': flip(laterBeginning, 50, 1, 0),
  'unsure-token': flip(cause(coarse), 100, 'mismatch', 'context'),
  'unsure-moved': flip(cause(coarse), 0, 'mismatch', 'context'),
  'unsure-agreed': flip(cause(coarse), 1, 'mismatch', 'context'),
  'turn-tokens': flip(onFixture('L02.trips'), 80, 3, 'silent'),
  'turn-gap-times': flip(onFixture('L02.trips'), 1_000_000, 3, 'silent'),
  'turn-gap': flip(onFixture('L02.trips'), 1, 3, 'silent'),
  'one-sided-gap': flip(cause(otherContext), 2, 'context', 'mismatch'),
  'one-sided-share': flip(
    cause({ ...otherContext, trainer: otherContext.trainer.map((own, i) => (i === 9 ? 0 : own)) }),
    1,
    'context',
    'mismatch',
  ),
  'context-explained': flip(cause(otherContext), 0, 'context', 'mismatch'),
  'context-certain': flip(laterBelow(ofSlope(0.9, 50)), 1.2, 1, 0),
  'context-certain-where-halved': flip(laterBelow({ ...ofSlope(1.3, 51.6), halved: 20 }), 0.8, 1, 0),
  'context-halves': flip(cause(bent), 1, 'context', 'mismatch'),
  'context-explained-at-most': flip(cause(bent), 0.5, 'context', 'mismatch'),
  'temperature-explains-logprobs': flip(
    line({ sampler: lostHead.sampler, trainer: lostHead.sampler.map((own) => own / 0.7) }),
    1,
    'logprobs',
    'odds',
  ),
  'temperature-explains-odds': flip(line(tilted(0.5)), 1, 'odds', 'mismatch'),
  'temperature-slope': flip(onFixture('L03.trips'), 2, 3, 'silent'),
  'slope-standard-errors': flip(line(tilted(0.5)), 100, 'odds', 'mismatch'),
  'temperature-standard-errors': flip(line(tilted(0.5)), 100, 'odds', 'mismatch'),
  'temperature-share': flip(onFacts('L03', lone), 0.001, 'silent', 1),
  'pooled-rollouts': flip(onFacts('L03', declared), 64, 32, 'silent'),
  'declared-slope': flip(onFacts('L03', declared), 1.1, 32, 'silent'),
  'declared-off': flip(onFacts('L03', declared), 0.1, 32, 'silent'),
  'early-slope': flip(onFacts('L03', sharpened), 0, 17, 69),
  'odds-most': flip(line(tilted(0.5)), -6, 'odds', 'mismatch'),
  'odds-least': flip(line(tilted(0.5)), -0.3, 'odds', 'mismatch'),
  'odds-beyond': flip(line(tilted(0.3, 60)), 1, 'odds', 'mismatch'),
  'renormalised-gap': flip(onFixture('L04.trips'), 0.1, 3, 'silent'),
  'renormalised-share': flip(
    cause({
      sampler: renormalised.sampler.map((own, i) => (i % 8 === 4 ? 0 : own)),
      trainer: renormalised.trainer.map((own, i) => (i % 8 === 4 ? -0.15 : own)),
    }),
    0.95,
    'renormalised',
    'mismatch',
  ),
  'renormalised-most': flip(onFixture('L04.trips'), 0.07, 3, 'silent'),
  'renormalised-zeros': flip(onFixture('L04.trips'), 0.3, 3, 'silent'),
  'renormalised-in-proportion': flip(cause(nearOne), 100, 'none', 'renormalised'),
  'not-certain': flip(onFixture('L04.trips'), 0.1, 3, 'silent'),
  'contradicts-zero': flip(onFixture('M14.trips'), -50, 3, 'silent'),
  'trainer-is-off': flip(placeholders, 0.2, 0, 1),
  'zeros-beside-others': flip(tailPlaceholders, 1, 0, 2),
  'zero-beyond-noise': flip(
    loneZero(0.9, (i) => (i % 2 === 0 ? 0.2 : -0.2)),
    3,
    0,
    1,
  ),
  'zero-neighbours': flip(besideOthers, 2, 0, 1),
  'zero-neighbours-off': flip(besideOthers, 3, 0, 1),
  'shift-correlates': flip(onFixture('L06.trips'), 1, 3, 'silent'),
  'unshifted-correlates': flip(onFixture('L06.trips'), -1, 3, 'silent'),
  'shift-leaves': flip(onFixture('L06.trips'), 0, 3, 'silent'),
  'equal-values': flip(onFixture('L07.trips'), 160, 3, 'silent'),
  'tail-tokens': flip(onFixture('L12.trips'), 6, 3, 'silent'),
  'tail-share-least': flip(onFixture('L12.trips'), 0.3, 3, 'silent'),
  'tail-share-most': flip(onFixture('L12.trips'), 0.02, 3, 'silent'),
  'trend-steps': flip(onFixture('L08.trips'), 16, 5, 'not-checkable'),
  'trend-rank': flip(onFacts('L08', unsteady), 0.4, 'silent', 30),
  'trend-growth': flip(onFixture('L08.trips'), 20, 5, 'silent'),
  'same-lag': flip(onFacts('L08', everLater), 0, 'silent', 30),
  'trainer-moved': flip(onFacts('L08', frozen), 0.005, 'not-checkable', 1),
  'kl-unexplained': flip(onFixture('L10.trips'), 0, 3, 'silent'),
  'kl-worse': flip(onFacts('L10', declaredK2), 1_000_000, 1, 'silent'),
  'kl-rounding': flip(onFacts('L10', declaredK2), 0.01, 1, 'silent'),
  'kl-tokens': flip(onFixture('L10.trips'), 320, 3, 'silent'),
  'kl-outlier': flip(onFacts('L10', outlier), 20, 1, 'silent'),
  'kl-outlier-share': flip(onFacts('L10', outlier), 1, 1, 'silent'),
  'same-mean': flip(roundedMean, 0.03, 'silent', 3),
  'other-mean': flip(onFixture('L11.trips'), 1, 3, 'silent'),
  'h06-lora-gap-supported': flip(
    verdict(
      'H06-lora',
      stepsOf((step) => 0.01 + 0.01 * step),
    ),
    0.08,
    'supported',
    'inconclusive',
  ),
  'h06-lora-gap-contradicted': flip(
    verdict(
      'H06-lora',
      stepsOf((step) => 0.03 + 0.001 * (step % 3)),
    ),
    0.04,
    'inconclusive',
    'contradicted',
  ),
  'h06-lora-off-share': flip(
    verdict(
      'H06-lora',
      stepsOf((step) => (step === 3 ? 0.09 : 0.005)),
    ),
    0.5,
    'inconclusive',
    'contradicted',
  ),
  'h03-kl-supported': flip(
    verdict(
      'H03',
      withKl(() => 3.2, null),
    ),
    25,
    'supported',
    'inconclusive',
  ),
  'h03-kl-contradicted': flip(
    verdict(
      'H03',
      withKl((k) => 0.5 + k / 20, k3),
    ),
    3,
    'inconclusive',
    'contradicted',
  ),
  'h03-least-kl': flip(
    verdict(
      'H03',
      withKl(
        (k) => (k - 20) / 20,
        (d) => d ** 3 / 100,
      ),
    ),
    -1,
    'supported',
    'inconclusive',
  ),
}
