import type { AuditOptions } from '../../../shared/model/policy.ts'
import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout, PlantedToken } from '../rollout.ts'

/** A file as a trainer leaves it, and what a person would declare about it. */
export interface WrittenDump {
  readonly text: string
  readonly options: AuditOptions
  /** `record.part` under which the reader finds each rollout, in the order of the dump. */
  readonly places: readonly string[]
  /** By rollout, tokens of padding that the format puts before its first one; absent where it puts none. */
  readonly moved?: readonly number[]
}

export interface Writer {
  readonly format: string
  /** What the format carries beside the ids; plants name what they need. */
  readonly carries: ReadonlySet<Carried>
  write(dump: PlantedDump): WrittenDump
}

export const CARRIED = [
  'mask',
  'groups',
  'sampler',
  'trainer',
  'reference',
  'attention',
  'messages',
  'tools',
  'documents',
  'answer',
  'components',
  'advantages',
  'token-advantages',
  'padding',
  'limits',
  'finish',
  'prompt-length',
  'environment-end',
  'more',
] as const
/** `groups`: rewards and the group of each rollout, given or declared. `environment-end`: rows may end with tokens that the model did not write. `more`: fields of `PlantedRollout.more`. */
export type Carried = (typeof CARRIED)[number]

/** Stands before what Python's writer leaves bare and JSON has no name for. */
const BARE = '\ue0ff'

/** A number as Python writes it: `NaN`, `Infinity` and `-Infinity` as well, once `jsonl` has written the record. */
export function numberOf(value: number): number | string {
  return Number.isFinite(value) ? value : `${BARE}${value}`
}

export function jsonl(records: readonly unknown[]): string {
  return records
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')
    .replace(new RegExp(`"${BARE}(-?\\w+)"`, 'g'), '$1')
}

export const idsOf = ({ tokens }: PlantedRollout) => tokens.map(({ id }) => id)
/** `more.loss_mask` where a plant gave the row another one. */
export const maskOf = ({ tokens, more }: PlantedRollout) =>
  (more.loss_mask as readonly number[] | undefined) ?? tokens.map(({ trained }) => (trained ? 1 : 0))

/** Values of every token; `missing` where there is none. */
export function valuesOf<T>({ tokens }: PlantedRollout, value: (token: PlantedToken) => number, missing: T) {
  return tokens.map((token) => {
    const number = value(token)
    return Number.isNaN(number) ? missing : numberOf(number)
  })
}

export const rowPlaces = ({ rollouts }: PlantedDump) => rollouts.map((_, record) => `${record}.0`)

/** What an environment says of a rollout under names of its own. */
export const metaOf = (rollout: PlantedRollout | undefined) => (rollout?.more.meta ?? {}) as Record<string, unknown>
