import type { RolloutFilter } from '../../../shared/model/report.ts'
import type { ComparedMeasure } from '../../../shared/session/requests/compare.ts'
import { behindShare, type Shows } from '../verdicts/number-link.tsx'

type Compared = Pick<ComparedMeasure, 'id' | 'here' | 'there' | 'codes'>

/** Queries for the tokens that a share is of, by the id of the measure. */
const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/^loss\.part (\w+)$/, 'part:$1'],
  [/^loss\.turn (\d+)$/, 'assistant_turn:$1 role:assistant -part:header,separator'],
]

/** Queries for the rollouts that a mean is taken over, and of a percentile those beyond it (`N`), by the id of the measure. */
const MEANS: readonly (readonly [RegExp, string])[] = [
  [/^reward\.mean$/, 'has:reward'],
  [/^reward\.component (\w+)$/, 'reward.$1>=0 or reward.$1<0'],
  [/^reward\.advantage$/, 'has:advantage'],
  [/^lengths\.sequence$/, 'tokens>=0'],
  [/^lengths\.sequence p95$/, 'tokens>=N'],
  [/^lengths\.prompt$/, 'prompt_tokens>=0'],
  [/^lengths\.prompt p95$/, 'prompt_tokens>=N'],
  [/^lengths\.assistant-turn$/, 'turn_tokens>=0'],
  [/^lengths\.assistant-turn p95$/, 'turn_tokens>=N'],
  [/^lengths\.tool-reply$/, 'reply_tokens>=0'],
  [/^lengths\.tool-reply p95$/, 'reply_tokens>=N'],
  [/^turns\.(assistant|tool)$/, 'has:turns'],
  [/^logprobs\.gap$/, 'has:logprob_gap'],
]

/** Of edges of a kind all are counted, those that lack something as well: a share of 0 is told by them too. */
const EDGE = /^edges\.(\S+) \w+$/

/** The rollouts of one of the runs behind its number; null where it is 0, or no query finds them. */
export function behindCompared({ id, codes, ...values }: Compared, side: 'here' | 'there' = 'here'): Shows | null {
  const value = values[side]
  if (typeof value === 'string' || value === null) return null
  const shown = behindValue(id, value, codes, side === 'here' ? 'the open run' : 'the second run')
  if (shown === null || side === 'here') return shown
  return { ...shown, title: `${shown.title}. The second run is opened in place of the first` }
}

function behindValue(id: string, value: number, codes: readonly string[], run: string): Shows | null {
  for (const [name, tokens] of TOKENS) if (name.test(id)) return behindShare(value, id.replace(name, tokens))
  const edge = EDGE.exec(id)?.[1]
  if (edge !== undefined)
    return { behind: { query: `edge:${edge}` }, title: `Show the rollouts of ${run} with such an edge` }
  for (const [name, rollouts] of MEANS) {
    if (!name.test(id)) continue
    const query = id.replace(name, rollouts).replace('N', String(Math.floor(value)))
    return { behind: { query }, title: `Show the rollouts of ${run} that it is taken over: ${query}` }
  }
  if (value === 0) return null
  const end = /^ends\.(stop|cut-prose|cut-call|cut-reply|prompt-only)$/.exec(id)?.[1] as RolloutFilter['end']
  if (end !== undefined) return { behind: { where: { end } }, title: `Show the rollouts of ${run} that end so` }
  if (id === 'ends.flagged')
    return { behind: { query: 'truncated' }, title: `Show the rollouts of ${run} that it flags as truncated` }
  if (id === 'ends.excluded') {
    const query = 'excluded or (has:mask trained_tokens:0)'
    return { behind: { query }, title: `Show the rollouts of ${run} that the loss leaves out whole` }
  }
  if (codes.length > 0) return { behind: { codes }, title: `Show the rollouts of ${run} with ${codes.join(', ')}` }
  if (id === 'ends.lost' || id === 'loss.lost')
    return { behind: { where: { lostText: true } }, title: `Show the rollouts of ${run} of which text was lost` }
  if (id === 'turns.several')
    return {
      behind: { query: 'assistant_turns>=2' },
      title: `Show the rollouts of ${run} that have a second turn`,
    }
  return null
}
