import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { correlation, shown } from './statistics.ts'

/** A07. The loss is a mean over each rollout first, so a token of a long rollout counts for less than one of a short rollout. */
export const lengthBias: Check = {
  code: 'A07',
  name: 'length-bias',
  title: 'Tokens of long rollouts count for less',
  hypotheses: ['H01'],
  severity: 'warning',
  unit: 'source',
  needs: ['ids', 'mask', 'advantages'],
  looksAt: 'the loss type',
  why: 'With a mean per rollout, long failures are punished mildly and short successes rewarded strongly: failures grow long.',
  fix: 'Use a mean over all tokens (dapo, bnpo) or a constant divisor (dr_grpo).',
  cite: 'TRL#3256, TRL#3138, verl#2435, understand-r1-zero#11, open-instruct#1161, slime#365',
  dump: lookAtLengths,
}

function lookAtLengths(view: DumpView, report: DumpReporter): void {
  const { options, thresholds } = view.settings
  const { lossType } = options
  const rows = view.facts.filter(
    ({ advantage, trained, excluded }) => advantage !== null && (trained ?? 0) > 0 && !excluded,
  )
  if (rows.length < thresholds['length-rollouts']) return
  if (lossType === undefined) {
    report.abstain('not-checkable', 'nothing tells how the loss is averaged: declare the loss type')
    return
  }
  const lengths = rows.map(({ trained }) => trained as number).sort((a, b) => a - b)
  const [short, middle, long] = [0.1, 0.5, 0.9].map((q) => lengths[Math.floor(q * (lengths.length - 1))] as number)
  const ratio = (long as number) / (short as number)
  const affected = lossType === 'grpo' && ratio >= thresholds['length-ratio']
  report.unit(affected)
  report.place(affected)
  if (!affected) return
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const longest = lengths.at(-1) as number
  const weights = (length: number) => ({
    trained_tokens: length,
    grpo: 1 / (rows.length * length),
    dapo: 1 / total,
    bnpo: 1 / total,
    dr_grpo: 1 / (rows.length * (view.limits.max_completion_length?.value ?? longest)),
  })
  report.fault({
    message: `A token of a short rollout (${short} trained tokens) counts ${shown(Math.round(ratio * 10) / 10)} times as much as one of a long rollout (${long})`,
    evidence: {
      loss_type: lossType,
      weight_of_a_token: {
        short: weights(short as number),
        middle: weights(middle as number),
        long: weights(long as number),
      },
      correlation_of_length_and_advantage: lengthCorrelation(rows),
      among_positive_advantages: lengthCorrelation(rows.filter(({ advantage }) => (advantage as number) > 0)),
      among_negative_advantages: lengthCorrelation(rows.filter(({ advantage }) => (advantage as number) < 0)),
      rollouts: rows.length,
    },
  })
}

function lengthCorrelation(rows: readonly TrajectoryFacts[]): number | null {
  return correlation(
    rows.map(({ trained }) => trained as number),
    rows.map(({ advantage }) => advantage as number),
  )
}
