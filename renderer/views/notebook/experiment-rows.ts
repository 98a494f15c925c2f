import { inNaturalOrder } from '../../../shared/model/natural-order.ts'
import type { Category, Experiment } from '../../../shared/notebook/model.ts'
import { PARAMETERS, type ParameterValue, parametersOf } from '../../../shared/notebook/parameters.ts'

export interface ExperimentRow {
  readonly experiment: Experiment
  readonly parameters: ReadonlyMap<string, ParameterValue>
}

/** Rows of a category whose id, title, outcome, notes or parameters hold every word, in the order of a column. */
export function experimentRows(
  experiments: readonly Experiment[],
  { category, find, sort }: { readonly category: Category | null; readonly find: string; readonly sort: string },
): ExperimentRow[] {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const rows = experiments
    .filter((experiment) => category === null || experiment.category === category)
    .map((experiment) => ({ experiment, parameters: parametersOf(experiment) }))
    .filter((row) => {
      const text = textOf(row)
      return words.every((word) => text.includes(word))
    })
  const column = sort.replace(/^-/, '')
  const turn = sort.startsWith('-') ? -1 : 1
  return rows.sort((a, b) => {
    const [left, right] = [sortValue(a, column), sortValue(b, column)]
    const isAbsent = left === '' || right === ''
    return (isAbsent ? 1 : turn) * compared(left, right) || byId(a, b)
  })
}

/** The columns of the table that any row has a value for. */
export function shownParameters(rows: readonly ExperimentRow[]): { readonly id: string; readonly title: string }[] {
  return PARAMETERS.filter(({ id }) => rows.some(({ parameters }) => parameters.has(id)))
}

function textOf({ experiment, parameters }: ExperimentRow): string {
  const { id, title, outcome, notes, command } = experiment
  const values = [...parameters].map(([name, { value }]) => `${name}=${value}`)
  return [id, title, outcome, notes, command, ...values].join('\n').toLowerCase()
}

function sortValue({ experiment, parameters }: ExperimentRow, column: string): string {
  if (column === 'id' || column === 'title' || column === 'outcome') return experiment[column]
  return parameters.get(column)?.value ?? ''
}

/** Numbers as numbers; what is not said comes last, whichever way the column is sorted. */
function compared(a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1
  const [one, other] = [Number(a), Number(b)]
  if (!Number.isNaN(one) && !Number.isNaN(other)) return one - other
  return inNaturalOrder(a, b)
}

function byId(a: ExperimentRow, b: ExperimentRow): number {
  return inNaturalOrder(a.experiment.id, b.experiment.id)
}
