import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** A record of a sample, as far as the tests look at it. */
export interface SampleRecord {
  readonly id: string
  readonly group_id: string
  readonly group_size: number
  readonly step: number
  readonly finish_reason: 'stop' | 'length'
  readonly is_truncated: boolean
  readonly limits: { readonly max_prompt_length: number; readonly max_seq_len: number }
  readonly reward: number
  readonly rewards: Readonly<Record<string, number>>
  readonly advantage: number
  readonly prompt_length: number
  readonly input_ids: readonly number[]
  readonly loss_mask: readonly number[]
  readonly attention_mask: readonly number[]
  readonly logprobs: { readonly sampler: readonly (number | null)[]; readonly trainer: readonly (number | null)[] }
  readonly messages: readonly { readonly role: string; readonly content: string; readonly tool_calls?: unknown }[]
  readonly tools?: readonly unknown[]
  readonly documents?: readonly { readonly id: string; readonly text: string; readonly supporting: boolean }[]
  readonly answer: string
}

export function sampleBytes(name: string): Uint8Array {
  return readFileSync(new URL(`../../samples/${name}.jsonl.gz`, import.meta.url))
}

export function readSample(name: string): SampleRecord[] {
  return gunzipSync(sampleBytes(name))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SampleRecord)
}

/** Every index at which `wanted` stands in `ids`. */
export function occurrences(ids: readonly number[], wanted: readonly number[]): number[] {
  const found: number[] = []
  for (let at = ids.indexOf(wanted[0] as number); at >= 0; at = ids.indexOf(wanted[0] as number, at + 1)) {
    if (wanted.every((id, offset) => ids[at + offset] === id)) found.push(at)
  }
  return found
}

/** The values of `mask` at `length` places from each of `starts`. */
export function maskAt(mask: readonly number[], starts: readonly number[], length: number): number[] {
  return starts.flatMap((start) => mask.slice(start, start + length))
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

/** Standard deviation with the unbiased variance. */
export function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (values.length - 1))
}

export function byGroup(records: readonly SampleRecord[]): SampleRecord[][] {
  const groups = new Map<string, SampleRecord[]>()
  for (const record of records) groups.set(record.group_id, [...(groups.get(record.group_id) ?? []), record])
  return [...groups.values()]
}
