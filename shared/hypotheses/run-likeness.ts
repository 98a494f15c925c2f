import type { Rows } from '../checks/grouping/run-pairs.ts'
import type { HypothesisInput, SecondRun } from './hypothesis.ts'

/** What two runs name, where no name of the one is a name of the other. */
export interface OtherNames {
  readonly here: string
  readonly there: string
}

/** The models of two runs where both name theirs and none is the same; null elsewhere. */
export function otherModels(here: Rows, there: Rows): OtherNames | null {
  const [own, other] = [modelsOf(here), modelsOf(there)]
  if (own.size === 0 || other.size === 0 || [...own.keys()].some((model) => other.has(model))) return null
  return { here: listed(own), there: listed(other) }
}

/** The tokenizers of two runs where both are known and not the same; null elsewhere. */
export function otherTokenizers(here: string | null | undefined, there: string | null | undefined): OtherNames | null {
  return here == null || there == null || here === there ? null : { here, there }
}

/**
 * What a verdict on both runs lacks where they are not of one model: a difference between them may be that of the models, and the
 * measure is no longer two-sided (decision 13).
 */
export function lackOfSameModel(input: HypothesisInput, { dump, tokenizer }: SecondRun): string[] {
  const tokenizers = otherTokenizers(input.tokenizer, tokenizer)
  const models = otherModels(input.dump.facts, dump.facts)
  const names = models ?? tokenizers
  if (names === null) return []
  const what = models === null ? 'by the same tokenizer' : 'of the same model'
  return [`a second run ${what}: the open run has ${names.here}, the second ${names.there}`]
}

/** Rollouts that a verdict on both runs rests on: those of the smaller one that has any. */
export function fewerRollouts({ dump }: HypothesisInput, against: SecondRun): number {
  const [own, other] = [dump.facts.length, against.dump.facts.length]
  return own === 0 || other === 0 ? Math.max(own, other) : Math.min(own, other)
}

/** By the last part of its name, in small letters: `Qwen/Qwen2.5-7B` and `models/qwen2.5-7b` are one. */
function modelsOf(rows: Rows): Map<string, string> {
  const models = new Map<string, string>()
  let last: string | null = null
  for (const { model } of rows) {
    if (model === null || model === last) continue
    last = model
    const name =
      model
        .replace(/(?<!\/)\/+$/, '')
        .split('/')
        .at(-1) ?? model
    if (!models.has(name.toLowerCase())) models.set(name.toLowerCase(), model)
  }
  return models
}

const MOST_NAMED = 2

function listed(models: ReadonlyMap<string, string>): string {
  const names = [...models.values()].map((name) => name.slice(0, 80))
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
