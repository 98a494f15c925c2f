/**
 * Fields by which dumps name what rewards a rollout: prime-rl (`env_name`), verl and SkyRL (`data_source`, `env_class`), open-instruct
 * (`dataset`), verifiers 1 (`env`), and what people call it.
 */
export const ENVIRONMENT_NAMES = [
  'env_name',
  'data_source',
  'env_class',
  'environment',
  'env',
  'env_id',
  'dataset',
] as const
