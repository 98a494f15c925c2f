import { kendall } from '../checks/logprobs/trend.ts'
import type { LogReport } from '../model/report.ts'
import type { RunMetric } from '../model/run-log.ts'
import { type Argument, compared, deciding, type Judgement, stated } from './verdict.ts'
import type { Bound } from './would-change.ts'

/** One metric of a run as its logs have it: the log with the most steps speaks. Values are finite, steps ascend. */
export interface Logged {
  readonly log: string
  readonly name: string
  readonly steps: readonly number[]
  readonly values: readonly number[]
}

export function loggedOf(logs: readonly LogReport[] | undefined, metric: RunMetric): Logged | null {
  let longest: Logged | null = null
  for (const { name: log, series } of logs ?? []) {
    for (const { name, metric: own, steps, values } of series) {
      if (own !== metric) continue
      const known = steps.map((step, i) => [step, values[i] ?? null] as const).filter(([, value]) => value !== null)
      if (known.length === 0 || known.length <= (longest?.steps.length ?? 0)) continue
      longest = { log, name, steps: known.map(([step]) => step), values: known.map(([, value]) => value as number) }
    }
  }
  return longest
}

export function meanOf({ values }: Logged): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** A judgement with what the run logged stated beside it: it decides nothing that rollouts can tell. */
export function besideLog(judgement: Judgement, lines: readonly Argument[]): Judgement {
  return { ...judgement, because: [...judgement.because, ...lines] }
}

/** A logged mean that can speak for a verdict and never against it: what rollouts would have to show for that, no log does. */
export function loggedMean(logged: Logged, title: string, supported: Bound): Argument[] {
  const name = `${title} that the run logged over ${logged.steps.length} steps (${logged.name} in ${logged.log})`
  const never = { comparison: '<', threshold: Number.NEGATIVE_INFINITY } as const
  return deciding({ contradicted: null }, compared(name, meanOf(logged), supported, never))
}

/** A line that says how a logged metric went; nothing where it was not logged. */
export function loggedLine(logs: readonly LogReport[] | undefined, metric: RunMetric, title: string): Argument[] {
  const logged = loggedOf(logs, metric)
  if (logged === null) return []
  const { log, name, steps, values } = logged
  const third = Math.max(1, Math.floor(values.length / 3))
  const part = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  const [early, late] = [part(values.slice(0, third)), part(values.slice(-third))]
  const trend = values.length < 3 ? '' : `, rank correlation with the step ${kendall([...values]).toFixed(2)}`
  return stated(
    `${title} that the run logged (${name} in ${log})`,
    `${early.toPrecision(3)} in the first third of ${steps.length} steps, ${late.toPrecision(3)} in the last${trend}`,
  )
}
