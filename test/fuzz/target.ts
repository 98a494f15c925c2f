import type fc from 'fast-check'

/** What an input may be made of, so that it can be sent to another process and kept in a file. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Plain[]
  | { readonly [name: string]: Plain | undefined }

/** Something that takes any input, and what must hold of it. */
export interface Target {
  /** Names its folder under `test/fixtures/crashes`. */
  readonly id: string
  readonly title: string
  readonly input: fc.Arbitrary<Plain>
  /** Throws where something else comes of an input than it should. */
  holds(input: Plain): void | Promise<void>
}

/** The same, with the type of its input. */
export function target<Input extends Plain>(
  id: string,
  title: string,
  input: fc.Arbitrary<Input>,
  holds: (input: Input) => void | Promise<void>,
): Target {
  return { id, title, input, holds: holds as (input: Plain) => void | Promise<void> }
}
