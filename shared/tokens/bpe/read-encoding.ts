import { SplitPreTokenizer } from '@huggingface/tokenizers'
import type { TokenizerFiles } from '../tokenizer.ts'
import { type AddedToken, isFields, type Vocabulary } from '../vocabulary.ts'
import type { ByteLevelEncoding } from './encoding.ts'
import { readByteLevelModel } from './read-model.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * How a byte-level `tokenizer.json` encodes; null for every one that asks for a step which our encoder does not do as the library does.
 * `added` are the tokens to recognise in the text.
 */
export function readEncoding(
  files: TokenizerFiles,
  vocabulary: Vocabulary,
  added: readonly AddedToken[],
): ByteLevelEncoding | null {
  const root = files.tokenizer
  if (!isFields(root) || vocabulary.spelling !== 'byte-level') return null
  const pattern = splitPattern(root.pre_tokenizer)
  const composes = composesCharacters(root.normalizer)
  if (pattern === null || composes === null) return null
  if (!addsNothing(root.post_processor) || changesText(files.config) || !added.every(isPlain)) return null
  const model = readByteLevelModel(root.model, added)
  return model === null ? null : { pattern, composes, added, ...model }
}

/** The library's own pattern, where the steps are: cut into isolated pieces by one pattern, then spell their bytes. */
function splitPattern(step: unknown): RegExp | null {
  if (!isFields(step) || step.type !== 'Sequence' || !Array.isArray(step.pretokenizers)) return null
  const [split, bytes, more]: unknown[] = step.pretokenizers
  if (!isFields(split) || !isFields(bytes) || more !== undefined) return null
  const { pattern } = split
  const isolates = split.type === 'Split' && split.behavior === 'Isolated' && (split.invert ?? false) === false
  const spells = bytes.type === 'ByteLevel' && (bytes.add_prefix_space ?? false) === false && bytes.use_regex === false
  if (!isolates || !spells || !isFields(pattern) || typeof pattern.Regex !== 'string') return null
  const options = { type: 'Split', behavior: 'Isolated', invert: false, pattern: { Regex: pattern.Regex } } as const
  try {
    return new SplitPreTokenizer(options).pattern
  } catch {
    // The library cannot read it either, and says so better.
    return null
  }
}

/** True for NFC, false for no normaliser, null for any other. */
function composesCharacters(step: unknown): boolean | null {
  if (step === null || step === undefined) return false
  return isFields(step) && step.type === 'NFC' ? true : null
}

/** Whether the post-processor leaves the ids alone where no special tokens are asked for. */
function addsNothing(step: unknown): boolean {
  if (step === null || step === undefined) return true
  if (!isFields(step)) return false
  if (step.type === 'ByteLevel') return true
  if (step.type === 'Sequence') return Array.isArray(step.processors) && step.processors.every(addsNothing)
  if (step.type !== 'TemplateProcessing' || !Array.isArray(step.single)) return false
  const sequences = step.single.filter((item): item is Fields => isFields(item) && isFields(item.Sequence))
  return sequences.length === 1 && isFields(sequences[0]?.Sequence) && sequences[0].Sequence.id === 'A'
}

function changesText(config: unknown): boolean {
  return isFields(config) && (config.remove_space === true || Boolean(config.do_lowercase_and_remove_accent))
}

/** Takes no white space, and has no half of a surrogate pair, which a pattern would not find inside a character. */
function isPlain({ content, leftStrip, rightStrip }: AddedToken): boolean {
  return !leftStrip && !rightStrip && !/\p{Cs}/u.test(content)
}
