import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { recogniseDefects } from '../../helpers/at-once.ts'
import { dumpOf, factsOf, groupFacts } from '../../helpers/facts.ts'
import { resultOf } from '../../hypotheses/input.ts'
import { confidence, type Outcome, verdict } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

/** Groups of four, `noisy` of ten with rewards a hundredth apart. */
const noisy = (count: number) =>
  groupFacts(Array.from({ length: 10 }, (_, k) => (k < count ? [0.5, 0.51, 0.5, 0.5] : [0, 1, 0, 1])))
const scaled = { options: { scaleRewards: 'group' as const } }

/** `near` of a hundred rollouts end at the limit of 200 tokens, `cut` of them in the open. */
const nearLimit = (near: number, cut: number) =>
  rows(100, (i) => ({ realLength: i < near ? 200 : 100 + (i % 50), ...(i < cut ? { endReason: 'cut-prose' } : {}) }))
const limited = { limits: { max_seq_len: 200 } }

const documents = (visible: number) =>
  rows(20, (i) => ({ supportingDocuments: { available: 1, retrieved: 1, visible: i < visible ? 1 : 0, standing: 1 } }))

const groups = (of: (k: number) => readonly number[]) => groupFacts(Array.from({ length: 10 }, (_, k) => of(k)))

/** A fault in half of the first turns and in this many of the hundred second ones. */
const inTurns = (first: number, later: number) => ({
  checks: [resultOf('M01', { affected: Math.max(first, later), by_turn: { 1: first, 2: later } })],
})

/** Rewards of some training steps, of a task of one turn and of one of several. */
const steps = (assistantTurns: number, reward: (step: number) => number, noise = 0.01, count = 12) =>
  rows(4 * count, (i) => ({ assistantTurns, step: i >> 2, reward: reward(i >> 2) + (i % 4) * noise }))
const level = (step: number) => 0.5 + (step % 2) * 0.02
const flat = steps(3, level)
/** Of four groups a step one has a rollout that is rewarded. */
const seldom = rows(384, (i) => ({
  ...{ assistantTurns: 1, step: i >> 4, group: `g${i >> 2}` },
  reward: i % 16 === 0 ? 1 : 0,
}))
/** Rises by 0.06 in eleven steps, now and then by a step back. */
const slow = steps(1, (step) => 0.5 + 0.006 * step - (step % 3 === 2 ? 0.014 : 0))

const pair = (i: number, tools = 't') => ({
  pairing: { question: `q${i}`, system: 's', tools, answer: `a${i % 2}${i}`, opening: 'plain words:the' },
})
const run = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  rows(count, (i) => ({ ...pair(i), promptHash: `p${i}`, reward: 1, ...more(i) }))
/** The same questions in another run, whose records are its own. */
const another = (count: number, more: (i: number) => Partial<TrajectoryFacts>) =>
  run(count, (i) => ({ recordHash: `another ${i}`, ...more(i) }))

/** Ten questions of one rollout are cut, from this one on. */
const cutIn = (from: number) => (i: number) => ({
  endReason: i >= from && i < from + 10 ? ('cut-prose' as const) : ('stop' as const),
})

/** What a loss mask that hides the context of every rollout explains, where 60 of 100 rollouts have a gap. */
const gapOfADefect: Outcome = (set) => {
  const checks = [resultOf('M15', { affected: 100 }), resultOf('L01', { affected: 60, pattern: 'systematic' })]
  const { defects } = recogniseDefects(checks, dumpOf(rows(100), { options: { thresholds: set } }))
  return defects.flatMap(({ symptoms }) => symptoms.map(({ code }) => code)).includes('L01')
}

