import type { JsonObject, JsonValue } from '../container.ts'
import { setOwn } from '../plain-value.ts'
import { type ToJsonOptions, toJson } from './json.ts'
import { JaggedTensor, narrowRows, PyTensor, rowCount } from './tensor.ts'
import { PyDict, PyList, PyTuple, type PyValue } from './values.ts'

/** Rows of what a batch holds under one name: a tensor or array along its first axis, a list; null for what has no rows. */
export function columnRows(value: PyValue | undefined): number | null {
  if (value instanceof PyTensor) return value.shape.length === 0 || value.refused !== null ? null : rowCount(value)
  if (value instanceof JaggedTensor) return rowCount(value)
  if (value instanceof PyList) return value.length
  return value instanceof PyTuple ? value.items.length : null
}

/**
 * Rows `from` to `to` of a batch, each an object with what every column has at that row, as `toJson` writes it: a row of a tensor of two
 * axes is a typed array, of one axis a number or boolean. Of tensors, the bytes of these rows alone are read. What has no rows
 * (`columnRows`) is left out, and so is a column in rows that it does not reach.
 */
export async function readBatchRows(
  columns: Iterable<readonly [name: string, value: PyValue]>,
  from: number,
  to: number,
  options: ToJsonOptions = {},
): Promise<JsonObject[]> {
  const rows = Array.from({ length: Math.max(to - from, 0) }, (): JsonObject => ({}))
  for (const [name, value] of columns) {
    if (columnRows(value) === null) continue
    options.signal?.throwIfAborted()
    const cells = await readCells(name, value, from, to, options)
    for (let i = 0; i < Math.min(cells.length, rows.length); i++) {
      setOwn(rows[i] as JsonObject, name, cells[i] as JsonValue)
    }
  }
  return rows
}

async function readCells(
  name: string,
  value: PyValue,
  from: number,
  to: number,
  options: ToJsonOptions,
): Promise<ArrayLike<JsonValue>> {
  if (value instanceof PyTensor || value instanceof JaggedTensor) {
    const cells = (await toJson(narrowRows(value, from, to), options)) as JsonValue[] | Int32Array | Float64Array
    return value instanceof PyTensor && value.dtype === 'bool' && value.shape.length === 1
      ? Array.from(cells as Int32Array, (cell) => cell !== 0)
      : cells
  }
  const items = value instanceof PyList ? value.slice(from, to) : (value as PyTuple).items.slice(from, to)
  // Each under its name, so that the name says whether its numbers are typed.
  const named = items.map((item) => {
    const dict = new PyDict()
    dict.set(name, item)
    return dict
  })
  const written = (await toJson(new PyTuple(named), options)) as JsonObject[]
  return written.map((object) => Object.values(object)[0] as JsonValue)
}
