import { LAZY_STACK } from '../pickle/allow/trainers.ts'
import { JaggedTensor, narrowRows, PyTensor, readRows, rowCount } from '../pickle/tensor.ts'
import { PyDict, PyList, PyObject, type PyValue } from '../pickle/values.ts'
import { recordsOfColumns, recordsOfList, recordsOfLongestList } from './lists.ts'

/** A pickled value as records: `record(i)` is what its i-th becomes, tensors still in the file. */
export interface PickledRecords {
  readonly count: number
  record(index: number): Promise<PyValue>
}

/** Levels of dicts and objects in which the columns of a batch are looked for: verl has two, SkyRL one. */
const MAX_LEVELS = 4

/**
 * What the records of a pickle are. A list of dicts or objects, or most of which are: its elements. A batch, that is a dict or object with tensors of one and
 * the same first axis (as DataProto and TensorBatch are): its rows, each with all that is no tensor of that length. A dict with lists
 * of as many tensors, one for each row (what a rank of slime trains on): the dict for each row, with lists of that one. A dict with a list of
 * dicts (slime's `samples`): the dict for each of them, with a list of that one; of several such lists the longest (beside the samples
 * of a train dump stand the ranks that trained them), and the others are empty in all records but the first: each is as long as the dump.
 * Anything else is one record.
 */
export function recordsIn(root: PyValue): PickledRecords {
  const listed = recordsOfList(root)
  if (listed !== null) return { count: listed.length, record: async (index) => listed[index] as PyValue }
  const rows = batchLength(root, 0) ?? (root instanceof PyObject ? arrayLength(root, 0) : null)
  if (rows !== null) return { count: rows, record: (index) => rowOf(root, rows, index, 0) }
  const split = root instanceof PyDict ? (recordsOfColumns(root) ?? recordsOfLongestList(root)) : null
  return split ?? { count: 1, record: async () => root }
}

/** Rows of the first tensor of two axes or more. */
function batchLength(value: PyValue, level: number): number | null {
  if (value instanceof JaggedTensor) return rowCount(value)
  if (value instanceof PyTensor)
    return value.shape.length > 1 && value.refused === null ? (value.shape[0] as number) : null
  if (level > MAX_LEVELS) return null
  for (const member of membersOf(value)) {
    const rows = batchLength(member, level + 1)
    if (rows !== null && rows > 0) return rows
  }
  return null
}

/** Entries of the first array of texts or objects: an object that has no tensor, but these, is a batch of them. */
function arrayLength(value: PyValue, level: number): number | null {
  if (value instanceof PyTensor) return value.items !== null && value.shape.length === 1 ? value.items.length : null
  if (level > MAX_LEVELS) return null
  for (const member of membersOf(value)) {
    const rows = arrayLength(member, level + 1)
    if (rows !== null && rows > 0) return rows
  }
  return null
}

function* membersOf(value: PyValue): Iterable<PyValue> {
  if (value instanceof PyDict) yield* value.entries.values()
  if (!(value instanceof PyObject)) return
  yield* value.fields.values()
  if (value.entries !== null) yield* value.entries.entries.values()
  if (value.value !== undefined) yield value.value
  if (value.state !== undefined) yield value.state
}

async function rowOf(value: PyValue, rows: number, index: number, level: number): Promise<PyValue> {
  if (value instanceof JaggedTensor) return rowCount(value) === rows ? listOf(value, index) : value
  if (value instanceof PyTensor) return value.shape[0] === rows ? rowOfTensor(value, index) : value
  if (level > MAX_LEVELS) return value
  const listed = elementsBeside(value, level)
  if (listed?.length === rows) return listed[index] as PyValue
  if (value instanceof PyDict) return rowOfDict(value, rows, index, level)
  if (!(value instanceof PyObject)) return value
  const row = new PyObject(value.className)
  for (const [key, member] of value.fields) row.fields.set(key, await rowOf(member, rows, index, level + 1))
  row.entries = value.entries === null ? null : await rowOfDict(value.entries, rows, index, level)
  row.items = value.items
  row.state = value.state === undefined ? undefined : await rowOf(value.state, rows, index, level + 1)
  row.value = value.value === undefined ? undefined : await rowOf(value.value, rows, index, level + 1)
  return row
}

async function rowOfDict(dict: PyDict, rows: number, index: number, level: number): Promise<PyDict> {
  const row = new PyDict()
  for (const [key, member] of dict.entries) row.set(key, await rowOf(member, rows, index, level + 1))
  return row
}

/** A list that stands beside the tensors of a batch, at the top of its dict, or a stack of values that are no tensors (tensordict's). */
function elementsBeside(value: PyValue, level: number): readonly PyValue[] | null {
  if (value instanceof PyList) return level === 1 ? value.items() : null
  if (!(value instanceof PyObject) || value.className !== LAZY_STACK) return null
  return value.value instanceof PyList ? value.value.items() : null
}

/** One row along the first axis, still in the file. */
function rowOfTensor(tensor: PyTensor, index: number): PyTensor {
  const row = narrowRows(tensor, index, index + 1)
  row.shape = tensor.shape.slice(1)
  row.strides = tensor.strides.slice(1)
  return row
}

async function listOf(tensor: JaggedTensor, index: number): Promise<PyList> {
  const [numbers] = await readRows(tensor, index, index + 1)
  const list = new PyList()
  if (numbers !== undefined) list.pushNumbers(Float64Array.from(numbers), numbers.length, numbers instanceof Int32Array)
  return list
}
