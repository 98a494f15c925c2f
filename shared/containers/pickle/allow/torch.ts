import { bytesOf, fewItems, isWhole, lengthsOf } from '../arguments.ts'
import type { Build, BuildContext, Family } from '../context.ts'
import { dtypeNamed, ITEM_BYTES, STORAGE_DTYPES } from '../dtype.ts'
import { lookUp } from '../look-up.ts'
import { JaggedTensor, PyStorage, PyTensor } from '../tensor.ts'
import { PyDict, PyName, PyTuple, type PyValue } from '../values.ts'

/** torch's tensors, storages, sizes and dtypes (torch/_utils.py, torch/_tensor.py). */
export const torch: Family = {
  call: ({ name }) => lookUp(CALLS, name),
  isKnownClass: ({ module, qualname }) =>
    (module === 'torch' && (dtypeNamed(qualname) !== null || qualname === 'Size' || qualname === 'Tensor')) ||
    (/^torch(\.cuda|\.storage)?$/.test(module) &&
      (Object.hasOwn(STORAGE_DTYPES, qualname) || qualname === 'TypedStorage')) ||
    (module === 'torch.nn.parameter' && /^(Parameter|Buffer)$/.test(qualname)) ||
    (module === 'torch.nested._internal.nested_tensor' && qualname === 'NestedTensor'),
}

const CALLS: Readonly<Record<string, Build>> = {
  'torch._utils._rebuild_tensor': rebuild,
  'torch._utils._rebuild_tensor_v2': ([storage, offset, size, stride, , , metadata], context) =>
    changesValues(metadata)
      ? undefined
      : rebuild([storage as PyValue, offset as PyValue, size as PyValue, stride as PyValue], context),
  'torch._utils._rebuild_tensor_v3': ([storage, offset, size, stride, , , dtype, metadata], context) => {
    const name = dtype instanceof PyName && dtype.module === 'torch' ? dtypeNamed(dtype.qualname) : null
    if (name === null || changesValues(metadata)) return undefined
    return rebuild([storage as PyValue, offset as PyValue, size as PyValue, stride as PyValue, name.dtype], context)
  },
  'torch._utils._rebuild_parameter': first,
  'torch._utils._rebuild_parameter_with_state': first,
  'torch._utils._rebuild_device_tensor_from_numpy': converted,
  'torch._utils._rebuild_device_tensor_from_cpu_tensor': converted,
  'torch._utils._rebuild_xla_tensor': converted,
  'torch._tensor._rebuild_from_type_v2': ([builder, type, args], context) => {
    const inner = fewItems(args)
    if (!(builder instanceof PyName) || inner === null) return undefined
    if (builder.name === NESTED_TENSOR) return jagged(inner)
    if (builder.name === REBUILD_NESTED) return jaggedOf(inner[0])
    // Not itself: a tower of these would be followed by recursion.
    if (builder.qualname === '_rebuild_from_type_v2' || !isPlainTensorType(type)) return undefined
    return lookUp(CALLS, builder.name)?.(inner, context)
  },
  'torch.Size': ([size]) => {
    const lengths = lengthsOf(size)
    return lengths === null ? undefined : new PyTuple(lengths)
  },
  'torch.device': ([type, index]) => {
    if (typeof type !== 'string' || type.length > 64) return undefined
    return index == null ? type : isWhole(index) ? `${type}:${index}` : undefined
  },
  'torch.serialization._get_layout': ([layout]) => (typeof layout === 'string' ? layout : undefined),
  'torch.storage._load_from_bytes': loadFromBytes,
}

/** How torch before 2.5 pickles a jagged tensor, and how it does since: by one dict of named arguments. */
const NESTED_TENSOR = 'torch.nested._internal.nested_tensor.NestedTensor'
const REBUILD_NESTED = 'torch.nested._internal.nested_tensor._rebuild_njt'

function rebuild(args: readonly PyValue[], { at, error }: BuildContext): PyValue | undefined {
  const [storage, offset, size, stride, dtype] = args
  const shape = lengthsOf(size)
  const strides = lengthsOf(stride)
  if (!(storage instanceof PyStorage) || !isWhole(offset) || shape === null || strides === null) return undefined
  if (offset < 0 || strides.length !== shape.length) {
    throw error('bad-pickle', `a tensor has ${shape.length} lengths, ${strides.length} strides and starts at ${offset}`)
  }
  const tensor = new PyTensor('torch', at)
  const named = typeof dtype === 'string' ? dtypeNamed(dtype) : null
  if (named !== null) tensor.dtype = named.dtype
  tensor.storage = storage
  tensor.shape = shape
  tensor.strides = strides
  const item = named?.dtype ?? storage.dtype
  // The type of a storage that lies in the pickle as bytes is known only after these have been read.
  tensor.byteOffset = item === null ? 0 : offset * ITEM_BYTES[item]
  if (item === null) tensor.elementOffset = offset
  return tensor
}

/** Bits that say the values are to be conjugated or negated on reading. */
function changesValues(metadata: PyValue | undefined): boolean {
  return metadata instanceof PyDict && (metadata.get('conj') === true || metadata.get('neg') === true)
}

function first([tensor]: readonly PyValue[]): PyValue | undefined {
  return tensor instanceof PyTensor ? tensor : undefined
}

/** A tensor of another device, saved as a CPU tensor or array of the same type (torch has no numpy type for bfloat16: float32 there). */
function converted([data]: readonly PyValue[]): PyValue | undefined {
  return data instanceof PyTensor ? data : undefined
}

function isPlainTensorType(type: PyValue | undefined): boolean {
  return type instanceof PyName && torch.isKnownClass(type)
}

function jagged([values, offsets, lengths]: readonly PyValue[]): PyValue | undefined {
  if (!(values instanceof PyTensor) || !(offsets instanceof PyTensor)) return undefined
  return new JaggedTensor(values, offsets, lengths instanceof PyTensor ? lengths : null)
}

/** One whose ragged axis is not the first after that of the rows is left: its rows do not lie one after another. */
function jaggedOf(named: PyValue | undefined): PyValue | undefined {
  if (!(named instanceof PyDict) || (named.get('_ragged_idx') ?? 1) !== 1) return undefined
  return jagged([named.get('values') ?? null, named.get('offsets') ?? null, named.get('lengths') ?? null])
}

/** A storage as plain pickle writes it: a whole torch file inside the pickle. */
function loadFromBytes([data]: readonly PyValue[], context: BuildContext): PyValue | undefined {
  const bytes = bytesOf(data, context)
  const { readTorch, at } = context
  if (bytes === null || readTorch === null) return undefined
  const storage = new PyStorage(`at byte ${at}`)
  context.defer(async () => {
    const read = await readTorch(bytes)
    if (!(read instanceof PyStorage)) throw context.error('bad-pickle', 'the bytes of a storage hold something else')
    storage.data = read.data
    storage.dtype = read.dtype
    storage.littleEndian = read.littleEndian
  })
  return storage
}

/** The storage that a torch file's persistent id names: its key, type and number of elements; null for another id. */
export function storageId(
  id: PyValue,
): { key: string; dtype: PyStorage['dtype']; numel: number; view: PyValue } | null {
  const [kind, type, key, , numel, view = null] = fewItems(id) ?? []
  if (kind !== 'storage' || typeof key !== 'string' || !(type instanceof PyName) || !isWhole(numel) || numel < 0)
    return null
  if (!/^torch(\.cuda|\.storage)?$/.test(type.module)) return null
  return { key, dtype: lookUp(STORAGE_DTYPES, type.qualname) ?? null, numel, view }
}
