import type { PlantedRollout, PlantedToken } from '../rollout.ts'

/** In two rollouts of 64, a changed prompt is another one than those of their groups. */
export const OTHER_PROMPT = {
  A05: 'the prompts of its group differ',
  T09: 'the system texts of its group differ',
}

/** Puts ids in the place of tokens; they are of the same turn and part as the one before them. */
export function replace(
  rollout: PlantedRollout,
  start: number,
  end: number,
  ids: readonly number[],
  sampled = false,
): void {
  const like = (rollout.tokens[start] ?? rollout.tokens[start - 1]) as PlantedToken
  const tokens = ids.map((id): PlantedToken => {
    const score = sampled ? -0.25 : Number.NaN
    const context = like.part === 'padding' ? Number.NaN : -0.5
    return { ...like, id, sampled, trained: sampled, sampler: score, trainer: context, reference: context }
  })
  rollout.tokens.splice(start, end - start, ...tokens)
  if (start < rollout.promptLength) rollout.promptLength += ids.length - (end - start)
}
