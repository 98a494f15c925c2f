import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../../shared/containers/container.ts'
import { parseJson } from '../../../shared/containers/json.ts'
import { type ToJsonOptions, toJson } from '../../../shared/containers/pickle/json.ts'
import type { PickleOptions } from '../../../shared/containers/pickle/read.ts'
import { openPickle, openTorch } from '../../../shared/containers/torch/open.ts'
import type { ByteSource } from '../../../shared/model/source.ts'
import { memorySource } from '../memory-source.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, FIXTURES)))
}

/** JSON with NaN and infinities, as Python writes it. */
export function fixtureJson(name: string): JsonObject {
  const bytes = fixture(name)
  return parseJson(bytes, 0, bytes.length) as JsonObject
}

/** The same of arrays, whose elements are numbers, however little a double holds them. */
export function fixtureArrays(name: string): JsonObject {
  const asNumbers = (value: unknown, inArray = false): unknown => {
    if (Array.isArray(value)) return value.map((each) => asNumbers(each, true))
    if (typeof value === 'string') return inArray && /^-?\d{16,}$/.test(value) ? Number(value) : value
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asNumbers(each)]))
  }
  return asNumbers(fixtureJson(name)) as JsonObject
}

/** Pickle operations as they are written down: texts are their bytes, numbers are bytes. */
export function pickle(...parts: (string | number | readonly number[] | Uint8Array)[]): Uint8Array {
  const bytes = parts.flatMap((part) => {
    if (typeof part === 'number') return [part]
    return typeof part === 'string' ? Array.from(part, (letter) => letter.charCodeAt(0)) : Array.from(part)
  })
  return Uint8Array.from(bytes)
}

/** A pickle as JSON, with the names and issues that it has. */
export async function readAsJson(
  bytes: Uint8Array,
  options: Omit<PickleOptions, 'persistent' | 'readTorch'> & Pick<ToJsonOptions, 'numericKeys' | 'maxDepth'> = {},
) {
  const { numericKeys, maxDepth, ...reading } = options
  const file = await openPickle(memorySource(bytes), reading)
  const json = await toJson(file.value, { ...(numericKeys && { numericKeys }), ...(maxDepth && { maxDepth }) })
  return { ...file, json }
}

export async function readTorchAsJson(bytes: Uint8Array) {
  const file = await openTorch(memorySource(bytes))
  return { ...file, json: (await toJson(file.value)) as JsonObject }
}

/** Typed arrays as plain ones. */
export function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>)
  if (Array.isArray(value)) return value.map(plain)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
  }
  return value
}

/** A source that remembers which ranges were read. */
export function watched(bytes: Uint8Array): { source: ByteSource; ranges: [start: number, end: number][] } {
  const source = memorySource(bytes)
  const ranges: [number, number][] = []
  return {
    ranges,
    source: {
      ...source,
      slice(start, end) {
        ranges.push([start, end])
        return source.slice(start, end)
      },
    },
  }
}
