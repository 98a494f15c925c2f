import {
  charactersOf,
  type DatasetFacts,
  type DatasetPrompt,
  datasetLacks,
  datasetPrompt,
} from '../checks/truncation/dataset.ts'
import { expandArchive } from '../containers/archive/expand.ts'
import { decodeRecords } from '../containers/decode.ts'
import { openContainer } from '../containers/open.ts'
import { DATASET_NUMERIC_KEYS, type DatasetRow, datasetRow } from '../formats/dataset.ts'
import { isObject } from '../formats/fields.ts'
import type { ByteSource, SkippedRecord } from '../model/source.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { sentence } from './sentence.ts'

/** Characters of prompts that are encoded; of a longer dataset the lengths are told in characters. */
const MOST_ENCODED = 1 << 25

/** As it is before anything of it was read. */
export function unreadDataset(sources: readonly ByteSource[]): DatasetFacts {
  return { names: sources.map(({ name }) => name), complete: false, prompts: [], withoutPrompt: 0, problems: [] }
}

interface ReadOptions {
  readonly maxUnpacked: number | null
  readonly signal?: AbortSignal
}

/**
 * Reads the dataset that a run was started with, in any container that is read. Never throws for what the files hold: what is wrong
 * with them is listed in `problems`. Throws the signal's reason.
 *
 * @param tokenizer that of the dump, null where it has none
 */
export async function readDataset(
  sources: readonly ByteSource[],
  tokenizer: Tokenizer | null,
  options: ReadOptions,
): Promise<DatasetFacts> {
  const prompts: DatasetPrompt[] = []
  const problems: Problem[] = []
  let withoutPrompt = 0
  let characters = 0
  for await (const row of rowsOf(sources, options, problems)) {
    if (row === null) {
      withoutPrompt++
      continue
    }
    characters += charactersOf(row)
    prompts.push(datasetPrompt(row, characters <= MOST_ENCODED ? tokenizer : null))
  }
  return { names: sources.map(({ name }) => name), complete: true, prompts, withoutPrompt, problems }
}

/**
 * Why nothing can be learned from a dataset: not one prompt is in it. Null where there is one, before the rest is read. Throws the
 * signal's reason.
 */
export async function datasetRefusal(sources: readonly ByteSource[], options: ReadOptions): Promise<string | null> {
  const problems: Problem[] = []
  let withoutPrompt = 0
  for await (const row of rowsOf(sources, options, problems)) {
    if (row !== null) return null
    withoutPrompt++
  }
  return datasetLacks({ names: sources.map(({ name }) => name), problems, withoutPrompt })
}

type Problem = DatasetFacts['problems'][number]

/** The records of all files, null for one without a prompt; what is wrong with files and records goes into `problems`. */
async function* rowsOf(
  sources: readonly ByteSource[],
  options: ReadOptions,
  problems: Problem[],
): AsyncGenerator<DatasetRow | null> {
  for (const given of sources) {
    try {
      const expanded = await expandArchive(given, options)
      for (const { name, message } of expanded.problems) problems.push({ name, message })
      for (const source of expanded.sources) {
        const container = await openContainer(source, options)
        let skipped = 0
        let firstSkipped: SkippedRecord | null = null
        for await (const spans of container.index(options.signal ? { signal: options.signal } : {})) {
          const decoded = await decodeRecords(await container.read(spans), DATASET_NUMERIC_KEYS)
          skipped += decoded.skipped.length
          firstSkipped ??= decoded.skipped[0] ?? null
          for (const { value } of decoded.records) yield isObject(value) ? datasetRow(value) : null
          options.signal?.throwIfAborted()
        }
        if (firstSkipped !== null)
          problems.push({ name: source.name, message: skippedText(source.name, skipped, firstSkipped) })
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      problems.push({ name: given.name, message: problemOf(given.name, error) })
    }
  }
}

function skippedText(name: string, count: number, { line, record, message }: SkippedRecord): string {
  const place = line === null ? `record ${record}` : `line ${line}`
  return `${name}: ${count === 1 ? '1 record' : `${count} records`} of the dataset could not be read, the first at ${place}: ${message}`
}

function problemOf(name: string, error: unknown): string {
  const said = sentence(error)
  return said.startsWith(name) ? said : `${name}: ${said}`
}
