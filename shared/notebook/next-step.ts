import type { CheckResult, HypothesisResult, Report } from '../model/report.ts'
import { type Hypothesis, type Notebook, PHASES, PRIORITIES, type ValidationMethod } from './model.ts'

/** What can be done next about a hypothesis that is open. It is computed from the open dump and the notebook, and written nowhere. */
export interface NextStep {
  readonly hypothesis: Hypothesis
  /** What the open dump says; null where none is open, or the program has no verdict of it. */
  readonly result: HypothesisResult | null
  /**
   * `decided`: the open dump is definite, which costs a look; `dump-more`: it lacks streams, which costs another dump; `undecided`: it has
   * what is needed and falls between the thresholds; `run`: nothing of it is open.
   */
  readonly by: 'decided' | 'dump-more' | 'undecided' | 'run'
  /** The first of its methods, which stand in the order they are to be tried; null where none is written. */
  readonly method: ValidationMethod | null
  /** Checks that its texts name by their codes (`M01`), as the open dump has them; empty where none is open. */
  readonly named: readonly CheckResult[]
  /** Ids of open hypotheses that it is to be tested after, as its own order says: `After H01 and H02.` */
  readonly after: readonly string[]
}

type Dump = Pick<Report, 'hypotheses' | 'checks'>

/** For every hypothesis that is not decided, in the order they are to be tested: what costs a look first, then by phase, what waits for no other, and priority. */
export function nextSteps(notebook: Notebook, report: Dump | null): NextStep[] {
  return notebook.hypotheses
    .filter(isOpen)
    .map((hypothesis) => nextStep(hypothesis, notebook, report))
    .sort(
      (a, b) =>
        costsALook(b) - costsALook(a) ||
        PHASES.indexOf(a.hypothesis.phase) - PHASES.indexOf(b.hypothesis.phase) ||
        Number(a.after.length > 0) - Number(b.after.length > 0) ||
        PRIORITIES.indexOf(a.hypothesis.priority) - PRIORITIES.indexOf(b.hypothesis.priority),
    )
}

export function nextStep(hypothesis: Hypothesis, notebook: Notebook, report: Dump | null): NextStep {
  const result = report?.hypotheses.find(({ id }) => id === hypothesis.verdict) ?? null
  return {
    hypothesis,
    result,
    by: byWhat(result),
    method: hypothesis.validation[0] ?? null,
    named: report === null ? [] : checksNamedBy(hypothesis, report.checks),
    after: openBefore(hypothesis, notebook),
  }
}

/** In the order of the report. */
function checksNamedBy(hypothesis: Hypothesis, checks: readonly CheckResult[]): CheckResult[] {
  const { title, description, rootCause, why, validation, invalidation, questions, nextAction, notes } = hypothesis
  const methods = validation.flatMap((method) => [method.title, method.how, method.success])
  const texts = [title, description, rootCause, why, ...methods, invalidation, questions, nextAction, notes]
  const codes = new Set(texts.flatMap((text) => text.match(/\b[A-Z]\d{2}\b/g) ?? []))
  return checks.filter(({ code }) => codes.has(code))
}

export function isOpen({ status }: Pick<Hypothesis, 'status'>): boolean {
  return status !== 'validated' && status !== 'invalidated'
}

/** What holds is looked at before what is ruled out. */
function costsALook({ by, result }: NextStep): number {
  if (by !== 'decided') return 0
  return result?.verdict === 'supported' ? 2 : 1
}

/** `H06` names both that bear the number. */
function openBefore({ id: own, testing }: Hypothesis, { hypotheses }: Notebook): string[] {
  const named = [...testing.matchAll(/\bafter ([^.;]*)/gi)].flatMap(
    ([, clause = '']) => clause.match(/\bH\d+\b/g) ?? [],
  )
  return hypotheses
    .filter((each) => isOpen(each) && each.id !== own && named.some((name) => name === each.id.split('-')[0]))
    .map(({ id }) => id)
}

function byWhat(result: HypothesisResult | null): NextStep['by'] {
  if (result === null) return 'run'
  if (result.verdict === 'inconclusive') return 'undecided'
  return result.verdict === 'not-checkable' ? 'dump-more' : 'decided'
}
