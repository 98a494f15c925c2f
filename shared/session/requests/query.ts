import type { QueryProblem } from '../../query/language/ast.ts'
import type { DumpValues } from '../../query/language/complete.ts'
import type { SearchMarks } from '../../query/marks.ts'
import type { SortColumn } from '../protocol.ts'

/** Which rollouts, in which order. */
export interface SearchRequest {
  /** In the query language (docs/query.md); empty = every rollout. */
  readonly text: string
  /** A column of the table, or any field that reads facts or marks (`reward.format`, `label`); default: `index`. Rollouts without a value come last. */
  readonly sort?: SortColumn | (string & {})
  readonly descending?: boolean
  readonly marks?: SearchMarks
}

/** Where a text or a token of the query was found first in each listed rollout. All have the length of `indices`. */
export interface SearchHits {
  /** How many there are in the rollout; 0 where it is listed for another reason. */
  readonly counts: Int32Array
  /** 1 where there may be more than were counted: `MOST_HITS` of something. */
  readonly more: Uint8Array
  /** The first of them as tokens, half-open, in stored ids; -1 where it does not stand in the ids. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Index of the message that holds it, where it stands in no token; -1 else. */
  readonly messages: Int32Array
}

/** One of the terms that a query joins by `and`, for its chip. */
export interface ClauseCount {
  /** Columns in the text of the query. */
  readonly from: number
  readonly to: number
  /** As a sentence without a subject: `reward is at least 0.5`. */
  readonly says: string
  /** Rollouts that fit this term alone; null for one that only says which tokens the others mean. */
  readonly count: number | null
  /** Of so many rollouts, which is fewer than all where others of the terms spared reading the rest again. */
  readonly of: number
}

export interface SearchResult {
  /** Matching rollouts, in order. */
  readonly indices: Int32Array
  /** Rollouts read so far. */
  readonly total: number
  /** Why the query was not run; empty where it was. */
  readonly problems: readonly QueryProblem[]
  /** What the query asks for, in one sentence. */
  readonly sentence: string
  readonly clauses: readonly ClauseCount[]
  /** Null where the query asks for nothing inside of rollouts. */
  readonly hits: SearchHits | null
  /** Of the matching rollouts, how many have each check code. */
  readonly findings: Readonly<Record<string, number>>
  /**
   * How far looking into rollouts has come, of all that the query takes looking into, those that an earlier search saw counted; null where none
   * had to be, or all are.
   */
  readonly reading: { readonly done: number; readonly of: number } | null
  /** Sentences about what could not be looked at: no ids, no tokenizer, records that could not be read again. */
  readonly notes: readonly string[]
}

export interface QueryRequests {
  /**
   * Runs a query over what has been read. What takes tokens or texts reads rollouts again; meanwhile `partial` answers come, each the
   * whole result so far. Cancelled like every call. Asking again costs only what was not looked at before.
   */
  search: { input: SearchRequest; output: SearchResult; partial: SearchResult }
  /** The values that the dump has for fields, for completion. */
  queryValues: { input: Record<string, never>; output: DumpValues }
}
