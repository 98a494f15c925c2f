/** A value that a field has in the open dump. */
export interface DumpValue {
  readonly value: string
  /** What it means, where that is known: the title of a check. */
  readonly means: string | null
  /** Rollouts that have it. */
  readonly count: number
}

/** What completion may offer of the open dump. */
export interface DumpValues {
  /** Codes of all checks, found or not. */
  readonly codes: readonly { readonly code: string; readonly title: string }[]
  /** Fields that no rollout has a value for, each with what the dump lacks. */
  readonly missing: Readonly<Record<string, string>>
  /** By field, the commonest first; lists are cut. */
  readonly values: Readonly<Record<string, readonly DumpValue[]>>
}

export const NO_DUMP_VALUES: DumpValues = { codes: [], missing: {}, values: {} }

export interface Completion {
  /** Put in place of the columns that the completions tell. */
  readonly insert: string
  readonly label: string
  readonly means: string
  readonly kind: 'field' | 'operator' | 'value' | 'keyword'
  /** Rollouts that have the value, null where that is not known. */
  readonly count: number | null
}

export interface Completions {
  /** Columns that a completion replaces. */
  readonly from: number
  readonly to: number
  readonly items: readonly Completion[]
}
