import { createTokenizer } from '../tokens/create.ts'
import {
  BUNDLED_TOKENIZERS,
  type BundledTokenizerId,
  type BundledTokenizers,
  type Tokenizer,
} from '../tokens/tokenizer.ts'
import type { TokenizerReference } from './plan.ts'

export const BUNDLED_TITLES: Readonly<Record<BundledTokenizerId, string>> = {
  'qwen2.5': 'Qwen2.5',
  qwen3: 'Qwen3',
  llama3: 'Llama 3.1 and later',
}

export function isBundled(id: string): id is BundledTokenizerId {
  return (BUNDLED_TOKENIZERS as readonly string[]).includes(id)
}

/** Makes the tokenizer that a plan names. Throws with a sentence for people when its files are none. */
export async function loadTokenizer(
  reference: TokenizerReference | null,
  bundled: BundledTokenizers,
): Promise<Tokenizer | null> {
  if (reference === null) return null
  if (reference.kind === 'bundled') {
    const { id } = reference
    return createTokenizer(await bundled(id), { id, title: BUNDLED_TITLES[id], origin: 'bundled' })
  }
  const { id, title, origin } = reference
  const files = {
    tokenizer: parse(reference.tokenizer, `${title} (tokenizer.json)`),
    config: reference.config === null ? null : parse(reference.config, `${title} (tokenizer_config.json)`),
  }
  return createTokenizer(files, { id, title, origin })
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(
      `${name} is not JSON: ${error instanceof Error ? error.message : String(error)}. Give the file as the model's repository holds it.`,
    )
  }
}
