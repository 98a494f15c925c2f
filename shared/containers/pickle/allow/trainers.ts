import { addEntries, copiedItems, fewItems, lengthsOf, setEntry } from '../arguments.ts'
import type { Build, BuildContext, Family } from '../context.ts'
import { dtypeNamed } from '../dtype.ts'
import { lookUp } from '../look-up.ts'
import { JaggedTensor, PyTensor } from '../tensor.ts'
import { fieldOf, PyBytes, PyDict, PyList, PyName, PyObject, type PyValue } from '../values.ts'
import { arrayOfBytes, viewOf } from './numpy.ts'

/** What the trainers pickle: tensordict's TensorDict, the DataProto of verl and of ROLL, slime's Sample, SkyRL's TensorBatch, OpenRLHF's Experience. */
export const trainers: Family = {
  call(name) {
    const { module, qualname } = name
    if (module === 'tensordict._reductions') return lookUp(TENSORDICT, qualname)
    if (isSkyrl(module) && qualname === '_rebuild_tensor_batch') return rebuildTensorBatch
    return isSlime(module) && /(^|\.)Status$/.test(qualname) ? status : undefined
  },
  isKnownClass(name) {
    const { module, qualname } = name
    return (
      (isTensordict(module) && TENSORDICT_CLASSES.has(qualname)) ||
      ((isVerl(module) || isRoll(module)) && /^DataProto(Item)?$/.test(qualname)) ||
      (isSlime(module) && (SLIME_CLASSES.has(qualname) || STATUS_NAME.test(qualname))) ||
      (isSkyrl(module) && SKYRL_CLASSES.has(qualname)) ||
      (isOpenrlhf(module) && OPENRLHF_CLASSES.has(qualname))
    )
  },
  build(object, state, context) {
    const { className } = object
    if (className === TENSOR_DICT) return fillTensorDict(object, state, context)
    if (className === NON_TENSOR_DATA) return fillNonTensorData(object, state)
    if (className === LAZY_STACK) return fillLazyStack(object, state, context)
    if (className === VERL_PROTO || className === ROLL_PROTO) return fillDataProto(object, state, context)
    return className.endsWith('.TensorList') || !isSkyrl(className.slice(0, className.lastIndexOf('.')))
      ? false
      : fillTensorBatch(object, state, context)
  },
}

/** The classes under one name each, wherever their version defines them. */
const TENSOR_DICT = 'tensordict.TensorDict'
const NON_TENSOR_DATA = 'tensordict.NonTensorData'
export const LAZY_STACK = 'tensordict.LazyStackedTensorDict'
const VERL_PROTO = 'verl.DataProto'
const ROLL_PROTO = 'roll.DataProto'

/** The name of a class as `PyObject.className` has it. */
export function classNameOf({ module, qualname, name }: PyName): string {
  if (isTensordict(module)) {
    if (qualname === 'TensorDict') return TENSOR_DICT
    if (qualname === 'NonTensorData' || qualname === 'MetaData') return NON_TENSOR_DATA
    if (qualname === 'LazyStackedTensorDict' || qualname === 'NonTensorStack') return LAZY_STACK
  }
  if (qualname !== 'DataProto') return name
  return isVerl(module) ? VERL_PROTO : isRoll(module) ? ROLL_PROTO : name
}

const isTensordict = (module: string) => /^tensordict(\.|$)/.test(module)
const isVerl = (module: string) => /^verl(\.protocol)?$/.test(module)
const isRoll = (module: string) => module === 'roll.distributed.scheduler.protocol'
const isSlime = (module: string) => /^(slime|miles)\.utils\.types$/.test(module)
const isSkyrl = (module: string) => /^skyrl[\w.]*\.training_batch$/.test(module)
const isOpenrlhf = (module: string) =>
  /^openrlhf\.trainer\.ppo_utils\.(experience|experience_maker|replay_buffer)$/.test(module)

const TENSORDICT_CLASSES = new Set([
  'TensorDict',
  'LazyStackedTensorDict',
  'NonTensorData',
  'NonTensorStack',
  'MetaData',
  '_StringOnlyDict',
])
const SLIME_CLASSES = new Set(['Sample', 'Sample.Status', 'Sample.SpecInfo', 'Sample.PrefixCacheInfo'])
const OPENRLHF_CLASSES = new Set(['Experience', 'BufferItem'])
const SKYRL_CLASSES = new Set(['TensorBatch', 'TrainingInputBatch', 'TrainingOutputBatch', 'TensorList'])

