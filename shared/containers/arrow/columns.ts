import { type Batch, batchType, Column, Type, UnionMode } from '@uwdata/flechette'
import { partitionPoint } from '../../model/partition-point.ts'
import type { JsonObject, JsonValue } from '../container.ts'
import { numbersOf, plainInteger, plainValue, setOwn } from '../plain-value.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import type { BatchLayout } from './message.ts'
import { type DataType, shapeOf } from './types.ts'
import type { Unpacker } from './unpack.ts'

/** Nodes and buffers in the order of the fields; `bytes(i)` is the i-th buffer, not compressed any more. */
export interface ColumnParts {
  readonly nodes: readonly { readonly length: number; readonly nulls: number }[]
  bytes(index: number): Uint8Array
  readonly variadic: readonly number[]
  readonly dictionaries: ReadonlyMap<number, Column<unknown>>
}

/** The parts of a batch whose body is at hand whole. */
export function partsOfBody(
  body: Uint8Array,
  layout: BatchLayout,
  unpacker: Unpacker,
): Omit<ColumnParts, 'dictionaries'> {
  const { nodes, buffers, compression, variadic } = layout
  return {
    nodes,
    variadic,
    bytes(index) {
      const region = buffers[index]
      if (region === undefined) throw new RangeError('a column has no buffer')
      const stored = body.subarray(region.offset, region.offset + region.length)
      return compression === null || stored.length === 0 ? stored : unpacker.unpack(stored, compression)
    },
  }
}

/** Columns in the library's own classes, made field by field so that every length is held to what is there. */
export class ColumnBuilder {
  /** Of the buffers that were taken, unpacked. */
  bytes = 0
  private node = 0
  private buffer = 0
  private view = 0

  constructor(private readonly parts: ColumnParts) {}

  build(type: DataType): Batch<unknown> {
    const node = this.parts.nodes[this.node++]
    if (node === undefined) throw new RangeError('a column is missing')
    const { length } = node
    const shape = shapeOf(type)
    const BatchClass = batchType(type, { useBigInt: true, useMap: true })
    const make = (rest: object) => new BatchClass({ length, nullCount: node.nulls, type, ...rest }) as Batch<unknown>
    if (shape.kind === 'null') return make({ nullCount: length })
    if (shape.kind === 'other') return this.rare(type, length, make)
    const validity = this.validity(node)
    if (shape.kind === 'children') {
      const children = shape.children.map((child) => this.build(child))
      for (const child of children) atLeast(child.length, length * shape.times)
      return make({ validity, children })
    }
    if (shape.kind === 'offsets') {
      const offsets = this.offsets(type, length, shape.wide)
      const end = Number(offsets[length] ?? 0)
      if (shape.child === null) {
        const values = this.next()
        atLeast(values.length, end)
        return make({ validity, offsets, values })
      }
      const child = this.build(shape.child)
      atLeast(child.length, end)
      return make({ validity, offsets, children: [child] })
    }
    const bytes = this.next()
    atLeast(bytes.length * 8, length * shape.bits)
    if (type.typeId !== Type.Dictionary) return make({ validity, values: typed(bytes, arrayOf(type)) })
    const dictionary = this.parts.dictionaries.get(type.id)
    if (dictionary === undefined && length > 0) throw new RangeError(`dictionary ${type.id} is missing`)
    const values = typed(bytes, type.indices.values)
    const entries = dictionary?.length ?? 0
    const indexed = make({ validity, values }) as Batch<unknown> & {
      setDictionary(column: Column<unknown>): Batch<unknown>
    }
    for (let i = 0; i < length; i++) {
      const index = Number(values[i])
      if (!(index >= 0 && index < entries) && (node.nulls === 0 || isSet(validity, i))) {
        throw new RangeError(`entry ${index} of a dictionary that has ${entries}`)
      }
    }
    return indexed.setDictionary(dictionary ?? new Column<unknown>([], type.dictionary))
  }

