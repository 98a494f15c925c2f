import { count, counted } from '../../model/number-text.ts'
import { filtered, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { correlation, shown, trainedIn } from './statistics.ts'
import { LOSS_TYPES, lossWeights, type RolloutWeight } from './token-weights.ts'

/** A07. The loss is a mean over each rollout first, so a token of a long rollout counts for less than one of a short rollout. */
export const lengthBias: Check = {
  code: 'A07',
  name: 'length-bias',
  title: 'Tokens of long rollouts count for less',
  hypotheses: ['H01'],
  severity: 'warning',
  unit: 'source',
  needs: ['ids', 'mask', 'advantages'],
  looksAt: 'batches of rollouts that have one advantage each',
  why: 'With a mean per rollout, long failures are punished mildly and short successes rewarded strongly: failures grow long.',
  fix: 'Use a mean over all tokens (dapo, bnpo) or a constant divisor (dr_grpo).',
  cite: 'TRL#3256, TRL#3138, verl#2435, understand-r1-zero#11, open-instruct#1161, slime#365',
  dump: lookAtLengths,
}

function* lookAtLengths(view: DumpView, report: DumpReporter): Steps<void> {
  const { options, thresholds } = view.settings
  const { lossType } = options
  const rows = yield* filtered(
    view.facts,
    ({ advantage, trained, excluded }) => advantage !== null && (trained ?? 0) > 0 && !excluded,
  )
  if (rows.length < thresholds['length-rollouts']) {
    const byToken = view.facts.filter(({ advantage, maxAdvantage }) => advantage === null && maxAdvantage !== null)
    if (byToken.length >= thresholds['length-rollouts'])
      report.abstain(
        'not-checkable',
        'advantages are given token by token: too few rollouts have one that length shares out',
      )
    return
  }
  if (lossType === undefined) {
    report.abstain('not-checkable', 'nothing tells how the loss is averaged: declare the loss type')
    return
  }
  const sorted = rows.toSorted((a, b) => (a.trained as number) - (b.trained as number))
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as TrajectoryFacts
  const [short, middle, long] = [at(0.1), at(0.5), at(0.9)]
  const ratio = (long.trained as number) / (short.trained as number)
  const affected = lossType === 'grpo' && ratio >= thresholds['length-ratio']
  report.unit(affected)
  report.place(affected)
  if (!affected) return
  const byType = LOSS_TYPES.map((type) => {
    const weights = lossWeights(view, type)
    return { type, weights, token: new Map(weights.rollouts.map(({ facts, token }) => [facts, token])) }
  })
  const weightsOf = (row: TrajectoryFacts) => ({
    trained_tokens: row.trained,
    ...Object.fromEntries(byType.map(({ type, token }) => [type, token.get(row) ?? null])),
  })
  report.fault({
    ...trainedIn(rows),
    message: `A token of a short rollout (${counted(short.trained as number, 'trained token')}) counts ${shown(Math.round(ratio * 10) / 10)} times as much as one of a long rollout (${count(long.trained as number)})`,
    evidence: {
      loss_type: lossType,
      weight_of_a_token: { short: weightsOf(short), middle: weightsOf(middle), long: weightsOf(long) },
      dr_grpo_divisor: byType[0]?.weights.maxLength ?? null,
      dominating_rollouts: dominating(byType[0]?.weights.rollouts ?? []),
      correlation_of_length_and_advantage: lengthCorrelation(rows),
      among_positive_advantages: lengthCorrelation(rows.filter(({ advantage }) => (advantage as number) > 0)),
      among_negative_advantages: lengthCorrelation(rows.filter(({ advantage }) => (advantage as number) < 0)),
      rollouts: rows.length,
    },
  })
}

const MOST_LISTED = 5

/** The rollouts that pull most, with what they would count if every token counted alike. */
function dominating(rollouts: readonly RolloutWeight[]): Record<string, unknown>[] {
  return rollouts
    .toSorted((a, b) => (b.pull ?? b.share) - (a.pull ?? a.share))
    .slice(0, MOST_LISTED)
    .map(({ facts, share, pull }) => ({
      trajectory: facts.id,
      step: facts.step,
      trained_tokens: facts.trained,
      advantage: facts.advantage,
      share_of_the_loss: share,
      share_of_the_update: pull,
    }))
}

function lengthCorrelation(rows: readonly TrajectoryFacts[]): number | null {
  return correlation(
    rows.map(({ trained }) => trained as number),
    rows.map(({ advantage }) => advantage as number),
  )
}
