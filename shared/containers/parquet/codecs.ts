import type { Compressors } from 'hyparquet'
import { decompressFrames } from '../zstd/whole.ts'
import { brotli } from './brotli.ts'
import { gunzip } from './gzip.ts'
import { decompressLz4, decompressLz4Raw } from './lz4.ts'

/**
 * Every codec that Parquet names but LZO, which nothing writes any more; each gives as many bytes as its page declares, or throws. Snappy
 * is hyparquet's own, in JavaScript: a page whose content policy forbids WebAssembly cannot have the faster one.
 */
export const compressors: Compressors = {
  GZIP: gunzip,
  BROTLI: brotli,
  ZSTD: decompressFrames,
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
}
