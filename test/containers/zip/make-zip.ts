import { deflateRawSync } from 'node:zlib'
import { joinBytes } from '../../../shared/containers/join-bytes.ts'
import { crc32 } from '../../../shared/containers/zip/crc32.ts'

export interface Made {
  readonly name: string
  readonly data: Uint8Array
  /** 0 or 8; default 8. */
  readonly method?: number
  /** What the directory says in place of the truth. */
  readonly says?: {
    readonly bytes?: number
    readonly compressed?: number
    readonly header?: number
    readonly crc?: number
  }
  readonly flags?: number
}

/** An archive, with what an entry may say that is not so. */
export function makeZip(
  entries: readonly Made[],
  says: { count?: number; size?: number; offset?: number } = {},
): Uint8Array {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const { name, data, method = 8, says: entry = {}, flags = 0 } of entries) {
    const nameBytes = new TextEncoder().encode(name)
    const stored = method === 8 ? new Uint8Array(deflateRawSync(data)) : data
    const common = [
      ...u16(20, 0x800 | flags, method, 0, 0x5a21),
      ...u32(entry.crc ?? crc32(data), entry.compressed ?? stored.length, entry.bytes ?? data.length),
      ...u16(nameBytes.length, 0),
    ]
    const header = [
      0x50,
      0x4b,
      1,
      2,
      ...u16(20),
      ...common,
      ...u16(0, 0, 0),
      ...u32(0, entry.header ?? at),
      ...nameBytes,
    ]
    directory.push(Uint8Array.from(header))
    const local = Uint8Array.from([0x50, 0x4b, 3, 4, ...common, ...nameBytes])
    parts.push(local, stored)
    at += local.length + stored.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const count = says.count ?? entries.length
  const end = [0x50, 0x4b, 5, 6, ...u16(0, 0, count, count), ...u32(says.size ?? size, says.offset ?? at), ...u16(0)]
  return joinBytes([...parts, ...directory, Uint8Array.from(end)])
}

function u16(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, (value >> 8) & 255])
}

function u32(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255])
}
