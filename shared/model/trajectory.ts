import type { Place } from './source.ts'
import type { Limits } from './streams.ts'

/** One tool call as the environment saw it; `arguments` stays the text the dump holds. */
export interface ToolCall {
  readonly id: string | null
  readonly name: string
  readonly arguments: string
}

/** One chat message. `content` is null where the dump holds null; parts of a content list are joined as text. */
export interface Message {
  readonly role: string
  readonly content: string | null
  readonly reasoning?: string | null
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: string | null
  /** A whole prompt or completion as its tokens were decoded: it may hold several turns. Absent where the message is one turn. */
  readonly flattened?: true
  /** Why the model stopped there, where the dump says so of each reply. */
  readonly finishReason?: string
  /** Who speaks: of a tool's reply the tool, of other roles a participant. */
  readonly name?: string | null
}

/** A retrieved or given document; `supporting` is null where the dump does not say. */
export interface RetrievedDocument {
  readonly id: string
  readonly title: string | null
  readonly text: string | null
  readonly supporting: boolean | null
}

/** A contradiction inside one record that did not stop it from being read. */
export interface RecordIssue {
  /** `length-mismatch`, `bad-type`, `negative-weight`, `id-out-of-range` …; `bad-value` of a field that holds one value for the row. */
  readonly code: string
  readonly field: string
  readonly message: string
  /** Of ids that leave those of an earlier sequence: the token from which on, and what that sequence has there. Absent elsewhere. */
  readonly leaves?: { readonly at: number; readonly ids: Int32Array }
}

/** The dump writes NaN as the advantage of the whole row, which is null then: a number that went wrong is not an absent one. */
export function hasNaNAdvantage({ advantage, issues }: Pick<Trajectory, 'advantage' | 'issues'>): boolean {
  return advantage === null && issues.some(({ code, field }) => code === 'not-a-number' && field === 'advantage')
}

/** Length, in elements, of an array as the dump stores it; what S03 compares. */
export interface StoredArray {
  readonly name: string
  readonly length: number
  /** The length this array should have by the format's own rule. */
  readonly expected: number
  /** Labels that name the id behind their place: they mark predictions. Absent elsewhere. */
  readonly namesNext?: true
  /** Flags under a mask's name that the loss mask was not read from. Absent elsewhere. */
  readonly isBeside?: true
  /** Tokens whose number is written as NaN, where absent ones are null; absent where there is none. */
  readonly nan?: Int32Array
  /** A number above 0 that the format writes on tokens that were not sampled, and that is read as none; absent where it has no such number. */
  readonly unsampled?: number
}

/** What the loss reads on every token that it trains. */
export const LOSS_STREAMS = ['trainer', 'advantages'] as const
export type LossStream = (typeof LOSS_STREAMS)[number]

/** What the first branch of a rollout is called. */
export const FIRST_BRANCH = '0'

/**
 * One sequence as the loss saw it, as far as the dump tells. S is `ids.length`.
 *
 * Every array is either null (the dump does not carry the stream) or has length S. Where the dump's array was
 * shorter, the importer pads it: masks with 255 (unknown), numbers with NaN, and lists the truth in `arrays`.
 * Index i always belongs to token i, except for `mask` and `weights` in a dump whose mask is target-aligned:
 * those are kept as stored and shifted by the session once the alignment is known.
 */
export interface Trajectory {
  readonly place: Place
  /** 16 hex digits over the bytes of the record; flags and notes hang on it and the part. */
  readonly recordHash: string
  /** The dump's own id, else `record` or `record.part`. */
  readonly id: string
  readonly rolloutId: string | null
  readonly branch: string | null
  /** Other rows may be branches of the same rollout, and the format does not say which: what one of them trains is context in another. */
  readonly mayBeBranch: boolean
  readonly group: string | null
  readonly groupSize: number | null
  readonly step: number | null
  readonly model: string | null
  readonly temperature: number | null

