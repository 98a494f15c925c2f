import type { JsonObject, JsonValue } from '../container.ts'
import { plainInteger, plainValue, setOwn } from '../plain-value.ts'
import { Budget } from './budget.ts'
import { partsOf, type TensorNumbers } from './decode.ts'
import { PyDtype } from './dtype.ts'
import { PickleIssues } from './issues.ts'
import { JaggedTensor, PyStorage, PyTensor, readRows, readTensor, rowCount, sizeOf } from './tensor.ts'
import {
  Placeholder,
  PyBytes,
  type PyDict,
  PyList,
  PyName,
  PyObject,
  PySet,
  PyTuple,
  type PyValue,
  shownName,
} from './values.ts'

export interface ToJsonOptions {
  /** Keys whose lists of numbers become typed arrays, at any depth, as `parseJson` has it. */
  readonly numericKeys?: ReadonlySet<string>
  /** Values nested deeper than this become placeholders; default 512, as deep as JSON is read. */
  readonly maxDepth?: number
  readonly budget?: Budget
  readonly issues?: PickleIssues
  readonly signal?: AbortSignal
}

const MAX_DEPTH = 512
/** What a value may take as JSON, unless the caller says otherwise. */
const DEFAULT_JSON_BYTES = 2 ** 30
/** A value that stands for a value that stands for a value … */
const MAX_STEPS = 64

/**
 * A value of a pickle as JSON. What several places share is repeated, within the budget; what contains itself becomes a placeholder
 * where it comes again.
 *
 * - A tuple or set is a list, a dict an object: keys that are no texts are written as `json.dumps` writes them, tuples as `a, b`.
 * - An object has its class under `__class__` beside its fields; a name or a call that was not made is `{kind: 'placeholder', name, …}`.
 * - A tensor is read: by its last axis `Int32Array` (whole numbers and booleans that fit) or `Float64Array`, lists of these by the
 *   others; without axes a number or boolean. Complex numbers are pairs.
 * - Bytes and integers beyond ±2^53 are as in `plainValue`; in a tensor such integers are rounded, which is an issue.
 *
 * Throws `PickleError` when the budget does not suffice or a tensor cannot be read.
 */
export async function toJson(value: PyValue, options: ToJsonOptions = {}): Promise<JsonValue> {
  const writer = new JsonWriter(options)
  let json: JsonValue = null
  writer.write(value, (written) => {
    json = written
  })
  for (const { tensor, put } of writer.tensors) {
    options.signal?.throwIfAborted()
    put(await writer.tensor(tensor))
  }
  return json
}

type Container = PyList | PyTuple | PySet | PyDict | PyObject | Placeholder | PyTensor

type Put = (json: JsonValue) => void

/** A container whose children are being written. */
interface Open {
  /** The value it stands for, by which a cycle is found. */
  readonly source: object
  readonly children: Iterator<Child>
  /** Whether its lists of numbers become typed arrays. */
  readonly numeric: boolean
}

interface Child {
  readonly value: PyValue
  /** Its key in an object; null in a list, which hands on what its own key says. */
  readonly key: string | null
  readonly put: Put
}

class JsonWriter {
  /** Tensors that are still to be read, in the order of the value. */
  readonly tensors: { readonly tensor: PyTensor | JaggedTensor; readonly put: Put }[] = []
  private readonly stack: Open[] = []
  private readonly path = new Set<object>()
  private readonly numericKeys: ReadonlySet<string>
  private readonly maxDepth: number
  private readonly budget: Budget
  private readonly issues: PickleIssues

  constructor({ numericKeys = new Set(), maxDepth = MAX_DEPTH, budget, issues }: ToJsonOptions) {
    this.numericKeys = numericKeys
    this.maxDepth = maxDepth
    this.budget = budget ?? new Budget(DEFAULT_JSON_BYTES)
    this.issues = issues ?? new PickleIssues()
  }

  /** Writes everything but the tensors, without recursion. */
  write(value: PyValue, put: Put): void {
    this.place(value, false, put)
    for (let open = this.stack.at(-1); open !== undefined; open = this.stack.at(-1)) {
      const next = open.children.next()
      if (next.done) {
        this.stack.pop()
        this.path.delete(open.source)
      } else {
        const child = next.value
        this.place(child.value, child.key === null ? open.numeric : this.numericKeys.has(child.key), child.put)
      }
    }
  }

