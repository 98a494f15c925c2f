import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openContainer } from '../../shared/containers/open.ts'
import { gzipped, memorySource } from './memory-source.ts'
import { expectTwin, NUMERIC, recordsOf } from './twin.ts'

const folder = new URL('../fixtures/containers/', import.meta.url)
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const twin = fixture('rows.jsonl')
const columnar = readdirSync(folder).filter((name) => /\.(parquet|arrow)$/.test(name))

describe('columns', () => {
  test.each(columnar)('%s has the records of its twin', async (name) => {
    await expectTwin(fixture(name), twin, name.endsWith('.parquet') ? 'parquet' : 'arrow')
  })
})
