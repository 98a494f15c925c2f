import type { Compressors } from 'hyparquet'
import { decompressBrotli } from 'hyparquet-compressors/src/brotli.js'
import { gunzip } from 'hyparquet-compressors/src/gzip.js'
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors/src/lz4.js'
import { decompressFrames } from '../zstd/whole.ts'

/**
 * Every codec that Parquet names but LZO, which nothing writes any more. Snappy is hyparquet's own, in JavaScript: a page
 * whose content policy forbids WebAssembly cannot have the faster one.
 */
export const compressors: Compressors = {
  GZIP: (input, length) => gunzip(input, new Uint8Array(length)),
  BROTLI: decompressBrotli,
  ZSTD: decompressFrames,
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
}
