import { ENVIRONMENT_NAMES } from '../../model/environment-names.ts'
import type { Trajectory } from '../../model/trajectory.ts'

/** Characters of a word by which a task is called; what is longer is a sentence whose words are joined. */
const LONGEST_WORD = 32

/**
 * The environment of a rollout; null where its record names none. A `task` may be a question or the id of one: where the format does not say that it is
 * none, it is read as a name if it is one word of letters (`code`, `multi-hop`).
 */
export function environmentFact({ environment, meta }: Trajectory): { readonly environment: string } | null {
  let named = nameIn(environment)
  for (let i = 0; named === null && i < ENVIRONMENT_NAMES.length; i++)
    named = nameIn(meta[ENVIRONMENT_NAMES[i] as string])
  named ??= wordIn(meta.task)
  return named === null ? null : { environment: named }
}

function wordIn(value: unknown): string | null {
  return typeof value === 'string' && value.length <= LONGEST_WORD && /^\p{L}+([-_/]\p{L}+)*$/u.test(value)
    ? value
    : null
}

/**
 * open-instruct lists the verifiers of a prompt, most often one. An episode of verifiers 1 holds the id of its environment beside the name that the run gave
 * it, by which two settings of one environment are told apart.
 */
function nameIn(value: unknown): string | null {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof one === 'object' && one !== null) return textIn(one, 'name') ?? textIn(one, 'id')
  return typeof one === 'string' && one !== '' ? one : null
}

function textIn(object: object, key: 'name' | 'id'): string | null {
  const value = (object as Readonly<Record<string, unknown>>)[key]
  return typeof value === 'string' && value !== '' ? value : null
}
