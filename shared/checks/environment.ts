import type { Trajectory } from '../model/trajectory.ts'

/**
 * Fields by which dumps name what rewards a rollout: prime-rl (`env_name`), verl and SkyRL (`data_source`, `env_class`), open-instruct
 * (`dataset`), verifiers 1 (`env`), and what people call it. A `task` may be a question, and is read where the format says that it is none.
 */
const NAMES = ['env_name', 'data_source', 'env_class', 'environment', 'env', 'env_id', 'dataset'] as const

/** The environment of a rollout; null where its record names none. */
export function environmentFact({ environment, meta }: Trajectory): { readonly environment: string } | null {
  let named = nameIn(environment)
  for (let i = 0; named === null && i < NAMES.length; i++) named = nameIn(meta[NAMES[i] as string])
  return named === null ? null : { environment: named }
}

/** open-instruct lists the verifiers of a prompt, most often one. */
function nameIn(value: unknown): string | null {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : null
}
