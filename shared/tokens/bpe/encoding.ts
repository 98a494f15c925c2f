import type { AddedToken } from '../vocabulary.ts'

/** Merges by their rank: `joined[i]` is what `left[i]` and `right[i]` become. */
export interface Merges {
  readonly left: Int32Array
  readonly right: Int32Array
  readonly joined: Int32Array
}

/** Spelt ids: `ids[i]` is `bytes[offsets[i] … offsets[i + 1]]`; -1 is none. */
export interface SpeltIds {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  readonly ids: Int32Array
}

/** A byte-level byte-pair encoding as data. */
export interface ByteLevelEncoding {
  /** Cuts texts into pieces; global. */
  readonly pattern: RegExp
  /** Texts are brought to NFC first. */
  readonly composes: boolean
  /** Tokens to recognise in the text. */
  readonly added: readonly AddedToken[]
  /** Id of each of the 256 bytes. */
  readonly byteIds: Int32Array
  readonly merges: Merges
  /** What is taken as a whole piece before any merge; null where merges decide. */
  readonly wholes: SpeltIds | null
}
