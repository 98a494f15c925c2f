import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'

/** A bundled family in compact form. To be called in a worker, whose script lies one folder below the page. */
export async function fetchTokenizer(id: BundledTokenizerId): Promise<Uint8Array> {
  const response = await fetch(new URL(`../tokenizers/${id}/tokenizer.compact`, self.location.href))
  if (!response.ok) {
    throw new Error(
      `The bundled tokenizer ${id} could not be loaded (${response.status} ${response.statusText}). Build the application again.`,
    )
  }
  return new Uint8Array(await response.arrayBuffer())
}
