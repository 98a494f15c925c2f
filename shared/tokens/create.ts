import { createEncoder, type Encoder } from './encoder.ts'
import { turnFrame } from './frame.ts'
import { tableOf } from './table.ts'
import type { BundledTokenizerId, BundledTokenizers, Tokenizer, TokenizerFiles } from './tokenizer.ts'
import { isFields, readVocabulary, type Vocabulary } from './vocabulary.ts'

export interface TokenizerName {
  readonly id: string
  readonly title: string
  readonly origin: Tokenizer['origin']
}

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
  const whole = files.reread === undefined ? keeping(files, vocabulary) : rereading(files.reread, files.config)
  let encoder: Encoder | null = null
  return {
    ...name,
    table,
    frame,
    template,
    raw: (id) => whole().vocabulary.entries[id] ?? null,
    encode(text, options) {
      if (encoder === null) {
        const { files, vocabulary } = whole()
        encoder = createEncoder(files, vocabulary)
      }
      return encoder(text, options?.specials === true)
    },
  }
}

interface Parsed {
  readonly files: TokenizerFiles
  readonly vocabulary: Vocabulary
}

// Functions of their own: a closure keeps alive all that any closure beside it uses.

function keeping(files: TokenizerFiles, vocabulary: Vocabulary): () => Parsed {
  return () => ({ files, vocabulary })
}

function rereading(reread: () => unknown, config: unknown): () => Parsed {
  let parsed: Parsed | null = null
  return () => {
    if (parsed === null) {
      const files = { tokenizer: reread(), config }
      parsed = { files, vocabulary: readVocabulary(files) }
    }
    return parsed
  }
}

/** One of the families that come with the app, from the host's copy of its files. */
export async function loadBundledTokenizer(id: BundledTokenizerId, files: BundledTokenizers): Promise<Tokenizer> {
  return createTokenizer(await files(id), { id, title: BUNDLED_TITLES[id], origin: 'bundled' })
}

/** The template's Jinja source; of several named ones, the one called `default`. */
function chatTemplate(config: unknown): string | null {
  const template = isFields(config) ? config.chat_template : null
  if (typeof template === 'string') return template
  if (!Array.isArray(template)) return null
  const entries = template.filter((entry) => isFields(entry) && typeof entry.template === 'string')
  const chosen = entries.find((entry) => entry.name === 'default') ?? entries[0]
  return chosen?.template ?? null
}
