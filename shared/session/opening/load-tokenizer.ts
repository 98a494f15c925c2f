import { whyNotJson } from '../../model/not-json.ts'
import { bundledTokenizer, createTokenizer } from '../../tokens/create.ts'
import {
  BUNDLED_TOKENIZERS,
  type BundledTokenizerId,
  type BundledTokenizers,
  type Tokenizer,
} from '../../tokens/tokenizer.ts'
import type { TokenizerReference } from '../audit/plan.ts'

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

/**
 * Families of a host, by their id: while one is being loaded, and then for as long as somebody uses it. A dump is held against all
 * that its ids may be of and needs one of them; to read the compact form of another again takes a few milliseconds.
 */
interface Families {
  readonly loading: Map<BundledTokenizerId, Promise<Tokenizer>>
  readonly loaded: Map<BundledTokenizerId, { deref(): Tokenizer | undefined }>
}

const families = new WeakMap<BundledTokenizers, Families>()

function bundledOnce(id: BundledTokenizerId, bundled: BundledTokenizers): Promise<Tokenizer> {
  const known = families.get(bundled) ?? { loading: new Map(), loaded: new Map() }
  families.set(bundled, known)
  const family = known.loaded.get(id)?.deref()
  if (family !== undefined) return Promise.resolve(family)
  const loading = known.loading.get(id) ?? loadFamily(id, bundled, known)
  known.loading.set(id, loading)
  return loading
}

async function loadFamily(
  id: BundledTokenizerId,
  bundled: BundledTokenizers,
  { loading, loaded }: Families,
): Promise<Tokenizer> {
  try {
    const given = await bundled(id)
    const tokenizer = bundledTokenizer(id, given)
    // What it takes half a second to parse, in a checkout that was not built, is kept.
    loaded.set(id, given instanceof Uint8Array ? new WeakRef(tokenizer) : { deref: () => tokenizer })
    return tokenizer
  } finally {
    loading.delete(id)
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(
      `${name} is not JSON: ${whyNotJson(text, error)}. Give the file as the model's repository holds it.`,
    )
  }
}
