import { bytesToHex } from '@noble/hashes/utils.js'
import type { Sha256 } from '../../shared/session/host.ts'
import { type BlobElsewhere, readElsewhere } from './byte-sources.ts'

/**
 * Bytes of a file up to which it is hashed in one piece, of which the browser has a copy of its own for a moment: a page with 185 MB, itself at 260 MB,
 * was at 650 by that, and is to stay under 600.
 */
export const IN_ONE_PIECE = 144 << 20

/** Bytes of a larger one that are asked for at once. The thread that hashes takes them in, too, so that asking ahead of it gains nothing. */
export const SLICE_BYTES = 16 << 20

/**
 * Lower-case hex of a whole file. Rejects where it cannot be read any more.
 *
 * @param create a hash of streams, for files that are not hashed in one piece
 */
export async function sha256OfFile(file: BlobElsewhere, create: () => Promise<Sha256>): Promise<string> {
  const { size } = file.blob
  const whole = size <= IN_ONE_PIECE ? await inOnePiece(file) : null
  if (whole !== null) return whole
  const hash = await create()
  for (let start = 0; start < size; start += SLICE_BYTES) {
    hash.update(await readElsewhere(file, start, Math.min(size, start + SLICE_BYTES)))
  }
  return hash.digest()
}

/** By the browser's own SHA-256, which uses what the processor has for it; null where there is none, or not the memory. */
async function inOnePiece(file: BlobElsewhere): Promise<string | null> {
  try {
    const bytes = await file.blob.arrayBuffer()
    return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  } catch {
    return null
  }
}
