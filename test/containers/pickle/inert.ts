import { PyDtype } from '../../../shared/containers/pickle/dtype.ts'
import { JaggedTensor, PyStorage, PyTensor } from '../../../shared/containers/pickle/tensor.ts'
import {
  Placeholder,
  PyBytes,
  PyDict,
  PyList,
  PyName,
  PyObject,
  PySet,
  PyTuple,
  type PyValue,
} from '../../../shared/containers/pickle/values.ts'

const KINDS = [
  PyList,
  PyTuple,
  PyDict,
  PySet,
  PyBytes,
  PyName,
  PyObject,
  Placeholder,
  PyDtype,
  PyTensor,
  PyStorage,
  JaggedTensor,
]

/** Everything that is reached from a value, each thing once. Throws when something is no inert value: a function, a foreign object. */
export function allValues(root: PyValue): PyValue[] {
  const seen = new Set<PyValue>()
  const open: (PyValue | undefined)[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (value === undefined || seen.has(value)) continue
    seen.add(value)
    if (value === null || ['boolean', 'number', 'bigint', 'string'].includes(typeof value)) continue
    const kind = KINDS.find((known) => Object.getPrototypeOf(value) === known.prototype)
    if (kind === undefined) throw new Error(`${typeof value} ${String(value)} in the value of a pickle`)
    if (value instanceof PyList) open.push(...value.items().slice(0, 10_000))
    else if (value instanceof PyTuple || value instanceof PySet) open.push(...value.items.slice(0, 10_000))
    else if (value instanceof PyDict) for (const pair of value.entries) open.push(...pair)
    else if (value instanceof PyObject) {
      open.push(...value.fields.values(), value.entries, value.items, value.state, value.value)
    } else if (value instanceof Placeholder) {
      open.push(...value.args, value.kwargs, value.state, value.entries, value.items)
    } else if (value instanceof PyTensor) open.push(...(value.items ?? []), value.storage)
    else if (value instanceof JaggedTensor) open.push(value.values, value.offsets, value.lengths)
  }
  return [...seen]
}
