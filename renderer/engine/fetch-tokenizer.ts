import type { BundledTokenizerId, TokenizerFiles } from '../../shared/tokens/tokenizer.ts'

/** A bundled family's two files. To be called in a worker, whose script lies one folder below the page. */
export async function fetchTokenizer(id: BundledTokenizerId): Promise<TokenizerFiles> {
  const folder = new URL(`../tokenizers/${id}/`, self.location.href)
  const [tokenizer, config] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json'].map(async (name) => {
      const response = await fetch(new URL(name, folder))
      if (!response.ok) {
        throw new Error(
          `The bundled tokenizer ${id} could not be loaded (${name}: ${response.status} ${response.statusText}). Build the application again.`,
        )
      }
      return (await response.json()) as unknown
    }),
  )
  return { tokenizer, config }
}
