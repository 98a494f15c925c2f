/** Half-open columns in the text of a query, in UTF-16 units. */
export interface Columns {
  readonly from: number
  readonly to: number
}

export type Comparison = '<' | '<=' | '>' | '>='

/** One of the values behind `field:`; several are alternatives. */
export type Item =
  | { readonly kind: 'number'; readonly value: number }
  /** Both ends belong to it; null = no end. One of the two is a number. */
  | { readonly kind: 'range'; readonly least: number | null; readonly most: number | null }
  | { readonly kind: 'word'; readonly text: string }
  /** A word with `*` for any characters. */
  | { readonly kind: 'glob'; readonly text: string }
  | { readonly kind: 'regex'; readonly source: string; readonly flags: string }

export type Test =
  /** A field that is or is not: `flag`. */
  | { readonly kind: 'is' }
  | { readonly kind: 'compare'; readonly comparison: Comparison; readonly value: number }
  /** `differs`: written `!=`; the rollout has a value and it is none of these. */
  | { readonly kind: 'among'; readonly items: readonly Item[]; readonly differs: boolean }

/** A query as a tree. `columns` say where each piece was written. */
export type QueryNode =
  | { readonly kind: 'all'; readonly nodes: readonly QueryNode[]; readonly columns: Columns }
  | { readonly kind: 'any'; readonly nodes: readonly QueryNode[]; readonly columns: Columns }
  | { readonly kind: 'not'; readonly node: QueryNode; readonly columns: Columns }
  | ClauseNode
  | { readonly kind: 'text'; readonly text: string; readonly columns: Columns }
  | { readonly kind: 'regex'; readonly source: string; readonly flags: string; readonly columns: Columns }

export interface ClauseNode {
  readonly kind: 'clause'
  /** Name in the field table. */
  readonly field: string
  /** What stands behind the point in `reward.format`; null without. */
  readonly component: string | null
  readonly test: Test
  readonly columns: Columns
}

/** Why a query cannot be read, and where. */
export interface QueryProblem extends Columns {
  /** A sentence for people. */
  readonly message: string
  /** What might stand there instead: operators, kinds of values, or the names that come nearest. */
  readonly expected: readonly string[]
}

export interface ParsedQuery {
  readonly text: string
  /** Null for an empty query, which keeps every rollout, and where there are problems. */
  readonly root: QueryNode | null
  /** In the order of their columns; empty where the query can be run. */
  readonly problems: readonly QueryProblem[]
}
