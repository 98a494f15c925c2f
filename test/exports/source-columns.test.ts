import { readdirSync, readFileSync } from 'node:fs'
import { encode } from '@msgpack/msgpack'
import {
  columnFromArray,
  type DataType,
  dictionary,
  field,
  int32,
  list,
  Type,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  utf8,
} from '@uwdata/flechette'
import { parquetMetadata } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { schemaOf } from '../../shared/containers/arrow/types.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { openParquet } from '../../shared/containers/parquet/open.ts'
import { MANIFEST_NAME, writeExport } from '../../shared/exports/export.ts'
import type { ExportSink } from '../../shared/exports/export-kind.ts'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { Session } from '../../shared/session/session.ts'
import { recordsOf } from '../containers/twin.ts'
import { exportRollouts } from './in-memory.ts'

const folder = new URL('../fixtures/containers/', import.meta.url)
const columnar = readdirSync(folder).filter((name) => /\.(parquet|arrow)$/.test(name))
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))

async function exported(name: string, bytes: Uint8Array, choose: (index: number) => boolean) {
  const session = await Session.open([new MemorySource(name, bytes)], {}, nodeHost(1))
  await session.done
  const indices = session.facts.map((_, index) => index).filter(choose)
  const files = await exportRollouts(session, { as: 'source', indices, why: 'test' })
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.at(-1)!.bytes))
  return { session, indices, file: files[0]!, manifest }
}

const isFile = (bytes: Uint8Array) =>
  [bytes.subarray(0, 6), bytes.subarray(-6)].every((end) => new TextDecoder('latin1').decode(end) === 'ARROW1')

async function valuesOf(name: string, bytes: Uint8Array) {
  const records = await recordsOf(await openContainer(new MemorySource(name, bytes)))
  return records.map(({ value }) => value)
}

describe.each(columnar)('%s', (name) => {
  test.each([
    ['whole', () => true],
    ['every other row', (index: number) => index % 2 === 1],
  ] as const)('as source, %s: the same schema and values', async (_, choose) => {
    const bytes = fixture(name)
    const { session, indices, file, manifest } = await exported(name, bytes, choose)
    const records = indices.map((index) => session.facts[index]!.place.record)
    const all = await valuesOf(name, bytes)
    expect(await valuesOf('again', file.bytes)).toEqual(records.map((record) => all[record]))
    expect(file.name).toBe(name.replace(/\.(parquet|arrow)$/, '.selected.$1'))
    expect(manifest.files).toMatchObject([{ records: records.length }])
    // polars writes texts as views.
    const views = name.startsWith('polars')
    expect(manifest.notes.join()).toMatch(views ? /^Views of Arrow are stored in place here, in [a-z, ]+: / : /^$/)
    if (name.endsWith('.parquet')) {
      const [before, after] = [bytes, file.bytes].map((each) => parquetMetadata(each.slice().buffer as ArrayBuffer))
      expect(after!.schema).toEqual(before!.schema)
      const own = (pairs: typeof before) => pairs?.key_value_metadata ?? []
      expect(own(after)).toEqual(own(before))
    } else if (!views) {
      expect(isFile(file.bytes)).toBe(isFile(bytes))
      const plain = ({ fields, metadata }: ReturnType<typeof schemaOf>) => ({ fields, metadata })
      expect(plain(schemaOf(file.bytes))).toEqual(plain(schemaOf(bytes)))
    }
  })
})

describe.each(['stream', 'file'] as const)('an Arrow %s of many rows', (format) => {
  const long = Array.from({ length: 1200 }, (_, i) => Array.from({ length: i % 5 }, (_, j) => i + j))
  const table = (types: { readonly note: DataType }) =>
    tableFromColumns({
      input_ids: columnFromArray(long, list(field('item', int32()))),
      note: columnFromArray(
        long.map((_, i) => (i % 7 === 0 ? null : `n${i % 3}`)),
        types.note,
      ),
    })

  test.each([
    ['handed on batch by batch', utf8()],
    ['with a dictionary, which is whole at the end', dictionary(utf8())],
  ])('is written back, %s', async (_, note) => {
    const bytes = tableToIPC(table({ note }), { format })!
    const session = await Session.open([new MemorySource('rows.arrow', bytes)], {}, nodeHost(1))
    await session.done
    const written: number[] = []
    const parts: Uint8Array[] = []
    const sink: ExportSink = {
      async open(name) {
        return {
          async write(part) {
            if (name === MANIFEST_NAME) return
            written.push(part.length)
            parts.push(part.slice())
          },
          async close() {},
        }
      },
    }
    const indices = session.facts.map((_, index) => index)
    await writeExport(session, { as: 'source', indices, why: 'test' }, sink)
    const again = new Uint8Array(Buffer.concat(parts))
    expect(isFile(again)).toBe(format === 'file')
    expect(tableFromIPC(again).toArray()).toEqual(tableFromIPC(bytes).toArray())
    expect(await valuesOf('again', again)).toEqual(await valuesOf('before', bytes))
    expect(written.length > 3).toBe(note.typeId === Type.Utf8)
  })
})

test('rows cut out of large pages are the same in columns that stand for something else', async () => {
  const bytes = fixture('arrow-rs-v1.parquet')
  const whole = await recordsOf(await openParquet(new MemorySource('a', bytes)))
  const cut = await recordsOf(await openParquet(new MemorySource('a', bytes), { rowGroup: 0, page: 0 }), 1)
  expect(cut.map(({ value }) => value)).toEqual(whole.map(({ value }) => value))
})

test('what cannot be written back becomes native, and the manifest says so', async () => {
  const record = { input_ids: [1, 2, 3], loss_mask: [0, 1, 1], reward: 0.5 }
  const { file, manifest, session } = await exported('dump.bin', encode([record, record]), () => true)
  expect(session.report().sources[0]?.container).toBe('msgpack')
  expect(file.name).toBe('dump.native.jsonl')
  expect(manifest.notes.join()).toMatch(/dump\.bin is msgpack, which is not written/)
  const lines = new TextDecoder().decode(file.bytes).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).input_ids)).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
})
