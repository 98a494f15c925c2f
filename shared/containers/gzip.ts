import { counted } from '../model/number-text.ts'
import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, DamagedBytes } from './bytes.ts'
import { GzipMember } from './gzip-member.ts'
import { gzipPieces } from './gzip-pieces.ts'
import type { Packing, Restart } from './packed-bytes.ts'

/** A gzip file is decompressed from its first byte on: a member may begin later, but nothing tells where for sure. */
export const gzipPacking: Packing = { id: 'gzip', title: 'gzip', decompress }

/** Decompresses from the first byte on. What came out before damage is given before `DamagedBytes` is thrown. */
async function* decompress(
  source: ByteSource,
  _from: Restart,
  options: ChunkOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let member = new GzipMember()
  let total = 0
  /** The last four bytes written, as the number that ends a member: its length modulo 2^32. */
  let lengthField = 0
  const given = (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) total += chunk.length
    return chunks
  }
  try {
    for await (const { bytes, header } of gzipPieces(source, options)) {
      // Joined files are one stream to some hosts and an error to others; here each is decompressed by itself.
      if (header && member.started) {
        yield* given(await member.settle())
        if (await member.hasLength(lengthField)) {
          yield* given(await member.end())
          if (member.failed) break
          member = new GzipMember()
        }
      }
      yield* given(await member.write(bytes))
      if (member.failed) break
      for (const byte of bytes.subarray(-4)) lengthField = ((lengthField >>> 8) | (byte << 24)) >>> 0
    }
    if (!member.failed) yield* given(await member.end())
    else yield* given(await member.settle())
  } finally {
    await member.close()
  }
  if (member.failed) {
    throw new DamagedBytes(
      'damaged-gzip',
      `the gzip file is damaged or was cut short: ${counted(total, 'byte')} came out of it and are read, nothing after them can be. Copy or write the file again.`,
    )
  }
}
