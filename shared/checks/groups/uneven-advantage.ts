import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** A12. An outcome is rewarded once, but the tokens of a rollout have different advantages. */
export const unevenAdvantage: Check = {
  code: 'A12',
  name: 'uneven-advantage',
  title: 'Advantages differ within a rollout',
  hypotheses: ['H01'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['advantages', 'mask'],
  looksAt: 'rollouts with advantages on trained tokens',
  why: 'A method that rewards outcomes gives a rollout one advantage; tokens with another one are reinforced for nothing that happened.',
  fix: 'Look at sums that restart at masked tokens, and at penalties that are added token by token.',
  cite: 'verl#6376',
  dump: lookAtRows,
}

function* lookAtRows(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  const [hasOne, hasAny, changes] = [
    columns.present('advantage'),
    columns.present('maxAdvantage'),
    columns.present('advantageChangesAt'),
  ]
  const rows = view.facts.filter((_, at) => hasOne[at] === 1 || hasAny[at] === 1)
  if (rows.length === 0) return
  yield 0.1
  // A row may state one advantage beside those of its tokens: what is trained with is theirs.
  const uneven = changes.reduce((sum, has) => sum + has, 0)
  // Where most rollouts have them, tokens are rewarded one by one on purpose (a critic, process rewards, a discount). A reward of 0 does not tell: however
  // it is handed out, all tokens get nothing.
  const { options, thresholds } = view.settings
  const rewards = columns.numbers('reward')
  const isHandedOut = (at: number) => (hasOne[at] === 1 || hasAny[at] === 1) && rewards[at] !== 0
  const telling = changes.filter((has, at) => has === 1 || isHandedOut(at)).length
  if (uneven > thresholds['uneven-share'] * telling && options.lossType === undefined) {
    report.abstain(
      'not-applicable',
      'advantages are given token by token: declare the loss type if outcomes are rewarded',
    )
    return
  }
  const look = (facts: TrajectoryFacts) => {
    const affected = facts.advantageChangesAt !== undefined
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const at = facts.advantageChangesAt as number
    report.fault({
      member: facts,
      tokens: { start: Math.max(0, at - 1), end: at + 1 },
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `Trained tokens of the rollout have different advantages, from token ${count(at)} on; ${count(rows.length - uneven)} of ${counted(rows.length, 'rollout')} have one`,
      evidence: {
        first_change: at,
        largest_absolute_advantage: facts.maxAdvantage,
        rollouts_with_one_advantage: rows.length - uneven,
        rollouts: rows.length,
      },
    })
  }
  yield* within(0.1, 1, forEachOf(rows, look))
}
