import { createTokenizer, loadBundledTokenizer } from '../tokens/create.ts'
import {
  BUNDLED_TOKENIZERS,
  type BundledTokenizerId,
  type BundledTokenizers,
  type Tokenizer,
} from '../tokens/tokenizer.ts'
import type { TokenizerReference } from './plan.ts'

export function isBundled(id: string): id is BundledTokenizerId {
  return (BUNDLED_TOKENIZERS as readonly string[]).includes(id)
}

/** Makes the tokenizer that a plan names. Throws with a sentence for people when its files are none. */
export async function loadTokenizer(
  reference: TokenizerReference | null,
  bundled: BundledTokenizers,
): Promise<Tokenizer | null> {
  if (reference === null) return null
  if (reference.kind === 'bundled') return bundledOnce(reference.id, bundled)
  return givenOnce(reference)
}

type GivenReference = Extract<TokenizerReference, { kind: 'files' }>

/** A reference that is still in use is read once: a followed run decides again whenever a file comes. */
const given = new WeakMap<GivenReference, Tokenizer>()

function givenOnce(reference: GivenReference): Tokenizer {
  const known = given.get(reference)
  if (known !== undefined) return known
  const { id, title, origin } = reference
  const files = {
    tokenizer: parse(reference.tokenizer, `${title} (tokenizer.json)`),
    config: reference.config === null ? null : parse(reference.config, `${title} (tokenizer_config.json)`),
  }
  const tokenizer = createTokenizer(files, { id, title, origin })
  given.set(reference, tokenizer)
  return tokenizer
}

/** Families that a host has loaded: parsing one costs more than auditing a small dump. */
const loaded = new WeakMap<BundledTokenizers, Map<BundledTokenizerId, Promise<Tokenizer>>>()

function bundledOnce(id: BundledTokenizerId, bundled: BundledTokenizers): Promise<Tokenizer> {
  const families = loaded.get(bundled) ?? new Map<BundledTokenizerId, Promise<Tokenizer>>()
  loaded.set(bundled, families)
  let family = families.get(id)
  if (family === undefined) {
    family = loadBundledTokenizer(id, bundled)
    families.set(id, family)
    family.catch(() => families.delete(id))
  }
  return family
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
