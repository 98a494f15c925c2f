import type { TokenizerFiles } from './tokenizer.ts'
import { TokenizerError } from './tokenizer-error.ts'

export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Takes the white space before or after it, when text is encoded. */
  readonly leftStrip: boolean
  readonly rightStrip: boolean
}

/**
 * How vocabulary entries spell bytes. `byte-level`: one character of GPT-2's alphabet per byte. `metaspace`: `▁` is a
 * space, `<0xNN>` one byte. `word-piece`: `##` continues a word. `plain`: UTF-8 as it stands.
 */
export type Spelling = 'byte-level' | 'metaspace' | 'word-piece' | 'plain'

/** The vocabulary of a `tokenizer.json`, whatever its model, with its added tokens. */
export interface Vocabulary {
  /** Number of ids, holes included. */
  readonly size: number
  /** Raw entry of each id, of added tokens their content; null = hole. */
  readonly entries: readonly (string | null)[]
  readonly added: readonly AddedToken[]
  readonly spelling: Spelling
  /** Id of a raw entry or of an added token's content. */
  idOf(entry: string): number | undefined
}

/** More than any model has; a larger id is a broken file, not a reason to allocate gigabytes. */
const MOST_IDS = 1 << 23

type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuse(why: string): never {
  throw new TokenizerError(`not a tokenizer.json: ${why}. Give the tokenizer.json from the model's own folder.`)
}

/** Throws `TokenizerError` where the files are not those of a tokenizer. */
export function readVocabulary(files: TokenizerFiles): Vocabulary {
  const root = files.tokenizer
  if (!isFields(root)) refuse('it is not a JSON object')
  const model = root.model
  if (!isFields(model)) refuse('it has no "model"')
  const entries: (string | null)[] = []
  const lookup = readModelEntries(model, entries)
  const added = readAdded(root.added_tokens, files.config)
  const addedIds = new Map<string, number>()
  for (const { id, content } of added) {
    entries[id] = content
    addedIds.set(content, id)
  }
  if (entries.length === 0) refuse('its vocabulary is empty')
  for (let id = 0; id < entries.length; id++) entries[id] ??= null
  return {
    size: entries.length,
    entries,
    added,
    spelling: spellingOf(root, model),
    idOf: (entry) => addedIds.get(entry) ?? lookup(entry),
  }
}

function checkedId(id: unknown, entry: string): number {
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) {
    refuse(`the id of ${JSON.stringify(entry.slice(0, 40))} is ${String(id)}, which is no whole number from 0`)
  }
  if (id >= MOST_IDS) refuse(`the id ${id} of ${JSON.stringify(entry.slice(0, 40))} is larger than any vocabulary`)
  return id
}

function readModelEntries(model: Fields, entries: (string | null)[]): (entry: string) => number | undefined {
  const vocab = model.vocab
  if (Array.isArray(vocab)) {
    for (const [id, pair] of vocab.entries()) {
      const piece: unknown = Array.isArray(pair) ? pair[0] : undefined
      if (typeof piece !== 'string') refuse(`entry ${id} of "model.vocab" is not a pair of piece and score`)
      entries[id] = piece
    }
    const ids = new Map(entries.map((entry, id) => [entry, id]))
    return (entry) => ids.get(entry)
  }
  if (!isFields(vocab)) refuse('it has no "model.vocab"')
  for (const entry in vocab) entries[checkedId(vocab[entry], entry)] = entry
  return (entry) => (Object.hasOwn(vocab, entry) ? (vocab[entry] as number) : undefined)
}

/** Tokens of `added_tokens`, and those that only the configuration's `added_tokens_decoder` lists. */
function readAdded(listed: unknown, config: unknown): AddedToken[] {
  const byId = new Map<number, AddedToken>()
  const add = (givenId: unknown, token: unknown) => {
    if (!isFields(token) || typeof token.content !== 'string') refuse('an entry of "added_tokens" has no "content"')
    const id = checkedId(givenId, token.content)
    if (byId.has(id)) return
    byId.set(id, {
      id,
      content: token.content,
      special: token.special === true,
      leftStrip: token.lstrip === true,
      rightStrip: token.rstrip === true,
    })
  }
  if (Array.isArray(listed)) for (const token of listed) add(isFields(token) ? token.id : undefined, token)
  else if (listed !== undefined && listed !== null) refuse('its "added_tokens" is not a list')
  const decoder = isFields(config) ? config.added_tokens_decoder : null
  if (isFields(decoder)) for (const id in decoder) add(Number(id), decoder[id])
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

function spellingOf(root: Fields, model: Fields): Spelling {
  if (model.type === 'WordPiece') return 'word-piece'
  const steps = [root.decoder, root.pre_tokenizer].flatMap(stepTypes)
  if (steps.includes('ByteLevel')) return 'byte-level'
  if (steps.includes('Metaspace') || model.type === 'Unigram' || model.byte_fallback === true) return 'metaspace'
  return 'plain'
}

/** Types of a decoder or pre-tokenizer, of a `Sequence` those of its members. */
function stepTypes(step: unknown): string[] {
  if (!isFields(step)) return []
  const members = [step.decoders, step.pretokenizers].flatMap((list) => (Array.isArray(list) ? list : []))
  return [...(typeof step.type === 'string' ? [step.type] : []), ...members.flatMap(stepTypes)]
}
