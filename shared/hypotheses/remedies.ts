import { measured } from '../model/number-text.ts'
import type { HypothesisId, HypothesisResult, Measure } from '../model/report.ts'
import { ONLY_REWARD } from './h05.ts'
import { NOT_SHARED } from './h08.ts'

/** What to do about a supported hypothesis that no fault stands behind: its measures alone speak for it. */
const REMEDIES: Readonly<Record<HypothesisId, string>> = {
  H01: 'Leave rewards unscaled, or add an epsilon that is larger than the noise of the reward.',
  H02: 'See by part which tokens carry the loss, and mask those that the model did not write.',
  H03: 'Hold the KL of the loss against its declared formula, or leave it out (beta 0).',
  H04: 'Raise the limit that cuts most, or shorten what fills it; the lab shows what each limit costs.',
  H05: 'Take prompts that the model solves sometimes, neither always nor never, or a reward that grades answers more finely.',
  'H06-library': 'Look first at what both runs share, the trainer and its settings, and not at turns.',
  'H06-lora': 'See that the sampler gets the new weights after every step.',
  H07: 'See what later turns have and the first one has not.',
  H08: 'Give both runs the same prompts, limits and reward function before their rewards are compared.',
}

/** In one sentence. */
export function remedyOf({ id, because }: Pick<HypothesisResult, 'id' | 'because'>): string {
  const only = because.find(({ measure }) => measure === ONLY_REWARD)?.value
  if (id === 'H05' && typeof only === 'number') return ofOneReward(only)
  if (id === 'H08') return ofTwoRuns(because)
  return REMEDIES[id]
}

/** Only what was found to differ is to be made alike: prompts that agree are not what is wrong. */
function ofTwoRuns(because: readonly Measure[]): string {
  const speaking = because.filter(({ speaks }) => speaks === 'for')
  const found = NOT_SHARED.filter(([start]) => speaking.some(({ measure }) => measure.startsWith(start)))
  const what = [...new Set(found.map(([, each]) => each))]
  if (what.length === 0) return REMEDIES.H08
  const all = what.length === 1 ? what[0] : `${what.slice(0, -1).join(', ')} and ${what.at(-1)}`
  return `Give both runs the same ${all} before their rewards are compared.`
}

function ofOneReward(only: number): string {
  const same = `Every reward of a complete group is ${measured(ONLY_REWARD, only)}: see that the reward function can tell a right answer from a wrong one`
  if (only > 0) return `${same}, and if all are right, take harder prompts.`
  return `${same}, and if none is right, take easier prompts.`
}
