import { narrowRows, PyTensor } from '../pickle/tensor.ts'
import { PyDict, PyList, PyObject, PyTuple, type PyValue } from '../pickle/values.ts'
import type { PickledRecords } from './split.ts'

/** The elements of a list of nothing but dicts and objects, null for anything else. */
function itemsIn(value: PyValue): readonly PyValue[] | null {
  return elementsIf(listOf(value), isItem)
}

/** The elements of a list that is more than half dicts and objects: each other element is a record that cannot be read, and costs no neighbour. */
export function recordsOfList(value: PyValue): readonly PyValue[] | null {
  const items = elementsOf(listOf(value))
  return items !== null && items.filter(isItem).length * 2 > items.length ? items : null
}

function listOf(value: PyValue): PyValue {
  return (value instanceof PyObject ? value.items : value) ?? null
}

function isItem(value: PyValue): boolean {
  return value instanceof PyDict || value instanceof PyObject
}

/** The dict for each element of its longest list of dicts, with a list of that one; null where it has none, or two as long. */
export function recordsOfLongestList(dict: PyDict): PickledRecords | null {
  const lists = [...dict.entries].flatMap(([key, value]) => {
    const items = itemsIn(value)
    return items === null ? [] : [{ key, items }]
  })
  const [longest, ...others] = lists.sort((a, b) => b.items.length - a.items.length)
  if (longest === undefined || longest.items.length === others[0]?.items.length) return null
  const { key, items } = longest
  return {
    count: items.length,
    async record(index) {
      const entries = new Map<PyValue, PyValue>([[key, new PyList([items[index] as PyValue])]])
      if (index > 0) for (const other of others) entries.set(other.key, new PyList([]))
      return withEntries(dict, entries)
    },
  }
}

/**
 * The dict for each row of the lists in it, or in a dict that it holds, each list with that one element: two lists or more of as many
 * tensors of one axis, and all other lists and tensors of their length. Null where there are no such lists.
 */
export function recordsOfColumns(root: PyDict): PickledRecords | null {
  for (const [key, dict] of [[null, root] as const, ...root.entries]) {
    const columns = dict instanceof PyDict ? columnsOf(dict) : null
    if (!(dict instanceof PyDict) || columns === null) continue
    return {
      count: columns.rows,
      async record(index) {
        const row = new Map(columns.lists.map(([name, list]) => [name, elementOf(list, index)] as const))
        const cut = withEntries(dict, row)
        return key === null ? cut : withEntries(root, new Map([[key, cut]]))
      },
    }
  }
  return null
}

function columnsOf(dict: PyDict): { readonly rows: number; readonly lists: readonly [PyValue, Column][] } | null {
  const lists = [...dict.entries].filter((entry): entry is [PyValue, Column] => isColumn(entry[1]))
  const vectors = lists.flatMap(([, list]) => elementsIf(list, isVector)?.length ?? [])
  const rows = vectors.find((length, i) => vectors.indexOf(length) < i)
  return rows === undefined ? null : { rows, lists: lists.filter(([, list]) => lengthOf(list) === rows) }
}

type Column = PyList | PyTensor

function isColumn(value: PyValue): value is Column {
  return value instanceof PyList || isVector(value)
}

function lengthOf(column: Column): number {
  return column instanceof PyList ? column.length : (column.shape[0] as number)
}

function elementOf(column: Column, index: number): Column {
  return column instanceof PyList ? new PyList(column.slice(index, index + 1)) : narrowRows(column, index, index + 1)
}

function isVector(value: PyValue): boolean {
  return value instanceof PyTensor && value.shape.length === 1 && value.refused === null
}

function elementsIf(list: PyValue, holds: (item: PyValue) => boolean): readonly PyValue[] | null {
  const items = elementsOf(list)
  return items === null || items.length === 0 || !items.every(holds) ? null : items
}

/** The elements of a list or tuple that is no list of numbers. */
function elementsOf(list: PyValue): readonly PyValue[] | null {
  if (list instanceof PyList) return list.numbers() === null ? list.items() : null
  return list instanceof PyTuple ? list.items : null
}

function withEntries(dict: PyDict, entries: ReadonlyMap<PyValue, PyValue>): PyDict {
  const copy = new PyDict()
  for (const [key, member] of dict.entries) copy.set(key, entries.get(key) ?? member)
  return copy
}
