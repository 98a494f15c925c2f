import type { Tokenizer } from '../shared/tokens/tokenizer.ts'
import type { ModelTurn, SampleConversation } from './conversation.ts'
import { type Family, type Piece, type Rendered, renderPieces } from './frames.ts'

/** One rollout as a trainer laid it out. All arrays have length S. */
export interface Sequence {
  readonly ids: number[]
  /** 1 = trained. */
  readonly mask: number[]
  /** Number of the model's turn that wrote this token, 0 where the model did not write it. */
  readonly sampled: number[]
  /** As the forward pass saw it. */
  readonly attention: number[]
  readonly promptLength: number
  readonly truncated: boolean
  readonly finishReason: 'stop' | 'length'
  /** The conversation as it went, with a last turn that was stopped by the limit of a turn. */
  readonly turns: readonly ModelTurn[]
}

export interface TrainerLimits {
  readonly max_prompt_length: number
  readonly max_seq_len: number
}

/** Turns a conversation into the sequence that the loss saw. */
export type Trainer = (conversation: SampleConversation, run: TrainerRun) => Sequence

export interface TrainerRun {
  readonly tokenizer: Tokenizer
  readonly family: Family
  readonly tools: readonly unknown[]
  readonly limits: TrainerLimits
  /** Most tokens in one turn of the model. */
  readonly maxTokens: number
}

interface EncodedPiece extends Piece {
  readonly ids: readonly number[]
}

function rendered(conversation: SampleConversation, tools: readonly unknown[]): Rendered {
  return { system: conversation.system, user: conversation.user, turns: conversation.turns, tools }
}

/** Pieces with their ids; a turn longer than the limit of a turn loses what is over it, its end token first. */
function encodePieces(conversation: SampleConversation, run: TrainerRun, tools: readonly unknown[]): EncodedPiece[] {
  return renderPieces(run.family, rendered(conversation, tools)).map((piece) => {
    const ids = run.tokenizer.encode(piece.text, { specials: true })
    return { ...piece, ids: piece.kind === 'sampled' ? ids.slice(0, run.maxTokens) : ids }
  })
}

/** The last turn as it was sampled: cut where the limit of a turn cut it. */
function sampledTurns(conversation: SampleConversation, pieces: readonly EncodedPiece[], run: TrainerRun): ModelTurn[] {
  if (!conversation.endless) return [...conversation.turns]
  const last = pieces.findLast((piece) => piece.kind === 'sampled') as EncodedPiece
  const whole = decode(run.tokenizer, last.ids)
  const turn = conversation.turns.at(-1) as ModelTurn
  const text = whole.slice(whole.indexOf('</think>') + '</think>\n'.length)
  return [...conversation.turns.slice(0, -1), { ...turn, text }]
}

function decode({ table }: Tokenizer, ids: readonly number[]): string {
  const decoder = new TextDecoder()
  return ids
    .map((id) => decoder.decode(table.bytes.subarray(table.offsets[id], table.offsets[id + 1]), { stream: true }))
    .join('')
}

interface Layout {
  readonly keep: (piece: Piece) => boolean
  readonly train: (piece: Piece) => boolean
}

function lay(pieces: readonly EncodedPiece[], { keep, train }: Layout): Pick<Sequence, 'ids' | 'mask' | 'sampled'> {
  const ids: number[] = []
  const mask: number[] = []
  const sampled: number[] = []
  for (const piece of pieces.filter(keep)) {
    for (const id of piece.ids) {
      ids.push(id)
      mask.push(train(piece) ? 1 : 0)
      sampled.push(piece.kind === 'sampled' ? piece.turn : 0)
    }
  }
  return { ids, mask, sampled }
}

function promptLength(pieces: readonly EncodedPiece[]): number {
  return pieces.slice(0, 2).reduce((sum, piece) => sum + piece.ids.length, 0)
}

/** A trainer that gets everything right: the rendered conversation up to the last end token, trained where it was sampled. */
export const correct: Trainer = (conversation, run) => {
  const pieces = encodePieces(conversation, run, run.tools)
  const last = pieces.at(-1)
  const laid = lay(pieces, {
    keep: (piece) => !(piece === last && piece.kind === 'separator'),
    train: (piece) => piece.kind === 'sampled',
  })
  return {
    ...laid,
    attention: laid.ids.map(() => 1),
    promptLength: promptLength(pieces),
    truncated: false,
    finishReason: 'stop',
    turns: conversation.turns,
  }
}

/**
 * The verifiers code between 8 and 13 July 2025 (`process_chat_format`): the growing conversation is rendered to text and
 * encoded again, and everything that an assistant message adds to it is trained. The first header is part of the prompt; later
 * ones, and every separator, are not. Rendered Llama text already holds the BOS that encoding then puts before it.
 */
export const verifiersJuly: Trainer = (conversation, run) => {
  const pieces = encodePieces(conversation, run, run.tools)
  const laid = lay(pieces, {
    keep: () => true,
    train: ({ kind, turn }) => kind === 'sampled' || kind === 'separator' || (kind === 'generation' && turn > 1),
  })
  const bos = run.tokenizer.frame?.bos.find((id) => id === laid.ids[0])
  const again = bos === undefined ? [] : [bos]
  const ids = [...again, ...laid.ids]
  return {
    ids,
    mask: [...again.map(() => 0), ...laid.mask],
    sampled: [...again.map(() => 0), ...laid.sampled],
    attention: ids.map(() => 1),
    promptLength: promptLength(pieces) + again.length,
    truncated: false,
    finishReason: 'stop',
    turns: conversation.turns,
  }
}

/**
 * The verifiers code of August 2025 (`process_chat_format_vllm` and its trainer). The prompt is rendered without the tools; the
 * model's turns are the ids it sampled; what the environment adds is the difference of two renderings without generation prompt,
 * so the newline after an end token and every header but the first are lost. What is over the limit is cut from the end, and such
 * a row is masked whole. The loss mask is the attention mask.
 */
export const verifiersAugust: Trainer = (conversation, run) => {
  const pieces = encodePieces(conversation, run, [])
  const laid = lay(pieces, {
    keep: ({ kind, turn }) => kind !== 'separator' && !(kind === 'generation' && turn > 1),
    train: (piece) => piece.kind === 'sampled',
  })
  const truncated = laid.ids.length > run.limits.max_seq_len
  const ids = laid.ids.slice(0, run.limits.max_seq_len)
  const mask = laid.mask.slice(0, ids.length).map((one) => (truncated ? 0 : one))
  return {
    ids,
    mask,
    sampled: laid.sampled.slice(0, ids.length),
    attention: mask,
    promptLength: promptLength(pieces),
    truncated,
    finishReason: conversation.endless ? 'length' : 'stop',
    turns: sampledTurns(conversation, pieces, run),
  }
}

/** Pads rows on the right to the longest of them, as a batch of a trainer is. */
export function padRight(rows: readonly Sequence[], padId: number): Sequence[] {
  const width = Math.max(...rows.map((row) => row.ids.length))
  return rows.map((row) => {
    const padding = Array.from({ length: width - row.ids.length }, () => 0)
    return {
      ...row,
      ids: [...row.ids, ...padding.map(() => padId)],
      mask: [...row.mask, ...padding],
      sampled: [...row.sampled, ...padding],
      attention: [...row.attention, ...padding],
    }
  })
}
