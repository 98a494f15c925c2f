import { AssertionError } from 'node:assert'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expandArchive } from '../../shared/containers/archive/expand.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { allNumericKeys, FORMATS } from '../../shared/formats/registry.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import { memorySource } from '../containers/memory-source.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url))
const DUMP = /\.(?:jsonl?|pt|pkl|bin|msgpack|arrow|parquet|zst|gz|zip|tar|eval|npz)$/

/** Every fixture that is a dump in some container, but those that are large for a reason of their own. */
export const SEEDS: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [
  'containers',
  'formats',
  'pickle',
  'torch',
  'zip',
]
  .flatMap((folder) =>
    readdirSync(`${FIXTURES}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((name) => DUMP.test(name) && !name.endsWith('.expected.json'))
  .sort()
  .map((name) => ({ name, bytes: new Uint8Array(readFileSync(FIXTURES + name)) }))
  .filter(({ name, bytes }) => bytes.length < 1 << 17 && !/50-megabytes|wide-window/.test(name))

/** What stands in place of a value where a trainer wrote something else. */
const ODD_VALUES = [
  ...[
    'null',
    'true',
    '""',
    '"x"',
    '-1',
    '0.5',
    'NaN',
    '-Infinity',
    '1e999',
    '-0',
    '9223372036854775807',
    '1'.repeat(400),
  ],
  ...['[]', '{}', '[[]]', '[null]', '{"__proto__": 1}', '[NaN, 1]', '"\\ud800"', '"\\u0000"', ',', ']', '}', '"', '\n'],
  ...['['.repeat(5000), '{"a":'.repeat(5000), '['.repeat(3000) + ']'.repeat(3000)],
].map((text) => new TextEncoder().encode(text))

export type Damage = {
  readonly kind: 'cut' | 'flip' | 'insert' | 'remove' | 'repeat' | 'value'
  /** Where, as a share of the length. */
  readonly at: number
  readonly length: number
  readonly bytes: Uint8Array
  readonly odd: number
}

export const DAMAGE: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('cut', 'flip', 'flip', 'insert', 'remove', 'repeat', 'value', 'value'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 64 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
  odd: fc.nat({ max: ODD_VALUES.length - 1 }),
})

export function damaged(bytes: Uint8Array, damages: readonly Damage[]): Uint8Array {
  return damages.reduce((before, { kind, at, length, bytes: given, odd }) => {
    const from = Math.min(before.length, Math.floor(at * before.length))
    const head = before.subarray(0, from)
    const piece = before.subarray(from, from + length)
    const tail = before.subarray(from + length)
    if (kind === 'cut') return head
    if (kind === 'flip') return joined(head, given, before.subarray(from + given.length))
    if (kind === 'insert') return joined(head, given, before.subarray(from))
    if (kind === 'remove') return joined(head, tail)
    if (kind === 'repeat') return joined(head, piece, piece, piece, tail)
    return replacedValue(before, from, ODD_VALUES[odd] as Uint8Array)
  }, bytes)
}

/** The first number or word after a place, replaced; in files that are no text, the bytes there. */
function replacedValue(bytes: Uint8Array, from: number, value: Uint8Array): Uint8Array {
  const isPart = (byte: number | undefined) => byte !== undefined && /[\w.+-]/.test(String.fromCharCode(byte))
  let start = from
  while (start < bytes.length && start < from + 200 && !isPart(bytes[start])) start++
  let end = start
  while (end < start + 40 && isPart(bytes[end])) end++
  return joined(bytes.subarray(0, start), value, bytes.subarray(end))
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

/** The bytes of a fixture that were changed. */
export const DAMAGED_FILE: fc.Arbitrary<Uint8Array> = fc
  .record({ seed: fc.constantFrom(...SEEDS), damages: fc.array(DAMAGE, { minLength: 1, maxLength: 3 }) })
  .map(({ seed, damages }) => damaged(seed.bytes, damages))

/**
 * Reads a file as a session does: archive, container, records, and every format that takes them. Throws where something other than
 * a sentence comes of it, or where records are neither read nor skipped.
 */
export async function readsOrSays(bytes: Uint8Array): Promise<void> {
  // What may be decompressed and held is capped well below what a machine has.
  const { sources, problems } = await expandArchive(memorySource(bytes, 1 << 16, 'damaged'), { maxUnpacked: 32 << 20 })
  for (const { message } of problems) isSentence(message)
  for (const source of sources) await sayingWhy(() => readSource(source))
}

async function readSource(source: ByteSource): Promise<void> {
  const container = await openContainer(source, { maxUnpacked: 32 << 20 })
  for await (const spans of container.index()) {
    const { records, skipped } = await decodeRecords(await container.read(spans), allNumericKeys)
    if (records.length + skipped.length < spans.lengths.length) {
      throw new TypeError(`${records.length} read and ${skipped.length} skipped of ${spans.lengths.length} records`)
    }
    for (const { message } of skipped) isSentence(message)
    const known = FORMATS.flatMap((format) => {
      const recognition = format.recognise({
        records: records.slice(0, 64).map(({ value }) => value),
        metadata: container.metadata,
      })
      return recognition === null ? [] : [{ format, recognition }]
    })
    for (const { format, recognition } of known) {
      const read = format.read(records, { source: 0, recognition, metadata: container.metadata })
      const seen = new Set([
        ...read.trajectories.map(({ place }) => place.record),
        ...read.skipped.map(({ record }) => record),
      ])
      const lost = records.filter(({ record }) => !seen.has(record))
      if (lost.length > 0) throw new TypeError(`${format.id}: record ${lost[0]!.record} is neither read nor skipped`)
    }
  }
}

/** An error of ours has a code and a sentence; what the language throws is a bug, and so is what does not hold, which has a code as well. */
export async function sayingWhy(read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    const isLanguages = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
    if (isLanguages || error instanceof AssertionError || typeof code !== 'string' || typeof message !== 'string')
      throw error
    isSentence(message)
  }
}

/** Throws where what is told a person is none. */
export function isSentence(message: string): void {
  if (message.length < 8 || /undefined|\[object|NaN is not/.test(message))
    throw new TypeError(`no sentence: ${message}`)
}