  async tensor(tensor: PyTensor | JaggedTensor): Promise<JsonValue> {
    const { budget } = this
    if (tensor instanceof JaggedTensor) {
      const rows = await readRows(tensor, 0, rowCount(tensor), budget)
      const inner = withParts(tensor.values.shape.slice(1), tensor.values)
      const width = sizeOf(inner)
      this.charge(8 * rows.reduce((sum, row) => sum + row.length, 0))
      return rows.map((row) => this.nested(row, [width === 0 ? 0 : row.length / width, ...inner]))
    }
    const { data, shape, dtype, inexact } = await readTensor(tensor, { budget })
    this.charge(8 * data.length)
    if (inexact > 0) this.issues.add('inexact-integer', 'integers beyond 2^53 are rounded', inexact)
    if (shape.length === 0 && partsOf(dtype) === 1) return dtype === 'bool' ? data[0] !== 0 : (data[0] as number)
    return this.nested(data, withParts(shape, tensor))
  }

  private place(from: PyValue, numeric: boolean, put: Put): void {
    this.charge(16)
    const value = standsFor(from)
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
      put(value)
    else if (typeof value === 'bigint') put(plainInteger(value))
    else if (value instanceof PyBytes) put(bytesJson(value))
    else if (value instanceof PyName) put({ kind: 'placeholder', name: shownName(value.name) })
    else if (value instanceof PyDtype) put(value.numeric ?? value.code)
    else if (value instanceof PyStorage) put({ kind: 'placeholder', name: 'torch.storage', key: value.key })
    else if (value instanceof PyTensor && value.refused !== null) {
      put({ kind: 'placeholder', name: value.refused, shape: [...value.shape] })
    } else if (value instanceof JaggedTensor || (value instanceof PyTensor && value.items === null)) {
      this.tensors.push({ tensor: value, put })
    } else this.open(value, numeric, put)
  }

  private open(value: Container, numeric: boolean, put: Put): void {
    const instead = this.insteadOf(value, numeric)
    if (instead !== null) {
      put(instead)
      return
    }
    this.charge(64)
    this.path.add(value)
    const items = listItems(value)
    if (items !== null) {
      this.charge(8 * items.length)
      const list = new Array<JsonValue>(items.length).fill(null)
      put(list)
      this.stack.push({ source: value, children: listChildren(items, list), numeric })
    } else {
      const object: JsonObject = {}
      put(object)
      const children = this.members(value as PyDict | PyObject | Placeholder, object)
      this.stack.push({ source: value, children, numeric: false })
    }
  }

  /** What is written in place of a container that is not opened; null for one that is. */
  private insteadOf(value: Container, numeric: boolean): JsonValue {
    const numbers = numeric ? typedNumbers(value) : null
    if (numbers !== null) {
      this.charge(numbers.byteLength)
      return numbers
    }
    if (this.path.has(value)) {
      this.issues.add('cycle', 'a value contains itself')
      return { kind: 'placeholder', name: 'contains itself' }
    }
    if (this.stack.length < this.maxDepth) return null
    this.issues.add('too-deep', `values are nested deeper than ${this.maxDepth} levels`)
    return { kind: 'placeholder', name: `nested deeper than ${this.maxDepth} levels` }
  }

  private *members(value: PyDict | PyObject | Placeholder, object: JsonObject): Iterator<Child> {
    const child = (key: string, member: PyValue): Child => ({
      value: member,
      key,
      put: (json) => setOwn(object, key, json),
    })
    const free = (key: string) => {
      if (!Object.hasOwn(object, key)) return key
      this.issues.add('key-clash', `two members of one object have the same key ${shownName(key)}`)
      let number = 2
      while (Object.hasOwn(object, `${key} (${number})`)) number++
      return `${key} (${number})`
    }
    if (value instanceof Placeholder) {
      setOwn(object, 'kind', 'placeholder')
      setOwn(object, 'name', shownName(value.name))
      if (value.args.length > 0) yield child('args', new PyTuple(value.args))
      if (value.kwargs !== null) yield child('kwargs', value.kwargs)
      if (value.state !== undefined) yield child('state', value.state)
      if (value.entries !== null) yield child('entries', value.entries)
      if (value.items !== null) yield child('items', value.items)
      return
    }
    if (value instanceof PyObject) {
      setOwn(object, '__class__', shownName(value.className))
      for (const [key, member] of value.fields) yield child(free(key), member)
      if (value.items !== null) yield child(free('items'), value.items)
      if (value.state !== undefined) yield child(free('state'), value.state)
    }
    const entries = value instanceof PyObject ? value.entries : value
    for (const [key, member] of entries?.entries ?? []) {
      const text = keyText(key)
      this.charge(2 * text.length)
      yield child(free(text), member)
    }
  }

