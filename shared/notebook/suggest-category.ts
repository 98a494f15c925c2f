import type { Category, Experiment } from './model.ts'
import { type ParameterValue, parametersOf, parameterTitle } from './parameters.ts'

/** What of the log an experiment seems to belong to, and by which of its settings. */
export interface SuggestedCategory {
  readonly category: Category
  readonly why: string
}

/** Settings that an experiment of category D is about. */
const HYPERPARAMETERS = [
  'learning-rate',
  'kl-beta',
  'n',
  'clip',
  'loss-type',
  'scaling',
  'batch',
  'accumulation',
] as const
const SETTING = ['model', 'dataset', 'lora-r', 'lora-alpha'] as const

/**
 * Reads off the settings of a command line what an experiment tries, beside those that were written down before; null where nothing
 * tells. Infrastructure and stable settings are a person's judgement: no setting tells them.
 */
export function suggestCategory(command: string, earlier: readonly Experiment[]): SuggestedCategory | null {
  const own = parametersOf({ command, parameters: [] })
  const others = earlier.map((experiment) => ({ id: experiment.id, settings: parametersOf(experiment) }))
  for (const [id, category] of [
    ['model', 'C'],
    ['dataset', 'E'],
  ] as const) {
    const value = own.get(id)?.value
    const known = others.flatMap(({ settings }) => settings.get(id)?.value ?? [])
    if (value !== undefined && known.length > 0 && !known.some((each) => isSame(each, value)))
      return { category, why: `no experiment so far has the ${parameterTitle(id).toLowerCase()} ${value}` }
  }
  const like = others.find(
    ({ settings }) =>
      SETTING.some((id) => own.has(id)) &&
      SETTING.every((id) => isSame(own.get(id)?.value, settings.get(id)?.value)) &&
      differing(own, settings).length > 0,
  )
  if (like !== undefined) {
    const names = differing(own, like.settings).map((id) => parameterTitle(id).toLowerCase())
    return { category: 'D', why: `it differs from ${like.id} in ${names.join(', ')}` }
  }
  const rank = own.get('lora-r')?.value
  if (rank === undefined) return null
  return rank === 'none' || Number(rank) === 0
    ? { category: 'B', why: 'it trains without an adapter' }
    : { category: 'A', why: `it trains an adapter of rank ${rank}` }
}

function differing(
  own: ReadonlyMap<string, ParameterValue>,
  other: ReadonlyMap<string, ParameterValue>,
): (typeof HYPERPARAMETERS)[number][] {
  return HYPERPARAMETERS.filter((id) => {
    const [one, two] = [own.get(id)?.value, other.get(id)?.value]
    return one !== undefined && two !== undefined && !isSame(one, two)
  })
}

/** Numbers as numbers; the folders before a model's own name say where it lies. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.trim() !== '' && b.trim() !== '' && Number(a) === Number(b)) return true
  const name = (text: string) => text.toLowerCase().split('/').at(-1)
  return name(a) === name(b)
}