/** A member of slime's enum by name, as some versions of Python pickle it. */
export const STATUS_NAME = /^Sample\.Status\.([A-Z_]+)$/

/** slime's `Sample.Status(value)`: its value, as slime's own JSON has it. */
const status: Build = (args) => (args.length === 1 && typeof args[0] === 'string' ? args[0] : undefined)

const TENSORDICT: Readonly<Record<string, Build>> = {
  _make_td: ([type, state], context) => {
    if (!(type instanceof PyName) || state === undefined || !trainers.isKnownClass(type)) return undefined
    const object = new PyObject(classNameOf(type))
    return trainers.build?.(object, state, context) ? object : undefined
  },
  _rebuild_tensordict_files_consolidated: ([metadata, storage], context) =>
    storage instanceof PyTensor ? (consolidated(metadata, storage, context) ?? undefined) : undefined,
}

function fillTensorDict(object: PyObject, state: PyValue, context: BuildContext): boolean {
  const tensors = fieldOf(state, '_tensordict')
  // `_StringOnlyDict` is a dict of its own name.
  const entries = tensors instanceof PyObject ? tensors.entries : tensors
  if (!(entries instanceof PyDict)) return false
  object.entries = new PyDict()
  addEntries(object.entries, entries, context)
  object.fields.set('batch_size', fieldOf(state, '_batch_size') ?? null)
  return true
}

function fillNonTensorData(object: PyObject, state: PyValue): boolean {
  const carried = fieldOf(state, 'non_tensordict') ?? fieldOf(state, '_non_tensordict')
  const data = fieldOf(carried, 'data')
  if (data === undefined) return false
  object.value = data
  return true
}

function fillLazyStack(object: PyObject, state: PyValue, context: BuildContext): boolean {
  const parts = copiedItems(fieldOf(state, 'tensordicts'), context)
  if (parts === null) return false
  object.value = new PyList([...parts])
  return true
}

/** A tree of dicts whose leaves are ranges of one storage of bytes (tensordict/_reductions.py). Followed without recursion. */
function consolidated(metadata: PyValue | undefined, storage: PyTensor, context: BuildContext): PyObject | null {
  const root = new PyObject(TENSOR_DICT)
  const open: [PyObject, PyValue | undefined][] = [[root, metadata]]
  const seen = new Set<PyValue | undefined>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [object, node] = next
    // A node that comes twice is no tree, and following it would not end.
    if (!(node instanceof PyDict) || seen.has(node)) return null
    seen.add(node)
    const entries = (object.entries = new PyDict())
    for (const [key, value] of node.entries) {
      context.budget.charge(64, context.at)
      if (key === 'non_tensors') {
        if (!(value instanceof PyDict)) return null
        for (const [name, data] of value.entries) setEntry(entries, name, fewItems(data)?.[0] ?? null, context)
      } else if (key === 'leaves') {
        if (!(value instanceof PyDict) || !setLeaves(entries, value, storage, context)) return null
      } else if (key === 'cls_metadata') {
        object.fields.set('batch_size', fieldOf(value, 'batch_size') ?? null)
      } else if (key !== 'cls' && key !== 'size') {
        const child = new PyObject(TENSOR_DICT)
        setEntry(entries, key, child, context)
        open.push([child, value])
      }
    }
  }
  return root
}

function setLeaves(entries: PyDict, leaves: PyDict, storage: PyTensor, context: BuildContext): boolean {
  let values: PyTensor | null = null
  let lengths: PyTensor | null = null
  for (const [name, leaf] of leaves.entries) {
    const [dtypeName, size, start] = fewItems(leaf) ?? []
    const named = typeof dtypeName === 'string' ? dtypeNamed(dtypeName) : null
    const shape = lengthsOf(size)
    if (typeof name !== 'string' || named === null || shape === null) return false
    if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0 || storage.storage === null) return false
    const tensor = viewOf(storage.storage, shape, context, storage.byteOffset + storage.elementOffset + start)
    tensor.dtype = named.dtype
    // A jagged tensor is three leaves in a row, its values first and its offsets last.
    if (name.startsWith('<NJT_VALUES>')) {
      values = tensor
      lengths = null
    } else if (name.startsWith('<NJT_LENGTHS>')) lengths = tensor
    else if (name.startsWith('<NJT_OFFSETS>')) {
      if (values === null) return false
      setEntry(entries, name.slice('<NJT_OFFSETS>'.length), new JaggedTensor(values, tensor, lengths), context)
    } else setEntry(entries, name, tensor, context)
  }
  return true
}

