import type { TrajectoryView } from '../checks/check.ts'
import { lostAtEnd } from '../checks/texts/lost-tokens.ts'
import { cutReplies } from '../checks/truncation/cut-replies.ts'
import { findMarker } from '../checks/truncation/cut-text.ts'
import type { Span } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { tokenTexts } from '../tokens/text.ts'
import type { TokenTable } from '../tokens/tokenizer.ts'
import type { TrajectoryDetail } from './protocol.ts'

/** The gaps of one rollout: where text should be and is not, as far as the ids and the messages tell. */
export function lostText(trajectory: Trajectory, view: TrajectoryView | null): TrajectoryDetail['lost'] {
  const segmentation = view?.segmentation ?? null
  if (view === null || segmentation === null) return []
  const gaps: TrajectoryDetail['lost'][number][] = []
  const { padding } = segmentation
  if (segmentation.cutLeft) {
    gaps.push({
      at: padding.left,
      tokens: null,
      text: null,
      what: 'The beginning of the prompt is not in the sequence',
    })
  }
  gaps.push(...cutReplyGaps(trajectory, view))
  const { ids, tokenizer, facts } = view
  const lost = lostAtEnd(trajectory, { ids, padding, segmentation, tokenizer, text: view.text }, facts.endReason)
  if (lost !== null) {
    const what = 'The messages go on, the sequence does not'
    gaps.push({ at: ids.length - padding.right, tokens: lost.tokens, text: lost.text, what })
  } else if (segmentation.cutRight) {
    gaps.push({ at: ids.length - padding.right, tokens: null, text: null, what: 'The last turn is not closed' })
  }
  return gaps
}

const SHOWN_BY = {
  marker: 'its own mark says so',
  'open tag': 'its tag is never closed',
  messages: 'the messages hold more of it',
} as const

/** Tool replies that a limit cut while the rollout went on. Their missing text is known as letters and digits alone. */
function cutReplyGaps(trajectory: Trajectory, view: TrajectoryView): TrajectoryDetail['lost'][number][] {
  const { ids, segmentation, tokenizer, thresholds } = view
  if (tokenizer === null) return []
  return cutReplies(trajectory, { ids, segmentation, tokenizer, thresholds }).map((reply) => {
    const { span, side, lost, turn } = reply
    const at = side === 'left' ? span.start : side === 'right' ? span.end : seamOf(tokenizer.table, ids, span)
    const place = { left: 'beginning', middle: 'middle', right: 'end' }[side]
    const amount = lost === null ? '' : ` (${lost.length.toLocaleString('en-US')} characters without punctuation)`
    return {
      at,
      tokens: null,
      text: lost,
      what: `The ${place} of the tool reply in turn ${turn.index} was cut${amount}: ${SHOWN_BY[reply.shownBy]}`,
    }
  })
}

/** The token at which the mark of a cut stands, the middle of the reply where it has none. */
function seamOf(table: TokenTable, ids: Int32Array, { start, end }: Span): number {
  const { text, textOffsets } = tokenTexts(table, ids.subarray(start, end))
  const marker = findMarker(text)
  const seam = marker?.before ?? text.length / 2
  const token = textOffsets.findIndex((offset) => offset >= seam)
  return token < 0 ? end : start + token
}
