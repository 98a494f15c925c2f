import { chatTemplate } from './chat-template.ts'
import { compactTokenizer } from './compact/compact-tokenizer.ts'
import { createEncoder, type Encoder } from './encoder.ts'
import { turnFrame } from './frame.ts'
import { tableOf } from './table.ts'
import type { BundledTokenizerId, BundledTokenizers, Tokenizer, TokenizerFiles, TokenizerName } from './tokenizer.ts'
import { readVocabulary } from './vocabulary.ts'

const BUNDLED_TITLES: Readonly<Record<BundledTokenizerId, string>> = {
  'qwen2.5': 'Qwen2.5',
  qwen3: 'Qwen3',
  llama3: 'Llama 3.1 and later',
}

/**
 * A tokenizer from its parsed files; `files.config` may be null. The encoder is made on the first `encode`, which takes
 * a few hundred milliseconds; displaying and framing ids need only the table.
 *
 * `encode` adds nothing to the text. Without `specials`, the literal `<|im_end|>` in a text is spelt by ordinary
 * pieces; tokens that are added but not special (`<tool_call>`, `<think>`) become their ids either way, as they do in
 * the Rust implementation. A lone surrogate is encoded as U+FFFD. A byte-level BPE of the usual kind takes about a
 * third of a second for a megabyte of one repeated character, the worst case; other tokenizers are encoded by the
 * library and take many seconds for it: callers that encode text of a dump cap its length.
 *
 * Throws `TokenizerError` where the files are not those of a tokenizer; `encode` throws it where the vocabulary can be
 * read but its model is of a kind that cannot encode.
 */
export function createTokenizer(files: TokenizerFiles, name: TokenizerName): Tokenizer {
  const vocabulary = readVocabulary(files)
  const table = tableOf(vocabulary)
  const template = chatTemplate(files.config)
  const frame = turnFrame(vocabulary, table, files.config, template)
  let encoder: Encoder | null = null
  return {
    ...name,
    table,
    frame,
    template,
    raw: (id) => vocabulary.entries[id] ?? null,
    encode(text, options) {
      encoder ??= createEncoder(files, vocabulary)
      return encoder(text, options?.specials === true)
    },
  }
}

/** One of the families that come with the app, from the host's copy of it. */
export async function loadBundledTokenizer(id: BundledTokenizerId, bundled: BundledTokenizers): Promise<Tokenizer> {
  return bundledTokenizer(id, await bundled(id))
}

/** One of the families that come with the app, from its compact form or the files that this is made of. */
export function bundledTokenizer(id: BundledTokenizerId, given: Uint8Array | TokenizerFiles): Tokenizer {
  const name = { id, title: BUNDLED_TITLES[id], origin: 'bundled' } as const
  return given instanceof Uint8Array ? compactTokenizer(given, name) : createTokenizer(given, name)
}