  /** Null in text-only dumps. */
  readonly ids: Int32Array | null
  readonly promptLength: number | null
  /** The dump keeps the ids of prompt and response in two lists, so that the length of the prompt is no number that someone reckoned. */
  readonly promptApart?: true
  /** 1 trained, 0 not trained, 255 not known (excess of unequal arrays). */
  readonly mask: Uint8Array | null
  /** Loss weights, only where some weight is neither 0 nor 1. */
  readonly weights: Float32Array | null
  /** The whole row is excluded from the loss by the source's own flag (`sample_loss_mask`, `remove_sample`). */
  readonly excluded: boolean
  /** 1 the model wrote this token, 0 it did not. */
  readonly sampled: Uint8Array | null
  readonly attentionMask: Int32Array | null
  readonly positionIds: Int32Array | null
  readonly sequenceIds: Int32Array | null
  /**
   * Of a sequence behind the first of a packed row, which its format cuts at the sequences: whether what the forward pass gets parts it from the one
   * before; `by-model` where one of two things does, and it depends on the code of the model which of them counts. Absent elsewhere.
   */
  readonly parted?: 'always' | 'never' | 'by-model'
  readonly versions: Int32Array | null
  readonly logprobs: {
    /** NaN = not scored. */
    readonly sampler: Float32Array | null
    readonly trainer: Float32Array | null
    readonly reference: Float32Array | null
  }
  /** By what the loss reads: 1 on tokens that have no number of it by the format's own rule, trained or not; null where every token is due one. */
  readonly noneDue: Readonly<Record<LossStream, Uint8Array | null>>
  readonly entropy: Float32Array | null
  readonly kl: Float32Array | null
  readonly advantage: number | null
  readonly advantages: Float32Array | null
  /** NaN and ±Infinity where the dump says so; a group with such a member is not judged. */
  readonly reward: number | null
  readonly rewards: Readonly<Record<string, number>> | null
  readonly messages: readonly Message[] | null
  /** The messages that its prompt was rendered from, where the format has these and no conversation; absent elsewhere. */
  readonly asked?: readonly Message[]
  /** Tool schemas as stored, parsed JSON. */
  readonly tools: readonly unknown[] | null
  /** What rewarded it, where the format has a field for that alone; absent elsewhere, where `meta` may still name it (`checks/grouping/environment.ts`). */
  readonly environment?: string | null
  readonly documents: readonly RetrievedDocument[] | null
  readonly answer: string | null
  readonly finishReason: string | null
  readonly isTruncated: boolean | null
  readonly limits: Partial<Limits> | null
  /** Padding that the format declares, in tokens on each side; null = not declared, look for a run of the pad id. */
  readonly padding: DeclaredPadding | null
  readonly arrays: readonly StoredArray[]
  readonly issues: readonly RecordIssue[]
  /** Fields that no stream takes, as parsed. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** A trajectory with every stream absent; importers spread it and fill what their dump carries. */
export interface DeclaredPadding {
  readonly left: number
  readonly right: number
  /** One more token on the right has the id of these, and nothing but its place says that it is the end of the last turn. */
  readonly leavesEnd?: true
}

export function emptyTrajectory(place: Place, recordHash: string): Trajectory {
  return {
    place,
    recordHash,
    id: place.part === 0 ? String(place.record) : `${place.record}.${place.part}`,
    rolloutId: null,
    branch: null,
    mayBeBranch: false,
    group: null,
    groupSize: null,
    step: null,
    model: null,
    temperature: null,
    ids: null,
    promptLength: null,
    mask: null,
    weights: null,
    excluded: false,
    sampled: null,
    attentionMask: null,
    positionIds: null,
    sequenceIds: null,
    versions: null,
    logprobs: { sampler: null, trainer: null, reference: null },
    noneDue: { trainer: null, advantages: null },
    entropy: null,
    kl: null,
    advantage: null,
    advantages: null,
    reward: null,
    rewards: null,
    messages: null,
    tools: null,
    documents: null,
    answer: null,
    finishReason: null,
    isTruncated: null,
    limits: null,
    padding: null,
    arrays: [],
    issues: [],
    meta: {},
  }
}
