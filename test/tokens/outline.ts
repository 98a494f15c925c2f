import { PARTS, type Segmentation } from '../../shared/model/tokens.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'

/** One line per turn: kind, how its header was found where it is not present, content. */
export function outline(
  { table }: Tokenizer,
  { ids, turns }: Pick<Segmentation, 'turns'> & { ids: Int32Array },
): string[] {
  return turns.map(({ kind, header, contentStart, contentEnd }) => {
    const content = JSON.stringify(decodeSpan(table, ids, contentStart, contentEnd))
    return header === 'present' ? `${kind} ${content}` : `${kind} ${header} ${content}`
  })
}

/** One line per run of equal parts: the part and its text. */
export function parted({ table }: Tokenizer, ids: Int32Array, parts: Uint8Array, from = 0): string[] {
  const lines: string[] = []
  for (let start = from; start < ids.length; ) {
    let end = start + 1
    while (end < ids.length && parts[end] === parts[start]) end++
    lines.push(`${PARTS[parts[start] as number]} ${JSON.stringify(decodeSpan(table, ids, start, end))}`)
    start = end
  }
  return lines
}
