import { charactersOf, type DatasetFacts, type DatasetPrompt, datasetPrompt } from '../checks/truncation/dataset.ts'
import { expandArchive } from '../containers/archive/expand.ts'
import { decodeRecords } from '../containers/decode.ts'
import { openContainer } from '../containers/open.ts'
import { DATASET_NUMERIC_KEYS, datasetRow } from '../formats/dataset.ts'
import { isObject } from '../formats/fields.ts'
import type { ByteSource, SkippedRecord } from '../model/source.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { sentence } from './audit-worker.ts'

/** Characters of prompts that are encoded; of a longer dataset the lengths are told in characters. */
const MOST_ENCODED = 1 << 25

/** As it is before anything of it was read. */
export function unreadDataset(sources: readonly ByteSource[]): DatasetFacts {
  return { names: sources.map(({ name }) => name), complete: false, prompts: [], withoutPrompt: 0, problems: [] }
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
  options: { readonly maxUnpacked: number | null; readonly signal?: AbortSignal },
): Promise<DatasetFacts> {
  const prompts: DatasetPrompt[] = []
  const problems: { name: string; message: string }[] = []
  let withoutPrompt = 0
  let characters = 0
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
          for (const { value } of decoded.records) {
            const row = isObject(value) ? datasetRow(value) : null
            if (row === null) {
              withoutPrompt++
              continue
            }
            characters += charactersOf(row)
            prompts.push(datasetPrompt(row, characters <= MOST_ENCODED ? tokenizer : null))
          }
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
  return { names: sources.map(({ name }) => name), complete: true, prompts, withoutPrompt, problems }
}

function skippedText(name: string, count: number, { line, record, message }: SkippedRecord): string {
  const place = line === null ? `record ${record}` : `line ${line}`
  return `${name}: ${count === 1 ? '1 record' : `${count} records`} of the dataset could not be read, the first at ${place}: ${message}`
}

function problemOf(name: string, error: unknown): string {
  const said = sentence(error)
  return said.startsWith(name) ? said : `${name}: ${said}`
}
