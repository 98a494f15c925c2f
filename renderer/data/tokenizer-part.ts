// A browser that saves a second file of one name counts it, and people put the model's name in front.
const TOKENIZER = /^(.*[-_. ])?tokenizer( ?\(\d+\))?\.json$/i
const CONFIG = /^(.*[-_. ])?tokenizer_config( ?\(\d+\))?\.json$/i
const TEMPLATE = /^(.*[-_. ])?chat_template( ?\(\d+\))?\.jinja$/i
/** What lies beside a tokenizer.json and holds no rollouts. */
const RELATED =
  /^(tokenizer\.model|vocab\.(json|txt)|merges\.txt|(special_tokens_map|added_tokens|generation_config)\.json)$/i

/** The part a dropped file has in a tokenizer, by its name; null for everything that may be a dump. */
export function tokenizerPart(name: string): 'tokenizer' | 'config' | 'template' | 'related' | null {
  if (TOKENIZER.test(name)) return 'tokenizer'
  if (CONFIG.test(name)) return 'config'
  if (TEMPLATE.test(name)) return 'template'
  return RELATED.test(name) ? 'related' : null
}

/** Whether a file, named by its place in a folder, belongs to a tokenizer that lies beside the rollouts. */
export function isOfTokenizer(path: string): boolean {
  return tokenizerPart(path.slice(path.lastIndexOf('/') + 1)) !== null
}
