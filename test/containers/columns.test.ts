import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { expandArchive } from '../../shared/containers/archive/expand.ts'
import type { JsonObject } from '../../shared/containers/container.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { openParquet } from '../../shared/containers/parquet/open.ts'
import { zipped } from './archives.ts'
import { gzipped, memorySource } from './memory-source.ts'
import { expectTwin, recordsOf } from './twin.ts'

const folder = new URL('../fixtures/containers/', import.meta.url)
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const twin = fixture('rows.jsonl')
const columnar = readdirSync(folder).filter((name) => /\.(parquet|arrow)$/.test(name))
const kindOf = (name: string) => (name.endsWith('.parquet') ? 'parquet' : 'arrow')

describe('columns', () => {
  test('there are fixtures of every writer and codec', () => {
    expect(columnar.length).toBeGreaterThanOrEqual(16)
  })

  test.each(columnar)('%s has the records of its twin', async (name) => {
    await expectTwin(fixture(name), twin, kindOf(name))
  })

  test.each(['duckdb-zstd.parquet', 'arrow-rs-stream.arrow', 'polars-lz4.arrow'])('%s in gzip, too', async (name) => {
    await expectTwin(gzipped(fixture(name)), twin, `${kindOf(name)}+gzip`)
    await expectTwin(gzipped(gzipped(fixture(name))), twin, `${kindOf(name)}+gzip+gzip`)
  })

  test.each(['duckdb-zstd.parquet', 'arrow-js-file.arrow'])('%s in an archive, too', async (name) => {
    const archive = memorySource(zipped({ 'any name': fixture(name) }), 500, 'run.zip')
    const { sources } = await expandArchive(archive)
    expect(sources.map((source) => source.name)).toEqual(['run.zip › any name'])
    const inside = await sources[0]!.slice(0, sources[0]!.size)
    await expectTwin(inside, twin, kindOf(name))
  })

  test.each(columnar)('%s gives lists of numbers as typed arrays, and no bigint', async (name) => {
    const records = await recordsOf(await openContainer(memorySource(fixture(name))))
    const [first] = records
    const value = first?.value as JsonObject
    expect(value.input_ids).toBeInstanceOf(Int32Array)
    expect(value.labels).toBeInstanceOf(Int32Array)
    expect(value.loss_mask).toBeInstanceOf(Int32Array)
    expect(value.logprobs).toBeInstanceOf(Float64Array)
    expect(typeof value.id).toBe('number')
    // Beyond 2^53 its digits, never a number near it.
    expect((records[5]!.value as JsonObject).big).toBe('9007199254740993')
    expect(JSON.stringify(records.map((record) => record.value))).toContain('9007199254740993')
  })

  test.each(
    columnar.filter((name) => kindOf(name) === 'parquet'),
  )('%s in any pieces: pages that are handed on, and rows cut out of pages', async (name) => {
    const whole = await recordsOf(await openContainer(memorySource(fixture(name))))
    for (const page of [0, 64, Number.MAX_SAFE_INTEGER]) {
      for (const batchBytes of [1, 700, 1 << 20]) {
        const pieces = await openParquet(memorySource(fixture(name)), { rowGroup: 0, page })
        expect(await recordsOf(pieces, batchBytes), `pages above ${page}, ${batchBytes} bytes`).toEqual(whole)
      }
    }
  })

  test.each(
    columnar.filter((name) => kindOf(name) === 'parquet'),
  )('%s is left between two pages where somebody stops its reading, and is whole when it is read again', async (name) => {
    const whole = await recordsOf(await openContainer(memorySource(fixture(name))))
    const source = memorySource(fixture(name))
    const stop = new AbortController()
    let reads: number | null = null
    const container = await openParquet(
      {
        ...source,
        slice(start, end) {
          if (reads !== null) {
            reads++
            stop.abort()
          }
          return source.slice(start, end)
        },
      },
      { rowGroup: 0, page: 0 },
    )
    for await (const spans of container.index({ batchBytes: 1 << 20 })) {
      reads = 0
      await expect(container.read(spans, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
      // The first page of each column, which are looked for side by side.
      expect(reads).toBeLessThanOrEqual(Object.keys(whole[0]?.value as JsonObject).length)
      break
    }
    reads = null
    expect(await recordsOf(container)).toEqual(whole)
  })

  test('the metadata of a file is at hand', async () => {
    const arrow = await openContainer(memorySource(fixture('arrow-js-file.arrow')))
    expect(arrow.metadata).toEqual({ huggingface: '{"info": {"features": {}}}' })
    const parquet = await openContainer(memorySource(fixture('arrow-rs-v1.parquet')))
    expect(parquet.metadata).toMatchObject({ created_by: 'fixture' })
  })

  test('a batch asks for no more of the file than its rows take', async () => {
    const bytes = fixture('arrow-rs-stream.arrow')
    let asked = 0
    const plain = memorySource(bytes)
    const counting = {
      ...plain,
      slice(start: number, end: number) {
        asked += end - start
        return plain.slice(start, end)
      },
    }
    const container = await openContainer({ ...counting })
    const rows = []
    for await (const spans of container.index({ batchBytes: 1, firstBatchBytes: 1 })) rows.push(spans)
    asked = 0
    await container.read(rows[2]!)
    expect(asked).toBeGreaterThan(100)
    expect(asked).toBeLessThan(bytes.length / 4)
  })
})
