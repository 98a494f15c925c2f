import { type DataType, type Field, type Schema, Type, tableFromIPC } from '@uwdata/flechette'

export type { DataType, Field, Schema }

/** How the buffers of a field lie in a batch, after its node. */
export type Shape =
  | { readonly kind: 'null' }
  /** Validity, then values of so many bits. */
  | { readonly kind: 'fixed'; readonly bits: number }
  /** Validity, offsets, then bytes or the child that they point into. */
  | { readonly kind: 'offsets'; readonly wide: boolean; readonly child: DataType | null }
  /** Validity, then children: `times` elements of them for each of this. */
  | { readonly kind: 'children'; readonly times: number; readonly children: readonly DataType[] }
  /** Read whole or not at all. */
  | { readonly kind: 'other' }

/** The schema of a stream or file without rows, whose offsets `readMessage` or `fileWithoutRows` has followed. */
export function schemaOf(message: Uint8Array): Schema {
  return tableFromIPC(message).schema
}

export function shapeOf(type: DataType): Shape {
  switch (type.typeId) {
    case Type.Null:
      return { kind: 'null' }
    case Type.Bool:
      return { kind: 'fixed', bits: 1 }
    case Type.Int:
    case Type.Time:
    case Type.Decimal:
      return { kind: 'fixed', bits: type.bitWidth }
    case Type.Float:
      return { kind: 'fixed', bits: 16 << type.precision }
    case Type.Date:
      return { kind: 'fixed', bits: type.unit === 0 ? 32 : 64 }
    case Type.Timestamp:
    case Type.Duration:
      return { kind: 'fixed', bits: 64 }
    case Type.FixedSizeBinary:
      return { kind: 'fixed', bits: type.stride * 8 }
    case Type.Dictionary:
      return { kind: 'fixed', bits: type.indices.bitWidth }
    case Type.Utf8:
    case Type.Binary:
      return { kind: 'offsets', wide: false, child: null }
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return { kind: 'offsets', wide: true, child: null }
    case Type.List:
    case Type.Map:
      return { kind: 'offsets', wide: false, child: (type.children[0] as Field).type }
    case Type.LargeList:
      return { kind: 'offsets', wide: true, child: (type.children[0] as Field).type }
    case Type.FixedSizeList:
      return { kind: 'children', times: type.stride, children: type.children.map((field) => field.type) }
    case Type.Struct:
      return { kind: 'children', times: 1, children: type.children.map((field) => field.type) }
    default:
      return { kind: 'other' }
  }
}

/** Whether single rows of the type can be cut out of a batch that is not compressed. */
export function canCut(type: DataType): boolean {
  const shape = shapeOf(type)
  if (shape.kind === 'other') return false
  if (shape.kind === 'offsets') return shape.child === null || canCut(shape.child)
  return shape.kind !== 'children' || shape.children.every(canCut)
}
