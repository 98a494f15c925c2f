import type { Span } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { encoded } from '../texts/encoded.ts'

/** What became of a rollout's sampled text when it was encoded again. */
export interface Drift {
  /** Tokens that were compared. */
  readonly tokens: number
  /** Turns whose own ids are another split than the tokenizer's; looking ends at the first. */
  readonly splits: number
}

/**
 * Records of a source of whose first rollout the sampled text is encoded again, and those of which all are: enough to tell of a dump,
 * and only the workers that read them need an encoder.
 */
export const DRIFT_RECORDS = 256
export const DRIFT_GROUPS = 32

/** Tokens of one rollout that are encoded again at most. */
const MOST_TOKENS = 2048

/** Tokens before the end of a text that was cut short to encode it: the last word may be another one without its end. */
const UNSURE_TOKENS = 32

/** Null where the rollout is not one of those that are looked at, or has no text that it claims to have sampled. */
export function driftOf(view: TrajectoryView): Drift | null {
  const { tokenizer, ids, text } = view
  if (tokenizer === null) return null
  let tokens = 0
  for (const span of sampledText(view)) {
    const own = text(span)
    // A character that a cut left half of cannot be spelt again.
    if (own.includes('\uFFFD')) continue
    const again = encoded(tokenizer, own, { specials: true })
    if (again === null) continue
    tokens += span.compared
    for (let i = 0; i < span.compared; i++) if (again[i] !== ids[span.start + i]) return { tokens, splits: 1 }
    if (span.isWhole && again.length !== span.compared) return { tokens, splits: 1 }
  }
  return tokens === 0 ? null : { tokens, splits: 0 }
}

/** Tokens that `driftOf` would compare, found without an encoder. */
export function driftTokens(view: Sampled): number {
  return sampledText(view).reduce((sum, { compared }) => sum + compared, 0)
}

/** What tells which tokens were sampled. */
type Sampled = Pick<TrajectoryView, 'trajectory' | 'segmentation' | 'mask'>

interface SampledText extends Span {
  readonly compared: number
  /** It ends where the turn does. */
  readonly isWhole: boolean
}

/** What the model wrote of a rollout, turn by turn from the first on, as much as is looked at. */
function sampledText({ trajectory, segmentation, mask }: Sampled): SampledText[] {
  const { record, part } = trajectory.place
  if (record >= (part === 0 ? DRIFT_RECORDS : DRIFT_GROUPS)) return []
  // Stored response ids are compared token by token instead.
  if (segmentation === null || storedResponse(trajectory) !== null) return []
  const found: SampledText[] = []
  let room = MOST_TOKENS
  for (const { contentStart: start, contentEnd, end, spans } of writtenTurns(segmentation)) {
    const history = trajectory.promptLength !== null && end <= trajectory.promptLength
    const spliced = spans.some(({ part }) => part === 'tool')
    if (history || spliced || (mask !== null && mask[contentEnd - 1] !== 1)) continue
    const length = contentEnd - start
    const isWhole = length <= room
    const compared = isWhole ? length : room - UNSURE_TOKENS
    if (compared > 0) found.push({ start, end: isWhole ? contentEnd : start + room, compared, isWhole })
    if (!isWhole) break
    room -= length
  }
  return found
}

/** Names under which dumps keep what was sampled beside the sequence that is trained. */
const STORED = ['response_ids', 'completion_ids', 'response_token_ids', 'generation_token_ids', 'sampled_ids']

/** The sampled ids that a dump keeps beside its sequence; null where it keeps none. */
export function storedResponse({ meta }: Trajectory): { readonly name: string; readonly ids: Int32Array } | null {
  for (const name of STORED) {
    const value = meta[name]
    if (!Array.isArray(value) && !ArrayBuffer.isView(value)) continue
    const numbers = Array.from(value as ArrayLike<unknown>)
    if (numbers.length > 0 && numbers.every((id) => Number.isInteger(id))) {
      return { name, ids: Int32Array.from(numbers as number[]) }
    }
  }
  return null
}
