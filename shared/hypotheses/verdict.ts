import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { CheckResult, Count, HypothesisResult, Measure, MeasureSubject, RolloutFilter } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { recordedBy } from './recording.ts'
import { type Bound, type Deciding, wouldChange } from './would-change.ts'

/** One line of `because`. `threshold` null = stated, not compared. */
function measure(
  name: string,
  value: Measure['value'],
  comparison: Measure['comparison'],
  threshold: Measure['threshold'],
  checks: readonly string[] = [],
): Measure {
  return { measure: name, value, threshold, comparison, checks: [...checks] }
}

/** A line of `because`, and the verdict that its comparison speaks for; null = for none. */
export interface Argument {
  readonly measure: Measure
  readonly speaksFor: 'supported' | 'contradicted' | null
  /** Absent where the line decides nothing, whatever its value. */
  readonly decides?: Deciding
}

/** A line that is stated, and compared with nothing. */
export function stated(name: string, value: Measure['value'], checks: readonly string[] = []): Argument[] {
  return value === null ? [] : [{ measure: measure(name, value, '=', null, checks), speaksFor: null }]
}

/** The same lines, with the rollouts that stand behind their values. */
export function behind(where: RolloutFilter, lines: readonly Argument[]): Argument[] {
  return lines.map((line) => ({ ...line, measure: { ...line.measure, where } }))
}

/** The same lines, with what their values were taken over. */
export function restingOn(subject: MeasureSubject, lines: readonly Argument[]): Argument[] {
  return lines.map((line) => ({ ...line, measure: { ...line.measure, rests_on: subject } }))
}

/** The same lines where more than their value decides: what it takes, in words. */
export function deciding(decides: Partial<Deciding>, lines: readonly Argument[]): Argument[] {
  return lines.map((line) => ({
    ...line,
    decides: { supported: null, contradicted: null, ...line.decides, ...decides },
  }))
}

/**
 * A measure with the comparison that is true of it: that of the verdict it speaks for, or that it does not reach `supported`.
 * Nothing where there is no value: `missing` says so.
 */
export function compared(
  name: string,
  value: number | null,
  supported: Bound,
  contradicted: Bound,
  checks: readonly string[] = [],
): Argument[] {
  if (value === null) return []
  const line = ({ comparison, threshold }: Bound, speaksFor: Argument['speaksFor']): Argument[] => [
    { measure: measure(name, value, comparison, threshold, checks), speaksFor, decides: { supported, contradicted } },
  ]
  if (holds(value, supported)) return line(supported, 'supported')
  if (holds(value, contradicted)) return line(contradicted, 'contradicted')
  return line({ comparison: OPPOSITE[supported.comparison], threshold: supported.threshold }, null)
}

export function holds(value: number, { comparison, threshold }: Bound): boolean {
  switch (comparison) {
    case '>':
      return value > threshold
    case '>=':
      return value >= threshold
    case '<':
      return value < threshold
    case '<=':
      return value <= threshold
    case '=':
      return value === threshold
  }
}

const OPPOSITE = { '>': '<=', '>=': '<', '<': '>=', '<=': '>', '=': '=' } as const

/** What a hypothesis says of a dump, before its confidence is known. */
export interface Judgement {
  readonly verdict: HypothesisResult['verdict']
  readonly because: readonly Argument[]
  readonly missing: readonly string[]
  /** The verdict rests on a systematic fault, or on a measure that could have ruled either way. */
  readonly firm: boolean
  /** How many rollouts it rests on, where these are not those of the dump. */
  readonly rollouts?: number
}

/**
 * The contract's rule: high with 50 rollouts or more and a firm measure, low with fewer than 10, else medium. Rollouts without what is measured
 * count for nothing: a hundred texts beside twenty masks say nothing of the masks.
 */
