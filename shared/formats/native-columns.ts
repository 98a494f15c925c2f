import type { JsonObject, JsonValue } from '../containers/container.ts'
import { jsonIn } from './json-text.ts'

/** Columns of the native format that hold a text of JSON where the container has columns. */
const TEXTS = ['messages', 'tools', 'documents', 'rewards', 'limits', 'meta']
const LOGPROBS = ['sampler', 'trainer', 'reference']

/** A row of the native format's columns, as `--as parquet` writes them, as the record that it stands for; other records as they are. */
export function withoutColumns(record: JsonObject): JsonObject {
  const logprobs = LOGPROBS.filter((name) => Object.hasOwn(record, `logprobs.${name}`))
  const texts = TEXTS.filter((key) => typeof record[key] === 'string')
  if (logprobs.length === 0 && texts.length === 0) return record
  // What a row does not have is null in a column, and no field of a record.
  const object: JsonObject = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
  // A text that is no JSON stays one: whoever reads the field says that it should be something else.
  for (const key of texts) object[key] = jsonIn(record[key] as string) ?? (record[key] as string)
  const scored: JsonObject = {}
  for (const name of logprobs) {
    const value = record[`logprobs.${name}`] as JsonValue
    delete object[`logprobs.${name}`]
    if (value !== null) scored[name] = value
  }
  if (Object.keys(scored).length > 0) object.logprobs = scored
  return object
}