  /** Views, unions and runs: nothing that a trainer writes, read as the library does. */
  private rare(type: DataType, length: number, make: (rest: object) => Batch<unknown>): Batch<unknown> {
    switch (type.typeId) {
      case Type.Utf8View:
      case Type.BinaryView: {
        const validity = this.next()
        const values = this.next()
        atLeast(values.length, length * 16)
        const count = this.parts.variadic[this.view++] ?? 0
        if (count > this.parts.nodes.length + 1e6) throw new RangeError(`a column of ${count} buffers`)
        return make({ validity, values, data: Array.from({ length: count }, () => this.next()) })
      }
      case Type.ListView:
      case Type.LargeListView: {
        const validity = this.next()
        const [offsets, sizes] = [typed(this.next(), type.offsets), typed(this.next(), type.offsets)]
        atLeast(Math.min(offsets.length, sizes.length), length)
        const children = type.children.map((field) => this.build(field.type))
        for (let i = 0; i < length; i++) {
          const [from, size] = [Number(offsets[i]), Number(sizes[i])]
          if (from < 0 || size < 0) throw new RangeError(`a view begins at ${from} and has ${size} values`)
          atLeast(children[0]?.length ?? 0, from + size)
        }
        return make({ validity, offsets, sizes, children })
      }
      case Type.RunEndEncoded:
        return make({ children: type.children.map((field) => this.build(field.type)) })
      case Type.Union: {
        const typeIds = typed(this.next(), Int8Array)
        const offsets = type.mode === UnionMode.Sparse ? null : typed(this.next(), Int32Array)
        atLeast(Math.min(typeIds.length, offsets?.length ?? length), length)
        const children = type.children.map((field) => this.build(field.type))
        for (let i = 0; i < length; i++) {
          const child = children[type.typeMap[Number(typeIds[i])] ?? -1]
          if (child === undefined) throw new RangeError(`a value of kind ${typeIds[i]}, which its union does not know`)
          const at = offsets === null ? i : Number(offsets[i])
          if (at < 0) throw new RangeError(`a value stands at ${at} of its kind`)
          atLeast(child.length, at + 1)
        }
        return make({ typeIds, offsets, children })
      }
      case Type.Interval:
        return make({ validity: this.next(), values: typed(this.next(), type.values ?? Int32Array) })
    }
    throw new RangeError(`a column of a type that is not read (${type.typeId})`)
  }

  private next(): Uint8Array {
    const bytes = this.parts.bytes(this.buffer++)
    this.bytes += bytes.length
    return bytes
  }

  private validity(node: { length: number; nulls: number }): Uint8Array {
    const bytes = this.next()
    if (node.nulls > 0) atLeast(bytes.length * 8, node.length)
    return bytes
  }

  private offsets(type: DataType, length: number, wide: boolean): Int32Array | BigInt64Array {
    const bytes = this.next()
    const offsets = typed(bytes, wide ? BigInt64Array : Int32Array) as Int32Array | BigInt64Array
    if (length === 0) return offsets
    atLeast(offsets.length, length + 1)
    for (let i = 0; i < length; i++) {
      const [from, to] = [offsets[i] as number, offsets[i + 1] as number]
      if (from < 0 || to < from)
        throw new RangeError(`a value begins at ${from} and ends at ${to} (type ${type.typeId})`)
    }
    return offsets
  }
}

function atLeast(there: number, needed: number): void {
  if (there < needed) throw new RangeError(`a column has ${there} of the ${needed} values that it declares`)
}

function isSet(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
}

type NumberArray = Exclude<Batch<unknown>['values'], undefined>
type NumberArrayClass = {
  new (buffer: ArrayBuffer, offset: number, length: number): unknown
  readonly BYTES_PER_ELEMENT: number
}

/** An aligned copy: buffers may begin anywhere in a body. */
function typed(bytes: Uint8Array, ArrayClass: NumberArrayClass): NumberArray {
  const { buffer } = wholeBuffer(bytes)
  const length = Math.floor(bytes.length / ArrayClass.BYTES_PER_ELEMENT)
  return new ArrayClass(buffer, 0, length) as NumberArray
}

function arrayOf(type: DataType): NumberArrayClass {
  return 'values' in type && type.values !== undefined ? (type.values as NumberArrayClass) : Uint8Array
}

/** Gives the value of a row as JSON. Lists of numbers and booleans are typed arrays, null in them NaN. */
export function valueReader(batch: Batch<unknown>, type: DataType): (row: number) => JsonValue {
  // A column of nothing has no buffers at all.
  if (type.typeId === Type.Null) return () => null
  const read = presentReader(batch, type)
  return batch.nullCount > 0 ? (row) => (batch.isValid(row) ? read(row) : null) : read
}

