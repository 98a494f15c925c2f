import { Provenance, type Segmentation, type Span } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { type UnframedReply, unframedReplies } from '../../tokens/unframed-replies.ts'
import type { Reporter, TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { carryLoss } from '../oracles/edges.ts'
import { storedPromptEnd } from '../oracles/prompt-end.ts'
import { countOf, lengthOf, runsOf } from '../oracles/spans.ts'

const found = new OfLast<Segmentation, readonly UnframedReply[]>()
const NONE: readonly UnframedReply[] = []

/** What of a rollout is looked at. */
interface Looked {
  readonly trajectory: Trajectory
  readonly ids: Int32Array
  readonly segmentation: Segmentation | null
  readonly tokenizer: Tokenizer | null
}

/** Replies between tags behind the prompt of a rollout whose ids show no turns: that of a base model, which has no template. */
export function repliesWithoutTurns({ trajectory, ids, segmentation, tokenizer }: Looked): readonly UnframedReply[] {
  if (segmentation === null || segmentation.turns.length > 0 || tokenizer === null) return NONE
  let replies = found.get(segmentation)
  if (replies === undefined) {
    const { left, right } = segmentation.padding
    const start = storedPromptEnd(trajectory, segmentation, segmentation.padding) ?? left
    replies = unframedReplies(ids, tokenizer, { start, end: ids.length - right })
    found.set(segmentation, replies)
  }
  return replies
}

/** M01 where no turns are known: what stands between tags behind a call is the environment's. */
export function lookAtUnframedReplies(view: TrajectoryView, report: Reporter): void {
  // Then nothing of the row is left out, and the prompt tells it.
  if (view.facts.trainedPrompt) return
  const mask = view.mask as Uint8Array
  const replies = repliesWithoutTurns(view)
  if (replies.length === 0) return
  const provenance = scoresPrompt(view) ? null : view.provenance
  for (const { start, end, inside } of replies) {
    // The tags themselves may be in the loss because the mask lies off.
    const isTrained = countOf(mask, 1, inside.start, inside.end) > 0 && !isOwn(provenance, inside)
    report.place(isTrained)
    if (!isTrained) continue
    const affected = runsOf(mask, 1, start, end)
    const count = lengthOf(affected)
    report.fault({
      tokens: { start: affected[0]!.start, end: affected.at(-1)!.end },
      affected,
      message: carryLoss(count, 'of a tool reply between tags, in a row without turns,'),
      evidence: { trained_tokens: count, reply_tokens: end - start, advantage: view.facts.advantage },
    })
  }
}

/** The model made it up: most of it was sampled, of which a 0.0 here and there says nothing. */
function isOwn(provenance: Uint8Array | null, { start, end }: Span): boolean {
  return provenance !== null && countOf(provenance, Provenance.sampled, start, end) * 2 > end - start
}

/** Numbers on most of the prompt are a forward pass over everything, and tell nothing of who wrote what. */
function scoresPrompt({ trajectory, provenance, segmentation }: TrajectoryView): boolean {
  if (provenance === null || segmentation === null || trajectory.sampled !== null) return false
  const { left } = segmentation.padding
  const end = storedPromptEnd(trajectory, segmentation, segmentation.padding) ?? left
  return countOf(provenance, Provenance.sampled, left, end) * 2 > end - left
}
