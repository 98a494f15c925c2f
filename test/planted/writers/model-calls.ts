import type { PlantedRollout, PlantedToken } from '../rollout.ts'

/** One request to the model: how many tokens its prompt has, and what was generated after it. */
export interface ModelCall {
  readonly prompt: readonly PlantedToken[]
  readonly generated: readonly PlantedToken[]
}

/** Runs of sampled tokens, each a call whose prompt is everything before. Padding is nobody's. */
export function callsOf({ tokens }: PlantedRollout): ModelCall[] {
  const real = tokens.filter(({ part }) => part !== 'padding')
  const calls: ModelCall[] = []
  for (let at = 0; at < real.length; at++) {
    if (!(real[at] as PlantedToken).sampled) continue
    let end = at
    while (end < real.length && (real[end] as PlantedToken).sampled) end++
    calls.push({ prompt: real.slice(0, at), generated: real.slice(at, end) })
    at = end
  }
  return calls
}