/** When a verdict falls, and what a defect explains. */
export const VERDICT_FLIPS: Flips = {
  'symptom-share': flip(gapOfADefect, 0.7, true, false),
  'confidence-high-rollouts': flip(confidence('H07', rows(40)), 30, 'medium', 'high'),
  'confidence-low-rollouts': flip(confidence('H07', rows(8)), 5, 'low', 'medium'),
  'h01-amplified-supported': flip(verdict('H01', noisy(1), scaled), 0.1, 'inconclusive', 'supported'),
  'h01-amplified-contradicted': flip(verdict('H01', noisy(1), scaled), 0.15, 'inconclusive', 'contradicted'),
  'h02-weight-supported': flip(verdict('H02', rows(60), { unsampledWeight: 5 }), 0.004, 'inconclusive', 'supported'),
  'h02-weight-contradicted': flip(
    verdict('H02', rows(60), { unsampledWeight: 5 }),
    0.006,
    'inconclusive',
    'contradicted',
  ),
  'h02-untrained-share': flip(verdict('H02', rows(60), { untrainedShare: 0.02 }), 0.05, 'inconclusive', 'contradicted'),
  'h02-unfit-share': flip(
    verdict('H02', [...rows(55), ...rows(5, (i) => factsOf(55 + i, { unfit: true }))], {
      checks: [resultOf('M02'), resultOf('S03', { affected: 5 })],
    }),
    0.1,
    'inconclusive',
    'contradicted',
  ),
  'h04-near-limit-supported': flip(verdict('H04', nearLimit(15, 0), limited), 0.1, 'inconclusive', 'supported'),
  'h04-near-limit-contradicted': flip(verdict('H04', nearLimit(15, 0), limited), 0.16, 'inconclusive', 'contradicted'),
  'h04-lost-share': flip(verdict('H04', nearLimit(5, 5), limited), 0.04, 'inconclusive', 'supported'),
  'h04-visible-share': flip(
    verdict('H04', documents(14), { limits: { max_seq_len: 900 } }),
    0.6,
    'supported',
    'contradicted',
  ),
  'h05-flat-share': flip(
    verdict(
      'H05',
      groups((k) => (k < 4 ? [1, 1] : [0, 1])),
    ),
    0.4,
    'contradicted',
    'supported',
  ),
  'h05-within-share': flip(
    verdict(
      'H05',
      groups((k) => [k / 9, k / 9 + 0.3]),
    ),
    0.3,
    'contradicted',
    'supported',
  ),
  'h05-contrast': flip(
    verdict(
      'H05',
      groups((k) => [k / 9, k / 9 + 0.3]),
    ),
    1,
    'contradicted',
    'supported',
  ),
  'h06-library-rank': flip(verdict('H06-library', flat, { against: slow }), 0.9, 'contradicted', 'inconclusive'),
  'h06-library-gain': flip(verdict('H06-library', flat, { against: slow }), 0.1, 'contradicted', 'inconclusive'),
  'h06-library-rise': flip(
    verdict('H06-library', steps(3, level, 0.01, 24), { against: steps(1, level, 0.01, 24) }),
    0.001,
    'supported',
    'inconclusive',
  ),
  'h06-library-contrast': flip(
    verdict('H06-library', steps(3, level, 0.01, 24), { against: seldom }),
    0.3,
    'supported',
    'inconclusive',
  ),
  'h06-library-steps': flip(
    verdict('H06-library', flat, { against: steps(1, level) }),
    12,
    'inconclusive',
    'supported',
  ),
  'run-standard-errors': flip(verdict('H06-library', flat, { against: slow }), 20, 'contradicted', 'inconclusive'),
  'h07-times': flip(verdict('H07', rows(100), inTurns(20, 60)), 2, 'contradicted', 'supported'),
  'h07-turns': flip(verdict('H07', rows(3), inTurns(0, 3)), 4, 'supported', 'inconclusive'),
  'h07-chance': flip(
    verdict(
      'H07',
      rows(100, () => ({ assistantTurns: 2 })),
      {
        checks: [resultOf('C05', { affected: 7 })],
        against: rows(100, () => ({ assistantTurns: 1 })),
        checksAgainst: [resultOf('C05')],
      },
    ),
    0.01,
    'contradicted',
    'supported',
  ),
  'h08-pairs-share': flip(
    verdict('H08', run(50), { against: another(50, (i) => pair(i, i < 2 ? 'x' : 't')) }),
    0.03,
    'contradicted',
    'supported',
  ),
  'h08-ends-chance': flip(
    verdict('H08', run(50, cutIn(0)), { against: another(50, cutIn(10)) }),
    0.1,
    'contradicted',
    'supported',
  ),
  'h08-like-answers': flip(
    verdict('H08', run(4), { against: another(4, () => ({ reward: 0 })) }),
    5,
    'supported',
    'inconclusive',
  ),
  'h08-reward-gap': flip(
    verdict('H08', run(50), { against: another(50, () => ({ reward: 0.8 })) }),
    0.3,
    'supported',
    'contradicted',
  ),
}
