import type { Sha256 } from '../../shared/session/host.ts'
import { BLOCK_BYTES, type BlobElsewhere, readElsewhere } from './byte-sources.ts'

/** Lower-case hex of a whole file, of which the next block is on its way while one is hashed. Rejects where it cannot be read any more. */
export async function sha256OfFile(file: BlobElsewhere, hash: Sha256): Promise<string> {
  const { size } = file.blob
  const ask = (start: number) => {
    const block = readElsewhere(file, start, Math.min(size, start + BLOCK_BYTES))
    block.catch(() => undefined)
    return block
  }
  let next = ask(0)
  for (let start = 0; start < size; start += BLOCK_BYTES) {
    const block = await next
    if (start + BLOCK_BYTES < size) next = ask(start + BLOCK_BYTES)
    hash.update(block)
  }
  return hash.digest()
}