export function conclude(
  hypothesis: Pick<Hypothesis, 'id' | 'title' | 'sees'>,
  input: HypothesisInput,
  { verdict, because, missing, firm, rollouts = hypothesis.sees?.(input) || input.dump.facts.length }: Judgement,
): HypothesisResult {
  const { 'confidence-high-rollouts': many, 'confidence-low-rollouts': few } = input.dump.settings.thresholds
  const decided = verdict === 'supported' || verdict === 'contradicted'
  const confidence =
    rollouts < few || verdict === 'not-checkable' ? 'low' : rollouts >= many && decided && firm ? 'high' : 'medium'
  const { id, title } = hypothesis
  const ranked = [...because].sort((a, b) => rankOf(a, verdict) - rankOf(b, verdict))
  const lines = ranked.map(speaking)
  const lacks = [...new Set(missing)]
  const recorded = recordedBy(lacks, input.formats)
  return {
    id,
    title,
    verdict,
    confidence,
    because: lines,
    missing: lacks,
    would_change: wouldChange(verdict, because, lacks),
    ...(recorded.length === 0 ? {} : { recorded_by: recorded }),
  }
}

/**
 * What decided stands first, then what speaks the other way, then what is compared and decides nothing, then what is merely stated.
 * Where nothing decided, what could have stands first.
 */
function rankOf({ measure: { threshold }, speaksFor, decides }: Argument, verdict: Judgement['verdict']): number {
  if (speaksFor !== null) return speaksFor === verdict ? 0 : 1
  if (threshold === null && decides === undefined) return 3
  return verdict === 'inconclusive' ? 0 : 2
}

function speaking({ measure, speaksFor }: Argument): Measure {
  return speaksFor === null ? measure : { ...measure, speaks: speaksFor === 'supported' ? 'for' : 'against' }
}

/** Rollouts that have this fact. */
export function having(input: HypothesisInput, name: keyof TrajectoryFacts): number {
  let rollouts = 0
  for (const part of new FactColumns(input.dump.facts).parts()) for (const one of part.present(name)) rollouts += one
  return rollouts
}

/** Rollouts of complete groups, the only ones that advantages and spreads are told of. */
export function inCompleteGroups({ dump }: HypothesisInput): number {
  return dump.groups.reduce((sum, { complete, members }) => sum + (complete ? members.length : 0), 0)
}

export function shareOf(count: Count | null): number | null {
  return count === null ? null : count.affected / count.checked
}

export function notCheckable(missing: readonly string[]): Judgement {
  return { verdict: 'not-checkable', because: [], missing, firm: false }
}

export function checkOf(input: HypothesisInput, code: string): CheckResult | null {
  return input.checks.find((check) => check.code === code) ?? null
}

/** Null where it passed, did not run, or could not. */
export function failingCheck(input: HypothesisInput, code: string): CheckResult | null {
  const check = checkOf(input, code)
  return check?.status === 'fail' ? check : null
}

/** Those of the codes that the person left out (`--checks`): what was not looked for is not absent. */
export function notRun({ dump }: HypothesisInput, codes: readonly string[]): string[] {
  const { checks } = dump.settings.options
  return checks === undefined ? [] : codes.filter((code) => !checks.includes(code))
}

/** The line of `missing` for them. */
export function leftOut(codes: readonly string[]): string[] {
  const named = codes.length <= 6 ? codes.join(', ') : `${codes.slice(0, 6).join(', ')} and ${codes.length - 6} more`
  return codes.length === 0 ? [] : [`the checks that were left out: ${named}`]
}

/** Failing checks that belong to a hypothesis and did not decide it: listed as present, never as its cause. */
export function lesserFaults(
  hypothesis: Pick<Hypothesis, 'id'>,
  input: HypothesisInput,
  decisive: readonly string[],
): Argument[] {
  return input.checks
    .filter(
      ({ code, status, hypotheses }) =>
        status === 'fail' && hypotheses.includes(hypothesis.id) && !decisive.includes(code),
    )
    .flatMap(({ code, title, rate }) => stated(`present: ${title} (${code}), rate`, rate, [code]))
}
