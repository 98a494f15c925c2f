import type { LearnedTemplate } from './template/learned-template.ts'

/** 0 no such id, 1 an ordinary piece, 2 added but not special (`<think>`), 3 special (`<|im_end|>`). */
export const TokenKind = { none: 0, ordinary: 1, added: 2, special: 3 } as const

/**
 * The exact bytes of every id: id i spells `bytes[offsets[i] … offsets[i + 1]]`. Plain typed arrays, so that it
 * can be posted to a worker. About 1 MB a family.
 */
export interface TokenTable {
  /** Number of ids, holes included. */
  readonly size: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  /** What `textMarks` finds out of all ids, where that was done when the application was built. */
  readonly textMarks?: Uint8Array
  /** One `TokenKind` per id. */
  readonly kinds: Uint8Array
}

/** A header that opens a turn: one control id, and the bytes that follow it (a role name, a newline). */
export interface TurnOpener {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly id: number
  readonly rest: Uint8Array
}

/** Tokens of a format in which a turn of the model may hold several messages (harmony). */
export interface MessageTokens {
  /** What comes before the name of a message's channel. */
  readonly channel: number
  /** What comes before its text. */
  readonly message: number
  /** What ends a message, and a turn with its last one. */
  readonly end: number
}

/** How a family frames turns, read off its own vocabulary; ids are looked up by token text, never assumed. */
export interface TurnFrame {
  /** `learned`: none of those that are known by their tokens; `openers` were read off the chat template. */
  readonly style: 'chatml' | 'llama' | 'harmony' | 'learned'
  /** Of harmony alone. */
  readonly messages?: MessageTokens
  /** Of a learned frame, the longest first. */
  readonly openers?: readonly TurnOpener[]
  /** Ids of openers that also open a part of a turn, with those that close it (Phi-4-mini writes tools between `<|tool|>` and `<|/tool|>`). */
  readonly brackets?: ReadonlyMap<number, number>
  /** Of a learned frame, roles whose turns end with the next header and no token of their own (DeepSeek's user). */
  readonly unclosed?: readonly TurnOpener['role'][]
  /** Ids that open a turn of another and that the model samples to end its own, so that the one token is both (GLM's `<|user|>`, `<|observation|>`). */
  readonly sharedEnds?: readonly number[]
  /** A newline stands after the end of a turn. */
  readonly separator: boolean
  /** Texts of the special tokens that the configuration names, as templates write them (`bos_token`). */
  readonly names: Readonly<Record<string, string>>
  readonly bos: readonly number[]
  /** Ids that open a turn (`<|im_start|>`; `<|start_header_id|>`). */
  readonly turnStart: number
  /** Id that closes the role name (`<|end_header_id|>`), -1 where the role ends at a newline. */
  readonly headerEnd: number
  readonly turnEnds: readonly number[]
  /** Ids that end a text (`<|endoftext|>`); a base model may close its turn with one. Mostly also in `pad`. */
  readonly textEnds: readonly number[]
  readonly pad: readonly number[]
  /** Ids whose bytes consist of newlines only, longest meaning "\n\n\n"; key = id, value = number of newlines. */
  readonly newlines: ReadonlyMap<number, number>
  readonly think: { readonly open: readonly number[]; readonly close: readonly number[] } | null
  readonly toolCall: { readonly open: readonly number[]; readonly close: readonly number[] } | null
  /** Opening of a tool reply inside a user turn; token-level where one id exists, else the spelt pieces. */
  readonly toolResponse: { readonly open: readonly number[]; readonly close: readonly number[] } | null
  /** `<|python_tag|>`, -1 where there is none. */
  readonly pythonTag: number
}

/** A tokenizer as the rest of the engine sees it. Everything but `encode` is cheap and synchronous. */
export interface Tokenizer {
  /** `qwen2.5`, `qwen3`, `llama3`, or the name of the dropped file. */
  readonly id: string
  readonly title: string
  readonly origin: 'given' | 'bundled' | 'file' | 'cache'
  readonly table: TokenTable
  /** Null where no known frame is in the vocabulary: ids are displayed, turns are not found. */
  readonly frame: TurnFrame | null
  /** The chat template's Jinja source, where the configuration holds one. */
  readonly template: string | null
  /** What the template does, where it was found out when the application was built; ask `learnedTemplateOf`. */
  readonly learned?: LearnedTemplate | null
  /** The raw vocabulary entry of an id (`Ġdirector`), null where there is none. */
  raw(id: number): string | null
  /** Ids of a text, without added BOS; special tokens in the text become their ids only where `specials` is true. */
  encode(text: string, options?: { readonly specials?: boolean }): number[]
}

export type TokenizerName = Pick<Tokenizer, 'id' | 'title' | 'origin'>

/** The two files a tokenizer is made of, as parsed JSON. */
export interface TokenizerFiles {
  readonly tokenizer: unknown
  readonly config: unknown
}

/** Gives a bundled family in its compact form, or the files that this is made of; each host has its own way (disk, fetch). */
export type BundledTokenizers = (id: BundledTokenizerId) => Promise<Uint8Array | TokenizerFiles>
export const BUNDLED_TOKENIZERS = ['qwen2.5', 'qwen3', 'llama3'] as const
export type BundledTokenizerId = (typeof BUNDLED_TOKENIZERS)[number]
