import type { RunSeries } from '../../model/run-log.ts'
import { metricsOf } from './metric-names.ts'

/** Names under which trainers log the step, the surest first. */
const STEP_NAMES = [
  'step',
  '_step',
  'global_step',
  'train/global_step',
  'training/global_step',
  'trainer/global_step',
  'training_step',
  'progress/batch',
  'progress/global_step',
  'rollout/step',
  'iteration',
  'steps',
]
/** What is logged with every step and tells nothing about training. */
const CLOCKS = /^(_?timestamp|_?runtime|_wandb\..*|epoch|total_flos)$/
/** Series of one log; a file of more names names something else. */
const MOST_SERIES = 4000

/** Numbers by step, gathered as they come. */
export class SeriesBuilder {
  private readonly points = new Map<string, Map<number, number>>()
  private dropped = 0

  /** The step that numbers of one record say they belong to; null where none does. */
  static stepOf(numbers: ReadonlyMap<string, number>): number | null {
    for (const name of STEP_NAMES) {
      const step = numbers.get(name)
      if (step !== undefined && Number.isFinite(step)) return step
    }
    return null
  }

  add(step: number, numbers: ReadonlyMap<string, number>): void {
    for (const [name, value] of numbers) {
      if (STEP_NAMES.includes(name) || CLOCKS.test(name)) continue
      this.set(name, step, value)
    }
  }

  set(name: string, step: number, value: number): void {
    let series = this.points.get(name)
    if (series === undefined) {
      if (this.points.size >= MOST_SERIES) {
        this.dropped++
        return
      }
      series = new Map()
      this.points.set(name, series)
    }
    series.set(step, value)
  }

  get isEmpty(): boolean {
    return this.points.size === 0
  }

  /** By name; with a sentence where there were too many. */
  finish(): { readonly series: RunSeries[]; readonly notes: string[] } {
    const names = [...this.points.keys()].sort()
    const metrics = metricsOf(names)
    const series = names.map((name): RunSeries => {
      const points = [...(this.points.get(name) as Map<number, number>)].sort(([a], [b]) => a - b)
      return {
        name,
        metric: metrics.get(name) ?? null,
        steps: Float64Array.from(points, ([step]) => step),
        values: Float64Array.from(points, ([, value]) => value),
      }
    })
    const notes =
      this.dropped === 0
        ? []
        : [`It names more than ${MOST_SERIES} metrics; the ${this.dropped} numbers of others are not kept.`]
    return { series, notes }
  }
}

/** The numbers of a record, those of objects inside it under their path: `{"reward": {"mean": 1}}` gives `reward/mean`. */
export function numbersIn(
  value: unknown,
  prefix = '',
  into = new Map<string, number>(),
  depth = 0,
): Map<string, number> {
  if (value === null || typeof value !== 'object' || depth > 4) return into
  for (const [key, item] of Object.entries(value)) {
    const name = prefix === '' ? key : `${prefix}/${key}`
    const number = numberOf(item)
    if (number !== null) into.set(name, number)
    else if (!Array.isArray(item) && !ArrayBuffer.isView(item)) numbersIn(item, name, into, depth + 1)
  }
  return into
}

/** A number, or the text of one, as recent Transformers log them. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  return /^nan$/i.test(text)
    ? Number.NaN
    : /^[+-]?inf(inity)?$/i.test(text)
      ? text.startsWith('-')
        ? -Infinity
        : Infinity
      : null
}
