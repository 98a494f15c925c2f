import type { ByteSource } from '../../model/source.ts'
import type { Restart } from '../packed-bytes.ts'
import { little } from './frame.ts'

const FOOTER_BYTES = 9
const SEEKABLE = 0x8f92eab1
const SKIPPABLE = 0x184d2a5e

/**
 * Where the frames of a seekable file begin (zstd, contrib/seekable_format): a skippable frame at its end lists their sizes.
 * Empty where there is no such table, or where it does not fit the file.
 */
export async function seekTable(source: ByteSource): Promise<Restart[]> {
  if (source.size < FOOTER_BYTES + 8) return []
  const footer = await source.slice(source.size - FOOTER_BYTES, source.size)
  if (footer.length !== FOOTER_BYTES || little(footer, 5, 4) !== SEEKABLE) return []
  const frames = little(footer, 0, 4)
  const entry = ((footer[4] as number) & 0x80) !== 0 ? 12 : 8
  const length = 8 + frames * entry + FOOTER_BYTES
  if (length > source.size) return []
  const table = await source.slice(source.size - length, source.size)
  if (table.length !== length || little(table, 0, 4) !== SKIPPABLE || little(table, 4, 4) !== length - 8) return []
  const restarts: Restart[] = []
  let packed = 0
  let plain = 0
  for (let i = 0; i < frames; i++) {
    restarts.push({ packed, plain })
    packed += little(table, 8 + i * entry, 4)
    plain += little(table, 12 + i * entry, 4)
  }
  return packed + length === source.size ? restarts : []
}
