import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { isCertainBlock } from '../logprobs/certain-block.ts'
import { OfLast } from '../of-last.ts'
import { isBehindZeros } from '../truncation/zeros-before.ts'
import { storedPromptEnd } from './prompt-end.ts'
import { countOf } from './spans.ts'

/**
 * The model writes the blocks between its headers and its words itself, such as an empty thought: the dump says of a token of one of them in this
 * rollout that it was sampled, and of no token of that block that it was not. An exact 0.0 in such a block is a logprob, and no sign of a prefill.
 * Where the dump says of no token who wrote it, the block's own numbers or the prompt may; and a rollout without a block does, that opens a thought of its
 * own where its prompt ends: what the template writes there it would have written there too.
 */
export function writesItsBlocks(
  trajectory: Trajectory,
  segmentation: Segmentation,
  { provenance, mask }: { readonly provenance: Uint8Array | null; readonly mask: Uint8Array | null },
  table: TokenTable,
): boolean {
  if (provenance === null) {
    const withBlocks = segmentation.turns.filter(hasBlock)
    if (withBlocks.length === 0) return mask !== null && opensThought(trajectory, segmentation, mask)
    return (
      withBlocks.some((turn) => isScored(trajectory, turn) && isBehindZeros(trajectory, segmentation, turn)) ||
      isAskedNotToThink(trajectory, segmentation, table)
    )
  }
  return segmentation.turns.some(
    ({ kind, headerEnd, contentStart }) =>
      kind === 'assistant' &&
      countOf(provenance, Provenance.sampled, headerEnd, contentStart) > 0 &&
      countOf(provenance, Provenance.notSampled, headerEnd, contentStart) === 0,
  )
}

/** What is known of a rollout that says whether blocks are the model's. */
interface Looked {
  readonly trajectory: Trajectory
  readonly segmentation: Segmentation
  readonly provenance: Uint8Array | null
  /** As `writesItsBlocks` says of this rollout, or of others beside it. */
  readonly writesBlocks: boolean
  readonly thresholds: Thresholds
  readonly table: TokenTable
}

/**
 * Whether the block of a turn may be the model's, of which the dump does not say who wrote it: the model writes such blocks itself, or both engines were
 * certain of it. Where the dump says of no token who wrote it, this rollout itself must: others that hold blocks of the model's are not enough
 * without its own numbers, or a prompt that asks for the block or ends where it begins.
 */
export function isOwnBlock(looked: Looked, turn: Turn): boolean {
  const { trajectory, segmentation, provenance, writesBlocks, thresholds, table } = looked
  if (provenance !== null && (writesBlocks || isCertainBlock(trajectory, turn, thresholds))) return true
  // Flags that leave a block open say as little of it.
  if (provenance !== null) return trajectory.sampled !== null && isAskedNotToThink(trajectory, segmentation, table)
  if (!writesBlocks || !hasBlock(turn)) return false
  return (
    isBehindZeros(trajectory, segmentation, turn) ||
    isAskedNotToThink(trajectory, segmentation, table) ||
    beginsWithBlock(trajectory, segmentation)
  )
}

/** Rollouts beside it decide whether to think where their prompts end; so did this one, whose first block stands behind its prompt. */
function beginsWithBlock(trajectory: Trajectory, segmentation: Segmentation): boolean {
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  return segmentation.turns.some((turn) => hasBlock(turn) && turn.headerEnd === prompt)
}

/** The stored prompt ends with a header, and what is trained behind it begins with a thought. */
function opensThought(trajectory: Trajectory, segmentation: Segmentation, mask: Uint8Array): boolean {
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  return segmentation.turns.some(
    ({ kind, headerEnd, spans }) =>
      kind === 'assistant' &&
      headerEnd === prompt &&
      mask[headerEnd] === 1 &&
      spans.some(({ part, start }) => part === 'think' && start === headerEnd),
  )
}

/** Scored tokens of a block by which an engine sampled it: an array that lies one token early brings one number into a prefill. */
const LEAST_SCORED = 2

const hasBlock = ({ kind, headerEnd, contentStart }: Turn) => kind === 'assistant' && contentStart > headerEnd

function isScored({ logprobs: { sampler } }: Pick<Trajectory, 'logprobs'>, { headerEnd, contentStart }: Turn): boolean {
  if (sampler === null) return false
  let scored = 0
  for (let i = headerEnd; i < contentStart; i++) if ((sampler[i] as number) < 0) scored++
  return scored >= LEAST_SCORED
}

/**
 * The prompt asks for no thought by Qwen3's own word, and ends with the header: the empty thought that answers it is the model's. Without that word a
 * template may have written the block into what was rendered again (V8).
 */
function isAskedNotToThink(trajectory: Trajectory, segmentation: Segmentation, table: TokenTable): boolean {
  let asked = known.get(segmentation)
  if (asked === undefined) {
    asked = readsNotToThink(trajectory, segmentation, table)
    known.set(segmentation, asked)
  }
  return asked
}

const known = new OfLast<Segmentation, boolean>()

function readsNotToThink(trajectory: Trajectory, segmentation: Segmentation, table: TokenTable): boolean {
  const { ids } = trajectory
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  if (ids === null || prompt === null) return false
  const turn = segmentation.turns.find(({ kind, headerEnd }) => kind === 'assistant' && headerEnd === prompt)
  return turn !== undefined && hasBlock(turn) && isSwitchedOff(ids, segmentation, turn, table)
}

/** The last of Qwen3's words before a turn that says whether to think says not to. */
function isSwitchedOff(ids: Int32Array, segmentation: Segmentation, turn: Turn, table: TokenTable): boolean {
  for (let index = turn.index - 1; index >= 0; index--) {
    const { kind, contentStart, contentEnd } = segmentation.turns[index] as Turn
    if (kind !== 'user' && kind !== 'system') continue
    const text = decodeSpan(table, ids, contentStart, contentEnd)
    // Of several such words the last one holds.
    const last = [...text.matchAll(SWITCHES)].at(-1)
    if (last !== undefined) return last[0] === '/no_think'
  }
  return false
}

/**
 * The block of a turn answers a prompt that asks for no thought, and all that says that the model did not sample it are logprobs of exactly 0.0: a model that
 * was asked for the block is certain of it, and a format that writes 0.0 for what nobody sampled writes the same of a prefill. The stored prompt must not hold
 * it, and all of it must be trained.
 */
export function mayAnswerSwitch(
  {
    trajectory,
    segmentation,
    mask,
    table,
  }: Pick<Looked, 'trajectory' | 'segmentation' | 'table'> & { readonly mask: Uint8Array },
  turn: Turn,
): boolean {
  const { ids, sampled, logprobs } = trajectory
  const { sampler } = logprobs
  const { headerEnd, contentStart } = turn
  if (ids === null || sampled !== null || sampler === null || !hasBlock(turn)) return false
  for (let at = headerEnd; at < contentStart; at++) if (sampler[at] !== 0 || mask[at] !== 1) return false
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  const first = segmentation.turns.find(hasBlock)
  return (prompt === null || prompt === first?.headerEnd) && isSwitchedOff(ids, segmentation, turn, table)
}

/** Qwen3's words by which a message turns thoughts on and off; no tags and no paths. */
const SWITCHES = /(?<![\w<./])\/(?:no_)?think\b/g
