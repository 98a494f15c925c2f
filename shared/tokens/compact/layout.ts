import type { LearnedTemplate } from '../template/learned-template.ts'
import type { TurnFrame } from '../tokenizer.ts'
import type { AddedToken } from '../vocabulary.ts'

/**
 * A byte-level tokenizer in one file, as typed arrays that are ready to use. Little-endian: `MAGIC`, the length of the header, the
 * header as JSON, then the sections of `sectionsOf` in their order, each from a multiple of four bytes on.
 */
export const MAGIC = 0x31544952
export const HEADER_AT = 8

export interface CompactHeader {
  /** Number of ids, holes included; bytes of all of them together; number of merges. */
  readonly size: number
  readonly byteCount: number
  readonly merges: number
  /** Source of the library's own pattern, whose flags are `gu`. */
  readonly pattern: string
  readonly composes: boolean
  /** Number of ids that are taken as whole pieces though merges do not end in them; null where merges decide. */
  readonly wholes: number | null
  readonly added: readonly AddedToken[]
  readonly template: string | null
  /** What the template does: finding it out takes an interpreter that nothing else may ask for. */
  readonly learned: LearnedTemplate | null
  readonly frame: (Omit<TurnFrame, 'newlines'> & { readonly newlines: readonly (readonly [number, number])[] }) | null
}

/** Bytes of each section: lengths of the ids as 16 bits, their `textMarks`, the merges' left, right and the steps of what they join into, and so on. */
export function sectionsOf({ size, byteCount, merges, wholes }: CompactHeader) {
  return {
    lengths: size * 2,
    kinds: size,
    marks: size,
    byteIds: 256 * 4,
    left: merges * 4,
    right: merges * 4,
    joinedSteps: merges * 4,
    wholes: (wholes ?? 0) * 4,
    bytes: byteCount,
  }
}

export function aligned(length: number): number {
  return (length + 3) & ~3
}
