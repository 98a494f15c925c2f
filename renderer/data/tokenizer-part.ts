import type { LooseFile } from './own-files.ts'

// A browser that saves a second file of one name counts it, and people put the model's name in front.
const TOKENIZER = /^(.*[-_. ])?tokenizer( ?\(\d+\))?\.json$/i
const CONFIG = /^(.*[-_. ])?tokenizer_config( ?\(\d+\))?\.json$/i
const TEMPLATE = /^(.*[-_. ])?chat_template( ?\(\d+\))?\.jinja$/i
/** What lies beside a tokenizer.json and holds no rollouts. */
const RELATED =
  /^(tokenizer\.model|vocab\.(json|txt)|merges\.txt|(special_tokens_map|added_tokens|generation_config)\.json)$/i

/** What the library that saves a tokenizer writes first, whatever the file is called (huggingface/tokenizers, tokenizer/serialization.rs). */
const SAVED = /^\uFEFF?\s*\{\s*"version"\s*:\s*"[\d.]+"\s*,\s*"truncation"\s*:/

export type TokenizerPart = 'tokenizer' | 'config' | 'template' | 'related'

/** The part a dropped file has in a tokenizer, by its name; null for everything that may be a dump. */
export function tokenizerPart(name: string): TokenizerPart | null {
  if (TOKENIZER.test(name)) return 'tokenizer'
  if (CONFIG.test(name)) return 'config'
  if (TEMPLATE.test(name)) return 'template'
  return RELATED.test(name) ? 'related' : null
}

/** The same of files that a person named one by one: those whose name says nothing are looked into. One in a folder is known by its name alone. */
export async function tokenizerParts(files: readonly LooseFile[]): Promise<(TokenizerPart | null)[]> {
  const looked = files.map(async ({ name, head }) => {
    const named = tokenizerPart(name.slice(name.lastIndexOf('/') + 1))
    if (named !== null || name.includes('/') || !/\.json$/i.test(name)) return named
    // A file that cannot be read is left to whoever opens it to say so.
    return SAVED.test(await head().catch(() => '')) ? 'tokenizer' : null
  })
  return Promise.all(looked)
}

/** Whether a file, named by its place in a folder, belongs to a tokenizer that lies beside the rollouts. */
export function isOfTokenizer(path: string): boolean {
  return tokenizerPart(path.slice(path.lastIndexOf('/') + 1)) !== null
}
