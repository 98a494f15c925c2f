/** Tags that environments splice their replies with into an assistant turn. */
export const SPLICE_TAGS = ['information', 'result', 'interpreter', 'output', 'observation'] as const

/** Every token is in exactly one state. `lost` is not a state of a token: lost text is not in the sequence. */
export const TokenState = { masked: 0, trained: 1, padding: 2, unknown: 3 } as const
export type TokenState = (typeof TokenState)[keyof typeof TokenState]
export const TOKEN_STATE_NAMES = ['masked', 'trained', 'padding', 'unknown'] as const

/** What a correct mask says of a token; `undecided` where the oracle has no opinion (never a fault). */
export const Expected = { masked: 0, trained: 1, undecided: 2 } as const
export type Expected = (typeof Expected)[keyof typeof Expected]

/** Whether the model wrote a token, by provenance; `silent` where the dump does not tell. */
export const Provenance = { notSampled: 0, sampled: 1, silent: 2 } as const
export type Provenance = (typeof Provenance)[keyof typeof Provenance]

/** Bits that tell how a tokenizer spells a token. */
export const TokenFlag = {
  special: 1,
  added: 2,
  endsInsideCharacter: 4,
  startsInsideCharacter: 8,
  /** The tokenizer has no such id. */
  unknown: 16,
  /** It spells nothing: the vocabulary has it without a byte. */
  silent: 32,
} as const

/** The parts of the contract's `totals.by_part`, a partition of all tokens. The index is the value in `Segmentation.parts`. */
export const PARTS = [
  'bos',
  'header',
  'prefill',
  'system',
  'user',
  'tool',
  'assistant',
  'think',
  'tool_call',
  'end',
  'separator',
  'padding',
  'other',
] as const
export type Part = (typeof PARTS)[number]
export const PART = Object.fromEntries(PARTS.map((name, index) => [name, index])) as Record<Part, number>

export const TURN_KINDS = ['system', 'user', 'tool', 'assistant', 'other'] as const
export type TurnKind = (typeof TURN_KINDS)[number]

/** A half-open range of token indices. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A part inside a turn that is not simply its content. */
export interface SubSpan extends Span {
  readonly part: 'think' | 'tool_call' | 'tool' | 'prefill'
  /** Whether the closing tag is inside the turn. */
  readonly closed: boolean
}

/**
 * One turn, found from the ids alone. All positions are token indices in the stored sequence:
 * `start ≤ headerEnd ≤ contentStart ≤ contentEnd ≤ end`. The end token, when there is one, is at `contentEnd`.
 */
export interface Turn extends Span {
  /** 0-based over all turns found. */
  readonly index: number
  /** As spelt in the ids; `assistant` where the header is missing and the place says it must be one. */
  readonly role: string
  readonly kind: TurnKind
  /** 1-based ordinal among assistant turns for an assistant turn; for others, the ordinal of the assistant turn they follow (0 = before the first). */
  readonly ordinal: number
  /** `missing`: text follows a closed turn with no start token between. `cut`: the sequence begins inside this turn. */
  readonly header: 'present' | 'missing' | 'cut'
  readonly headerEnd: number
  /** After header and template prefill. */
  readonly contentStart: number
  readonly contentEnd: number
  /** Index of the end-of-turn token, -1 when the turn is not closed. */
  readonly endToken: number
  /** `[separatorStart, end)` is what the template puts after the end token (ChatML: one newline). */
  readonly separatorStart: number
  readonly spans: readonly SubSpan[]
}

/** The structure of one sequence. `parts` has length S, values index `PARTS`. */
export interface Segmentation {
  readonly parts: Uint8Array
  readonly turns: readonly Turn[]
  readonly padding: { readonly left: number; readonly right: number }
  /** Index of every BOS token found. */
  readonly bos: readonly number[]
  /** Tokens in the content of assistant turns with which the letters of a tag may begin that the vocabulary has as an id, in order. */
  readonly letters: readonly number[]
  /** The template puts a separator between turns (ChatML yes, Llama no). */
  readonly hasSeparator: boolean
  /** The sequence begins with neither BOS nor a turn start. */
  readonly cutLeft: boolean
  /** The last turn is not closed and is more than a bare generation prompt. */
  readonly cutRight: boolean
  /** The last turn is a bare generation prompt. */
  readonly endsWithGenerationPrompt: boolean
}
