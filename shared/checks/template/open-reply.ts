import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import type { RemovedMarker } from './removed-markers.ts'

/**
 * A turn behind the model's first that another wrote, that another turn follows and that has no end token, as decoding with `skip_special_tokens` or a hand
 * that glues turns together leaves it: no string stops a turn that nobody samples. Of those in the prompt C02 tells, and where the template closes no such
 * turn, or the row none of its kind or of the prompt, nothing is missing.
 */
export function openReply(view: TrajectoryView, turn: Turn): RemovedMarker | null {
  const { segmentation, tokenizer } = view
  const { kind, header, endToken, index, contentStart, contentEnd } = turn
  if (segmentation === null || endToken >= 0 || header !== 'present' || contentEnd === contentStart) return null
  if (kind === 'assistant' || kind === 'other' || kind === 'system') return null
  if (tokenizer?.frame?.unclosed?.some((role) => role === kind)) return null
  const next = segmentation.turns[index + 1]
  if (next?.header !== 'present' || next.kind === 'other') return null
  const { firstAnswer, closesOthers } = closingOf(segmentation)
  if (!closesOthers || firstAnswer < 0 || index < firstAnswer) return null
  return {
    start: contentEnd - 1,
    end: contentEnd,
    what: `The end token of a ${kind} turn is not there, and ${next.kind === 'assistant' ? 'an' : 'a'} ${next.kind} turn follows: no stop string ends what the model did not write`,
  }
}

interface Closing {
  /** Of all turns; -1 where the model has none. */
  readonly firstAnswer: number
  /** Somebody else's words have an end token. */
  readonly closesOthers: boolean
}

const known = new OfLast<Segmentation, Closing>()

function closingOf(segmentation: Segmentation): Closing {
  let closing = known.get(segmentation)
  if (closing === undefined) {
    closing = {
      firstAnswer: segmentation.turns.findIndex(({ kind }) => kind === 'assistant'),
      closesOthers: segmentation.turns.some(({ kind, endToken }) => kind !== 'assistant' && endToken >= 0),
    }
    known.set(segmentation, closing)
  }
  return closing
}
