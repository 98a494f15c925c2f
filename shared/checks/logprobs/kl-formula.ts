import { counted } from '../../model/number-text.ts'
import { forEachOf, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpFault } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { faultOfBroken } from './broken-kl.ts'
import { type KlByRow, klByRow, type RowFormula } from './kl-by-row.ts'
import { fittingKl, isNegative, type KlFit } from './kl-fit.ts'
import { KL_FORMULAS } from './kl-formulas.ts'
import type { KlSums } from './sums.ts'
import { digits } from './text.ts'

const K3 = KL_FORMULAS.indexOf('k3')
const K3_REVERSED = KL_FORMULAS.indexOf('k3-reversed')

/** L10. The stored KL is another quantity than the one that is meant, or none that a KL can be; numbers that are none; and rows whose KL is that of one token. */
export const L10: Check = {
  code: 'L10',
  name: 'kl-formula',
  title: 'KL follows another formula, or rests on single tokens',
  hypotheses: ['H03'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.trainer', 'logprobs.reference'],
  looksAt: 'rollouts that trainer and reference both scored',
  why: 'The penalty pulls towards something else than the reference policy, or its gradient is zero on average.',
  fix: 'Compute k3 = exp(reference − policy) − (reference − policy) − 1 per token, with the policy that sampled. Look at the context of a token that makes up most of its row’s.',
  cite: 'TRL#2854, TRL#4967, TRL#4638, open-instruct#534, marin#1708, slime#397',
  *dump(view, report) {
    const { facts, settings } = view
    const fit = yield* within(0, 0.3, fittingKl(view))
    const wrong = fit !== null && (fit.reversed || fit.undeclared)
    const rows = new FactColumns(facts).having('kl')
    const byRow = wrong ? null : yield* within(0.3, 0.6, klByRow(rows, settings.thresholds))
    const lookAtKl = (row: TrajectoryFacts) => {
      if (row.kl === undefined) return
      const { stored } = row.kl
      const isBelow = (least: number) => (fit?.turned ? least < 0 : isNegative(least, settings.thresholds))
      const own = byRow?.rows.get(row)
      const negative =
        !wrong && own?.name !== 'k1' && fit?.negative === true && stored !== null && isBelow(stored.least)
      const isReversed = own?.reversed === true && !negative
      const isPaidReversed = stored === null && row.earlierCredit?.isKlReversed === true
      const affected = (wrong && stored !== null) || negative || isReversed || isPaidReversed
      const dominated = isDominated(row.kl, settings.thresholds)
      const broken = row.brokenKl !== undefined
      report.unit(affected || dominated || broken)
      report.place(affected || dominated || broken)
      if (row.brokenKl !== undefined) report.fault(faultOfBroken(row, row.brokenKl))
      if (dominated) report.fault(outlier(row, row.kl))
      if (negative) report.fault(belowZero(row, row.kl, stored, fit))
      if (isPaidReversed) report.fault(paidReversed(row, row.kl))
      if (byRow !== null && own !== undefined && isReversed) report.fault(reversedAlone(row, row.kl, own, byRow))
      if (!wrong || !affected || negative || isPaidReversed) return
      report.fault({
        member: row,
        affectedTokens: row.kl.stored?.count ?? 0,
        message: `${describe(fit)} (stored mean ${digits((row.kl.stored?.sum ?? 0) / (row.kl.stored?.count || 1))}, k3 of this row ${digits((row.kl.formulas[K3] as number) / row.kl.count)})`,
        evidence: {
          declared: fit.declared,
          follows: fit.best,
          variance_explained: fit.explained,
          scales: fit.scales,
          mean_by_formula: means(row.kl),
          stored_mean: (row.kl.stored?.sum ?? 0) / (row.kl.stored?.count || 1),
        },
      })
    }
    yield* within(0.6, 0.9, forEachOf(rows, lookAtKl))
    // Of rows that have no KL but such.
    const lookAtBroken = (row: TrajectoryFacts) => {
      if (row.kl !== undefined || row.brokenKl === undefined) return
      report.unit(true)
      report.place(true)
      report.fault(faultOfBroken(row, row.brokenKl))
    }
    yield* within(0.9, 1, forEachOf(new FactColumns(facts).having('brokenKl'), lookAtBroken))
  },
  *unproved(_tally, view) {
    const rows = new FactColumns(view.facts).having('kl')
    const byRow = yield* within(0, 0.5, klByRow(rows, view.settings.thresholds))
    const { counts } = byRow
    // Where most follow one that they declare, all together may follow none.
    if (counts.size < 2)
      return 2 * byRow.rows.size > rows.length ? null : ofNone(yield* within(0.5, 1, fittingKl(view)))
    const named = [...counts].map(([name, of]) => `${name} in ${counted(of, 'rollout')}`)
    return `the stored KL follows different formulas: ${named.join(', ')}`
  },
}

/** A KL that no formula gives may be meant, as one over the whole vocabulary is: neither its formula nor its direction can be held against what is meant. */
function ofNone(fit: KlFit | null): string | null {
  if (fit === null || fit.best !== null) return null
  const nearest = KL_FORMULAS.reduce((a, b) => (fit.explained[b] > fit.explained[a] ? b : a))
  return `the stored KL follows no formula that is known: ${nearest} is nearest, and explains ${Math.floor(100 * fit.explained[nearest])} % of it`
}

/** A rollout that was written by other code than those beside it. */
function reversedAlone(
  member: TrajectoryFacts,
  { stored, formulas, count }: KlSums,
  { name, rounded }: RowFormula,
  { counts }: KlByRow,
): DumpFault {
  const what = name === 'k1' ? 'reference − policy, k1 with its sign turned' : 'k3 with policy and reference exchanged'
  return {
    member,
    affectedTokens: stored?.count ?? 0,
    message: `The stored KL of this rollout is ${what}, ${rounded ? 'as far as rounding left it' : 'to the last digit'}; not all rollouts of the dump follow one formula (stored mean ${digits((stored?.sum ?? 0) / (stored?.count || 1))}, k3 of this row ${digits((formulas[K3] as number) / count)})`,
    evidence: {
      follows: name,
      rollouts_by_formula: Object.fromEntries(counts),
      stored_mean: (stored?.sum ?? 0) / (stored?.count || 1),
    },
  }
}

/** No KL is stored, but the returns are charged with one, token by token. */
function paidReversed(member: TrajectoryFacts, kl: KlSums): DumpFault {
  return {
    member,
    affectedTokens: kl.count,
    message: `The returns of this rollout are charged with k3 with policy and reference exchanged, token by token (mean ${digits((kl.formulas[K3_REVERSED] as number) / kl.count)}, k3 of this row ${digits((kl.formulas[K3] as number) / kl.count)})`,
    evidence: { follows: 'k3-reversed', mean_by_formula: means(kl) },
  }
}

/** Of a formula that nobody knows it is certain all the same that it is no k3. */
function belowZero(
  member: TrajectoryFacts,
  kl: KlSums,
  { least, leastToken, count, sum }: NonNullable<KlSums['stored']>,
  { best, declared, explained, turned }: KlFit,
): DumpFault {
  const follows =
    best === null
      ? 'it follows none of k1, k2, k3, abs'
      : turned
        ? `it is ${best} with its sign turned`
        : `on most tokens it follows ${best}`
  return {
    member,
    scope: 'tokens',
    tokens: { start: leastToken, end: leastToken + 1 },
    affectedTokens: count,
    message: `The stored KL goes down to ${digits(least)}, and k2, k3 and abs are never below 0; ${follows}`,
    evidence: {
      least,
      declared,
      follows: best,
      variance_explained: explained,
      stored_mean: sum / count,
      mean_by_formula: means(kl),
    },
  }
}

function means({ formulas, count }: KlSums): Record<string, number> {
  return Object.fromEntries(KL_FORMULAS.map((name, k) => [name, (formulas[k] as number) / count]))
}

/** One token makes up most of the KL of its row. */
function isDominated({ count, largest, formulas }: KlSums, thresholds: Thresholds): boolean {
  const share = thresholds['kl-outlier-share']
  return count > 1 && largest > thresholds['kl-outlier'] && largest >= share * (formulas[K3] as number)
}

/** One extreme token is noise that a run can live with; it is shown because it drowns the rest of its row. */
function outlier(member: TrajectoryFacts, { count, largest, largestToken: token, formulas }: KlSums): DumpFault {
  const sum = formulas[K3] as number
  return {
    member,
    severity: 'info',
    scope: 'tokens',
    tokens: { start: token, end: token + 1 },
    message: `One token has a k3 of ${digits(largest)}: ${Math.round((100 * largest) / sum)} % of the KL of its row of ${counted(count, 'trained token')}`,
    evidence: { k3: largest, k3_of_row: sum, trained_tokens: count },
  }
}

function describe({ reversed, best, declared, scales }: KlFit): string {
  if (reversed && best === 'k1') return 'The stored KL is reference − policy: k1 with its sign turned'
  const scale = best === null ? 1 : scales[best]
  const times = Math.abs(scale - 1) < 0.01 ? '' : ` times ${digits(scale)}`
  if (reversed) return `The stored KL is k3 with policy and reference exchanged${times}`
  return `The stored KL is ${best}${times} and was declared to be ${declared}`
}
