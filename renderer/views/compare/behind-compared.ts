import type { ComparedMeasure } from '../../../shared/session/requests/compare.ts'
import { behindShare, type Shows } from '../verdicts/number-link.tsx'

type Compared = Pick<ComparedMeasure, 'id' | 'here' | 'codes'>

/** Queries for the tokens that a share is of, by the id of the measure. */
const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/^loss\.part (\w+)$/, 'part:$1'],
  [/^loss\.turn (\d+)$/, 'assistant_turn:$1 role:assistant -part:header,separator'],
]

/** The rollouts of the open run behind its number; null where it is 0, is a mean over all of them, or no query finds them. */
export function behindCompared({ id, here, codes }: Compared): Shows | null {
  if (typeof here === 'string' || here === null) return null
  for (const [name, tokens] of TOKENS) if (name.test(id)) return behindShare(here, id.replace(name, tokens))
  if (here === 0) return null
  if (codes.length > 0)
    return { behind: { codes }, title: `Show the rollouts of the open run with ${codes.join(', ')}` }
  if (id === 'ends.lost' || id === 'loss.lost')
    return { behind: { where: { lostText: true } }, title: 'Show the rollouts of the open run of which text was lost' }
  if (id === 'turns.several')
    return {
      behind: { query: 'assistant_turns>=2' },
      title: 'Show the rollouts of the open run that have a second turn',
    }
  return null
}
