import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { countOf } from './spans.ts'

/** Tokens by which a prompt may begin the model's turn for it: a think tag, `Let me solve this step by step.` */
export const LONGEST_PREFILL = 16

/**
 * Token before which the prompt ends by the length that the dump stores; null where it stores none. A prompt length counts the left
 * padding in some dumps and not in others, and rarely says so: of the two places the one is meant where a turn of the model begins, and
 * where neither is such a place, the one that lies nearer to one.
 */
export function storedPromptEnd(
  { promptLength, ids, mask }: Pick<Trajectory, 'promptLength' | 'ids' | 'mask'>,
  segmentation: Segmentation | null,
  padding: { readonly left: number; readonly right: number },
): number | null {
  if (promptLength === null) return null
  const { left, right } = padding
  const without = left + promptLength
  if (left === 0 || promptLength <= left) return without
  if (without > (ids?.length ?? 0) - right) return promptLength
  const turns = segmentation?.turns.filter(({ kind }) => kind === 'assistant') ?? []
  const offBy = (at: number) =>
    turns.reduce((least, { headerEnd, contentStart }) => {
      return Math.min(least, Math.max(headerEnd - at, at - contentStart, 0))
    }, Number.POSITIVE_INFINITY)
  // A mask that is aligned to targets marks the first sampled token one place early.
  const endsPrefill = (at: number) =>
    turns.some(({ contentStart: start }) => {
      return start < at && at <= start + LONGEST_PREFILL && !mask?.subarray(start, at - 1).includes(1)
    })
  // A turn whose loss goes on from there has been sampled from there: no prompt ends behind it, wherever else one might.
  const isSampledFrom = (at: number) =>
    mask?.[at] === 1 && turns.some(({ contentStart: start }) => start < at && at <= start + LONGEST_PREFILL)
  const counted = offBy(promptLength)
  const uncounted = offBy(without)
  // Where both fit, the earlier: a second turn lies as far behind the first as the padding is long only by chance.
  if (counted === 0 || isSampledFrom(promptLength)) return promptLength
  if (uncounted === 0) return without
  if (endsPrefill(promptLength)) return promptLength
  if (endsPrefill(without)) return without
  return counted < uncounted ? promptLength : without
}

/** Whether a prompt that ends before token `at` ends with the think tag of a generation prompt: nothing says that the model wrote the tag itself. */
export function endsInThinkTag({ provenance, text }: TrajectoryView, { contentStart }: Turn, at: number): boolean {
  if (at <= contentStart || at > contentStart + LONGEST_PREFILL) return false
  if (provenance?.subarray(contentStart, at).includes(Provenance.sampled)) return false
  return /^\s*<think>\s*$/.test(text({ start: contentStart, end: at }))
}

/**
 * A turn of the model in the prompt, as long as the dump says that is, of which it says as well that nobody sampled any of it, and of later turns that
 * they were: an example. Each of the two alone can be the last of several calls, in which the turns before it are the model's.
 */
export function isExample({ trajectory, segmentation, provenance }: TrajectoryView, turn: Turn): boolean {
  const { kind, contentStart, contentEnd, end } = turn
  if (kind !== 'assistant' || trajectory.promptLength === null || segmentation === null || provenance === null)
    return false
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  if (prompt === null || end > prompt || contentStart === contentEnd) return false
  if (countOf(provenance, Provenance.notSampled, contentStart, contentEnd) < contentEnd - contentStart) return false
  return provenance.includes(Provenance.sampled, prompt)
}

/** A turn of the prompt that the model's answer begins in, from token `at` through `end` (exclusive). */
export interface AnsweredInside {
  readonly turn: Turn
  readonly at: number
  readonly end: number
}

/**
 * Where the answer begins inside a turn of the prompt, because the prompt was cut on the right and its generation prompt with it (C02); null
 * where it does not. What was sampled tells, else what is trained: nothing before that token, everything from there through the end of the
 * turn, and no turn of the model behind it to which the words could belong. Where the prompt ends it tells more surely than a stored length,
 * which may or may not count the padding.
 */
export function answerInsidePrompt(
  { sampled }: Pick<Trajectory, 'sampled'>,
  mask: Uint8Array | null,
  segmentation: Segmentation | null,
): AnsweredInside | null {
  const written = sampled ?? mask
  if (written === null || segmentation === null) return null
  const { turns, padding } = segmentation
  // Most rows end here, and before their mask is searched.
  const reply = turns.findIndex(({ kind }) => kind === 'assistant')
  const prompt = reply < 0 ? turns : turns.slice(0, Math.max(0, reply - 1))
  if (prompt.length === 0) return null
  const at = written.indexOf(1, padding.left)
  const found = answerFrom(segmentation, prompt, at)
  if (found === null) return null
  for (let i = at; i < found.end; i++) if (written[i] !== 1) return null
  return found
}

/**
 * The same where no mask tells what is trained, and prompt and response are stored apart (open-instruct): the response begins inside a turn of
 * the prompt, behind which stands what answers the model and no header of its own. That is the reply of a tool; of another turn, or of none, the sampler
 * must have logprobs from there on and none before, or the whole row has no turn of the model, which would leave two lists of ids with no word of it. A
 * length that is wrong lies in a turn that the model's header follows (S05).
 */
export function responseInsidePrompt({
  trajectory,
  mask,
  provenance,
  segmentation,
}: Pick<TrajectoryView, 'trajectory' | 'mask' | 'provenance' | 'segmentation'>): AnsweredInside | null {
  if (mask !== null || segmentation === null) return null
  const at = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  if (at === null) return null
  const { sampled, notSampled } = Provenance
  if (provenance !== null && (provenance[at] !== sampled || provenance[at - 1] !== notSampled)) return null
  const { turns } = segmentation
  const reply = turns.findIndex(({ kind }) => kind === 'assistant')
  const found = answerFrom(segmentation, reply < 0 ? turns : turns.slice(0, Math.max(0, reply - 1)), at)
  if (found === null) return null
  const { sampler } = trajectory.logprobs
  const isScored = sampler !== null && Number.isNaN(sampler[at - 1]) && !Number.isNaN(sampler[at])
  if (sampler !== null) return isScored ? found : null
  const hasNoReply = trajectory.promptApart === true && reply < 0
  return hasNoReply || turns[found.turn.index + 1]?.kind === 'tool' ? found : null
}

/** The turn among these in which words of the model may begin at a token, with no turn of its own behind it. */
function answerFrom(
  { turns, padding, parts }: Segmentation,
  prompt: readonly Turn[],
  at: number,
): AnsweredInside | null {
  const turn = prompt.find(({ start, end }) => start <= at && at < end)
  if (turn === undefined || turn.kind === 'other' || turn.header !== 'present') return null
  if (at <= turn.contentStart || at >= turn.contentEnd) return null
  const next = turns[turn.index + 1]?.kind ?? 'tool'
  // Behind a system turn stands the question, to which none of its words can be the answer.
  if (next !== 'tool' && (next !== 'user' || turn.kind === 'system')) return null
  // A row that was cut as well ends without an end token.
  if (turn.endToken < 0 && turn.contentEnd < parts.length - padding.right) return null
  return { turn, at, end: turn.endToken < 0 ? turn.contentEnd : turn.endToken + 1 }
}