  private nested(data: TensorNumbers, shape: readonly number[]): JsonValue {
    if (shape.length <= 1) return typed(data)
    const [count = 0, ...rest] = shape
    const width = sizeOf(rest)
    this.charge(16 * count)
    return Array.from({ length: count }, (_, i) => this.nested(data.subarray(i * width, (i + 1) * width), rest))
  }

  private charge(bytes: number): void {
    this.budget.charge(bytes, -1, 'what the value becomes when everything shared in it is repeated')
  }
}

/** What an object stands for, and a numpy array without axes. */
function standsFor(from: PyValue): PyValue {
  let value = from
  for (let step = 0; step < MAX_STEPS; step++) {
    if (value instanceof PyObject && value.value !== undefined) value = value.value
    else if (value instanceof PyTensor && value.items !== null && value.shape.length === 0)
      value = value.items[0] ?? null
    else return value
  }
  return new Placeholder('contains itself')
}

function* listChildren(items: readonly PyValue[], list: JsonValue[]): Iterator<Child> {
  for (let i = 0; i < items.length; i++) {
    const put: Put = (json) => {
      list[i] = json
    }
    yield { value: items[i] as PyValue, key: null, put }
  }
}

/** The items of what becomes a list; an array of more than one axis becomes lists of lists. */
function listItems(value: PyValue): readonly PyValue[] | null {
  if (value instanceof PyList) return value.items()
  if (value instanceof PyTuple || value instanceof PySet) return value.items
  if (!(value instanceof PyTensor)) return null
  const items = value.items ?? []
  const [count = 0, ...rest] = value.shape
  if (rest.length === 0) return items
  const width = sizeOf(rest)
  return Array.from({ length: count }, (_, i) => {
    const part = new PyTensor(value.library, value.at)
    part.shape = rest
    part.items = items.slice(i * width, (i + 1) * width)
    return part
  })
}

/** A list of numbers, booleans and None as a typed array, null when it is something else. */
function typedNumbers(value: PyValue): Int32Array | Float64Array | null {
  const packed = value instanceof PyList ? value.numbers() : null
  if (packed !== null) return packed.slice()
  const items = value instanceof PyTensor && value.shape.length !== 1 ? null : listItems(value)
  if (items === null) return null
  let integers = true
  for (const item of items) {
    if (typeof item === 'number') integers &&= (item | 0) === item && !Object.is(item, -0)
    else if (item === null) integers = false
    else if (typeof item !== 'boolean') return null
  }
  const number = (item: PyValue) => (item === null ? Number.NaN : Number(item))
  return integers ? Int32Array.from(items, number) : Float64Array.from(items, number)
}

function typed(data: TensorNumbers): Int32Array | Float64Array {
  return data instanceof Float32Array ? Float64Array.from(data) : data.slice()
}

function withParts(shape: readonly number[], { dtype }: PyTensor): readonly number[] {
  return dtype !== null && partsOf(dtype) === 2 ? [...shape, 2] : shape
}

function keyText(key: PyValue): string {
  if (typeof key === 'string') return key
  if (typeof key === 'number' || typeof key === 'bigint') return String(key)
  if (key === null || typeof key === 'boolean') return String(key)
  if (key instanceof PyTuple)
    return key.items.map((item) => (item instanceof PyTuple ? '(…)' : keyText(item))).join(', ')
  if (key instanceof PyObject && typeof key.value === 'string') return key.value
  return key instanceof PyName ? shownName(key.name) : `(${key.kind})`
}

/** Bytes that are still in the file are not fetched for this. */
function bytesJson({ data, length }: PyBytes): JsonValue {
  return data === null ? { bytes: length } : plainValue(data)
}
