import type { DecodedArray, SchemaElement } from 'hyparquet/src/types.js'
import { Allowance } from './allowance.ts'
import { type EncodedParquet, layoutOf, schemaTree } from './decode.ts'
import { type ColumnLayout, type DataPage, physicalLayout, readDataPage, readDictionary, storedPage } from './page.ts'
import { PageRows } from './page-rows.ts'

/** One leaf column of some rows: levels and values as they are stored, whatever they stand for. */
export interface StoredColumn {
  /** From the root of the schema to the leaf. */
  readonly path: readonly SchemaElement[]
  readonly maxDefinition: number
  /** One entry for each value and each null; empty where none can be. */
  readonly definition: number[]
  readonly repetition: number[]
  /** As many as `definition` has entries, or all where it is empty; nulls are undefined. */
  readonly values: unknown[]
}

/**
 * Rows of a batch with nothing about them changed, for writing them again: the columns of each. Throws where their bytes are damaged.
 *
 * @param at their numbers in the batch
 */
export function storedRows(
  { bytes, schema, columns, from, unpacked }: EncodedParquet,
  at: readonly number[],
): readonly (readonly StoredColumn[])[] {
  const tree = schemaTree(schema)
  const allowance = new Allowance(unpacked)
  const cutters = columns.map((column, i) => {
    const layout = layoutOf(tree, column)
    const pages = column.parts ?? pagesOf(bytes[i] as Uint8Array, physicalLayout(layout), allowance)
    const rows = new PageRows(joined(pages), column.first, layout.maxDefinition)
    const path = layout.path.map(({ element }) => element)
    return (row: number) => storedColumn(rows.cut(row, row + 1), path, layout)
  })
  return at.map((row) => cutters.map((cut) => cut(from + row)))
}

function storedColumn(page: DataPage, path: readonly SchemaElement[], layout: ColumnLayout): StoredColumn {
  const { maxDefinition } = layout
  return {
    path,
    maxDefinition,
    definition: Array.from(page.definition ?? new Uint8Array(maxDefinition > 0 ? page.count : 0).fill(maxDefinition)),
    repetition: Array.from(page.repetition ?? []),
    values: withNulls(page, layout),
  }
}

function pagesOf(bytes: Uint8Array, layout: ColumnLayout, allowance: Allowance): DataPage[] {
  const pages: DataPage[] = []
  let dictionary: DecodedArray | null = null
  for (let at = 0; at < bytes.length; ) {
    const { page, next } = storedPage(bytes, at)
    at = next
    allowance.take(page)
    if (page.header.type === 'DICTIONARY_PAGE') dictionary = readDictionary(page, layout)
    else if (page.header.type !== 'INDEX_PAGE') pages.push(readDataPage(page, layout, dictionary))
  }
  return pages
}

function joined(pages: readonly DataPage[]): DataPage {
  const levels = (of: (page: DataPage) => ArrayLike<number> | null) =>
    pages.some((page) => of(page) !== null)
      ? Uint32Array.from(pages.flatMap((page) => Array.from(of(page) ?? [])))
      : null
  return {
    count: pages.reduce((sum, { count }) => sum + count, 0),
    definition: levels(({ definition }) => definition),
    repetition: levels(({ repetition }) => repetition),
    values: pages.flatMap(({ values }) => Array.from(values as ArrayLike<unknown>)),
  }
}

function withNulls({ definition, values }: DataPage, { maxDefinition }: ColumnLayout): unknown[] {
  const present = Array.from(values as ArrayLike<unknown>)
  if (definition === null) return present
  let next = 0
  return Array.from(definition, (level) => (level === maxDefinition ? present[next++] : undefined))
}
