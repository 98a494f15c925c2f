import { measured } from '../model/number-text.ts'
import type { HypothesisResult, Measure } from '../model/report.ts'

/** Where a measure begins to speak for a verdict. */
export interface Bound {
  readonly comparison: Measure['comparison']
  readonly threshold: number
}

/** From where on a line speaks for each verdict: a bound of its value, or a condition in words; null = it never does. */
export interface Deciding {
  readonly supported: Bound | string | null
  readonly contradicted: Bound | string | null
}

/** A line of `because` as far as it can decide. */
interface Decider {
  readonly measure: Measure
  readonly speaksFor: keyof Deciding | null
  readonly decides?: Deciding
}

/**
 * What would make a verdict fall otherwise, a sentence for each way: `contradicted if below 5 % (now 31 %): share of complete
 * groups …`. Any one measure supports a hypothesis, and it takes all of them to contradict it.
 */
export function wouldChange(
  verdict: HypothesisResult['verdict'],
  because: readonly Decider[],
  missing: readonly string[],
): string[] {
  if (verdict === 'not-checkable') return missing.length === 0 ? [] : [`judged once there is: ${missing.join('; ')}`]
  const support = verdict === 'supported' ? [] : conditions(because, 'supported')
  const contradict = verdict === 'contradicted' ? [] : conditions(because, 'contradicted')
  return [
    ...support.map((condition) => `supported if ${alone(condition)}`),
    ...(contradict.length === 0 ? [] : [`contradicted if ${together(contradict)}`]),
    ...(missing.length === 0 ? [] : [`may fall otherwise once there is: ${missing.join('; ')}`]),
  ]
}

/** A condition that does not hold yet: where the value would have to be, and whose value; words alone have no measure. */
interface Condition {
  readonly where: string
  readonly measure: string | null
}

function conditions(because: readonly Decider[], verdict: keyof Deciding): Condition[] {
  return because.flatMap(({ measure, speaksFor, decides }): Condition[] => {
    const condition = decides?.[verdict] ?? null
    if (condition === null || speaksFor === verdict) return []
    if (typeof condition === 'string') return [{ where: condition, measure: null }]
    const now = `(now ${measured(measure.measure, measure.value)})`
    return [{ where: `${boundText(measure.measure, condition)} ${now}`, measure: measure.measure }]
  })
}

function alone({ where, measure }: Condition): string {
  return measure === null ? where : `${where}: ${measure}`
}

function together(all: readonly Condition[]): string {
  const [only] = all
  if (only !== undefined && all.length === 1) return alone(only)
  const each = all.map(({ where, measure }) => (measure === null ? where : `${measure} ${where}`))
  return `all of these hold: ${each.join('; ')}`
}

/** `below 5 %`, `10 % or more`, `at 0` */
export function boundText(measure: string, { comparison, threshold }: Bound): string {
  const value = measured(measure, threshold)
  switch (comparison) {
    case '<':
      return `below ${value}`
    case '<=':
      return `${value} or less`
    case '>':
      return `above ${value}`
    case '>=':
      return `${value} or more`
    case '=':
      return `at ${value}`
  }
}
