import type { RunFacts } from './run-facts.ts'

/** The folder of a run whose rollouts verl keeps (verl/utils/skip/rollout_skip.py): batch size, rollouts of a prompt, lengths. */
const KEPT_RUN = /(?:^|\/)GBS\d+_N(\d+)_in(\d+)_out(\d+)(?=\/)/

/** What a path tells of the run of its file; null where it tells nothing. Zero stands for what the run has not set. */
export function runOfName(path: string): RunFacts | null {
  const found = KEPT_RUN.exec(path)
  if (found === null) return null
  const [size, prompt, completion] = found.slice(1).map(Number) as [number, number, number]
  return {
    model: null,
    groupSize: size > 1 ? size : null,
    limits: {
      ...(prompt > 0 ? { max_prompt_length: prompt } : {}),
      ...(completion > 0 ? { max_completion_length: completion } : {}),
    },
  }
}
