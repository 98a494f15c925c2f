import type { Check, DumpReporter, DumpView } from '../check.ts'

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

function lookAtRows(view: DumpView, report: DumpReporter): void {
  const rows = view.facts.filter(({ advantage, maxAdvantage }) => advantage !== null || maxAdvantage !== null)
  if (rows.length === 0) return
  const uneven = rows.filter(({ advantage }) => advantage === null).length
  // Where most rollouts have them, tokens are rewarded one by one on purpose (a critic, process rewards).
  const { options, thresholds } = view.settings
  if (uneven > thresholds['uneven-share'] * rows.length && options.lossType === undefined) {
    report.abstain(
      'not-applicable',
      'advantages are given token by token: declare the loss type if outcomes are rewarded',
    )
    return
  }
  for (const facts of rows) {
    const affected = facts.advantage === null
    report.unit(affected)
    report.place(affected)
    if (!affected) continue
    const at = facts.advantageChangesAt ?? null
    report.fault({
      member: facts,
      tokens: at === null ? null : { start: Math.max(0, at - 1), end: at + 1 },
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `Trained tokens of the rollout have different advantages, from token ${at} on; ${rows.length - uneven} of ${rows.length} rollouts have one`,
      evidence: {
        first_change: at,
        largest_absolute_advantage: facts.maxAdvantage,
        rollouts_with_one_advantage: rows.length - uneven,
        rollouts: rows.length,
      },
    })
  }
}