function presentReader(batch: Batch<unknown>, type: DataType): (row: number) => JsonValue {
  const [child] = batch.children ?? []
  switch (type.typeId) {
    case Type.Int:
    case Type.Time:
    case Type.Duration:
      return (row) => {
        const value = batch.value(row) as number | bigint
        return typeof value === 'bigint' ? plainInteger(value) : value
      }
    case Type.Date:
      return (row) => timeText(batch.value(row) as number, type.unit === 0)
    case Type.Timestamp:
      return (row) => timeText(batch.value(row) as number, false)
    case Type.Struct: {
      const readers = type.children.map((field, i) => ({
        name: field.name,
        read: valueReader((batch.children as Batch<unknown>[])[i] as Batch<unknown>, field.type),
      }))
      return (row) => {
        const object: JsonObject = {}
        for (const { name, read } of readers) setOwn(object, name, read(row))
        return object
      }
    }
    case Type.List:
    case Type.LargeList: {
      const list = listReader(child as Batch<unknown>, (type.children[0] as { type: DataType }).type)
      const { offsets } = batch
      return (row) => list(Number(offsets[row]), Number(offsets[row + 1]))
    }
    case Type.FixedSizeList: {
      const list = listReader(child as Batch<unknown>, (type.children[0] as { type: DataType }).type)
      return (row) => list(row * type.stride, (row + 1) * type.stride)
    }
    case Type.Utf8View:
    case Type.BinaryView:
      return viewReader(batch)
    case Type.RunEndEncoded:
      return runReader(batch, type)
    default:
      return (row) => plainValue(batch.value(row))
  }
}

/** Texts that several rows share are decoded once. */
function viewReader(batch: Batch<unknown>): (row: number) => JsonValue {
  const { values } = batch as Batch<unknown> & { readonly values: Uint8Array }
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  const known = new Map<string, JsonValue>()
  return (row) => {
    const length = view.getInt32(row * 16, true)
    if (length <= 12) return plainValue(batch.value(row))
    const place = `${view.getInt32(row * 16 + 8, true)} ${view.getInt32(row * 16 + 12, true)} ${length}`
    const value = known.get(place) ?? plainValue(batch.value(row))
    known.set(place, value)
    return value
  }
}

/** Of each run its value, decoded once; a list is one of its own for each row. */
function runReader(batch: Batch<unknown>, type: DataType & { readonly typeId: typeof Type.RunEndEncoded }) {
  const [runs, values] = batch.children as [Batch<unknown>, Batch<unknown>]
  const ends = runs.values as ArrayLike<number | bigint>
  const read = valueReader(values, type.children[1].type)
  const texts: (string | undefined)[] = []
  return (row: number): JsonValue => {
    const run = partitionPoint(values.length, (i) => Number(ends[i]) <= row)
    const value = texts[run] ?? read(run)
    if (typeof value === 'string') texts[run] = value
    return value
  }
}

function listReader(child: Batch<unknown>, type: DataType): (start: number, end: number) => JsonValue {
  const isFloat = type.typeId === Type.Float
  if (type.typeId === Type.Bool || (isFloat && type.precision === 0)) {
    return (start, end) => filled(child, start, end, isFloat)
  }
  if (type.typeId === Type.Int || isFloat) {
    const { values } = child
    return (start, end) => {
      if (child.nullCount > 0) return filled(child, start, end, isFloat)
      // A view of the batch would keep all of it.
      return values instanceof Int32Array || values instanceof Float64Array
        ? values.slice(start, end)
        : numbersOf(values.subarray(start, end) as ArrayLike<number | bigint>)
    }
  }
  const read = valueReader(child, type)
  return (start, end) => Array.from({ length: end - start }, (_, i) => read(start + i))
}

function filled(child: Batch<unknown>, start: number, end: number, isFloat: boolean): Int32Array | Float64Array {
  const numbers = new Float64Array(end - start)
  for (let i = start; i < end; i++) {
    const value = child.at(i)
    numbers[i - start] = value === null ? Number.NaN : Number(value)
  }
  return isFloat ? numbers : numbersOf(Array.from(numbers))
}

function timeText(milliseconds: number, day: boolean): JsonValue {
  if (!(Math.abs(milliseconds) <= 8.64e15)) return null
  const text = new Date(milliseconds).toISOString()
  return day ? text.slice(0, 10) : text
}