/**
 * verl's DataProto: (bytes of torch.save or tensors as numpy bytes, non-tensor arrays, meta info) (verl/protocol.py). ROLL's has a batch that
 * lies elsewhere before its meta info (roll/distributed/scheduler/protocol.py), null where the rows are in the file.
 */
function fillDataProto(object: PyObject, state: PyValue, context: BuildContext): boolean {
  const parts = fewItems(state) ?? []
  const [batch, arrays] = parts
  const meta = parts[object.className === ROLL_PROTO ? 3 : 2]
  if (batch === undefined || arrays === undefined || meta === undefined) return false
  object.fields.set('batch', null).set('non_tensor_batch', arrays).set('meta_info', meta)
  if (batch === null) return true
  const tensors = fewItems(batch) === null ? null : numpyBatch(batch, context)
  if (tensors !== null) {
    object.fields.set('batch', tensors)
    return true
  }
  // verl before 2025-05 and ROLL pickle the open buffer itself.
  const bytes = batch instanceof PyObject && batch.className === '_io.BytesIO' ? batch.value : batch
  if (!(bytes instanceof PyBytes)) return false
  readInside(bytes, context, (read) => object.fields.set('batch', read))
  return true
}

function numpyBatch(batch: PyValue, context: BuildContext): PyObject | null {
  const [size, , items] = fewItems(batch) ?? []
  if (!(items instanceof PyDict)) return null
  const object = new PyObject(TENSOR_DICT)
  object.entries = new PyDict()
  object.fields.set('batch_size', size ?? null)
  for (const [name, item] of items.entries) {
    const parts = fewItems(item) ?? []
    const rows =
      parts.length === 2 ? (copiedItems(parts[1], context)?.map((row) => numpyTensor(row, context)) ?? null) : null
    setEntry(object.entries, name, rows === null ? numpyTensor(item, context) : new PyList(rows), context)
  }
  return object
}

/** (dtype name, shape, array of bytes), or the value itself when it is something else. */
function numpyTensor(item: PyValue, context: BuildContext): PyValue {
  const [dtype, shape, data] = fewItems(item) ?? []
  return arrayOfBytes(data, dtype, shape, context) ?? item
}

const rebuildTensorBatch: Build = ([type, state], context) => {
  if (!(type instanceof PyName) || state === undefined) return undefined
  const object = new PyObject(type.name)
  if (!trainers.isKnownClass(type)) context.foreign.instantiated(type)
  return fillTensorBatch(object, state, context) ? object : undefined
}

/** SkyRL's batch: every tensor as its own bytes (skyrl/backends/skyrl_train/training_batch.py). */
function fillTensorBatch(object: PyObject, state: PyValue, context: BuildContext): boolean {
  const batch = fieldOf(state, 'batch_dict')
  if (!(batch instanceof PyDict)) return false
  const entries = (object.entries = new PyDict())
  for (const [key, value] of batch.entries) {
    const items = fieldOf(value, 'format') === 'tensor_list' ? copiedItems(fieldOf(value, 'items'), context) : null
    if (items === null) serialisedTensor(value, context, (tensor) => setEntry(entries, key, tensor, context))
    else {
      const tensors: PyValue[] = items.map(() => null)
      items.forEach((item, i) => {
        serialisedTensor(item, context, (tensor) => {
          tensors[i] = tensor
        })
      })
      setEntry(entries, key, new PyList(tensors), context)
    }
  }
  for (const name of ['batch_size', 'device', 'metadata']) object.fields.set(name, fieldOf(state, name) ?? null)
  return true
}

/** Sets the tensor at once, and again when it lies in the pickle as a torch file. */
function serialisedTensor(value: PyValue, context: BuildContext, set: (tensor: PyValue) => void): void {
  const data = fieldOf(value, 'data') ?? value
  if (fieldOf(value, 'format') !== 'torch' && !(value instanceof PyBytes)) {
    set(arrayOfBytes(data, fieldOf(value, 'dtype'), fieldOf(value, 'shape'), context) ?? value)
    return
  }
  set(null)
  if (data instanceof PyBytes) readInside(data, context, set)
}

function readInside(bytes: PyBytes, context: BuildContext, set: (value: PyValue) => void): void {
  const { readTorch } = context
  if (readTorch === null) {
    context.issues.add('unread-torch', `a torch file inside the pickle at byte ${context.at} was not read`)
    set(bytes)
    return
  }
  context.defer(async () => set(await readTorch(bytes)))
}
