import { addEntries, bytesOf, copiedItems, isWhole } from '../arguments.ts'
import type { Build, BuildContext, Family } from '../context.ts'
import { fromBigInt } from '../integers.ts'
import { lookUp } from '../look-up.ts'
import { encodeLatin1 } from '../text.ts'
import { fieldOf, PyBytes, PyDict, PyList, PyObject, PySet, PyTuple, type PyValue } from '../values.ts'
import { DATES } from './dates.ts'

/** Python's own types whose pickles are plain data. */
export const python: Family = {
  call(name) {
    if (name.module === 'pathlib' || name.module.startsWith('pathlib.')) {
      return lookUp(PATHS, name.qualname)
    }
    return lookUp(CALLS, name.name) ?? lookUp(DATES, name.name)
  },
  isKnownClass: ({ name }) => KNOWN.has(name),
  build(object, state, context) {
    if (object.className === 'uuid.UUID') {
      const text = uuidText(fieldOf(state, 'int'))
      if (text === null) return false
      object.value = text
      return true
    }
    if (object.className !== '_io.BytesIO' || !(state instanceof PyTuple)) return false
    object.value = bytesOf(state.items[0], context) ?? undefined
    return object.value !== undefined
  },
}

const KNOWN = new Set([
  'builtins.object',
  'uuid.UUID',
  'uuid.SafeUUID',
  '_io.BytesIO',
  'types.SimpleNamespace',
  'argparse.Namespace',
  // Types that stand in a pickle as what a defaultdict or a numpy array is made of.
  ...['bool', 'int', 'float', 'complex', 'str', 'bytes', 'bytearray', 'list', 'tuple', 'dict', 'set', 'frozenset'].map(
    (type) => `builtins.${type}`,
  ),
  'builtins.NoneType',
  'collections.OrderedDict',
])

const PATHS: Readonly<Record<string, Build>> = {
  Path: pathWith('/'),
  PosixPath: pathWith('/'),
  PurePath: pathWith('/'),
  PurePosixPath: pathWith('/'),
  WindowsPath: pathWith('\\'),
  PureWindowsPath: pathWith('\\'),
}

const CALLS: Readonly<Record<string, Build>> = {
  'builtins.list': (args, context) => {
    if (args.length === 0) return new PyList()
    const items = args.length === 1 ? copiedItems(args[0], context) : null
    return items === null ? undefined : new PyList([...items])
  },
  'builtins.tuple': (args, context) => {
    if (args.length === 0) return new PyTuple([])
    const items = args.length === 1 ? copiedItems(args[0], context) : null
    return items === null ? undefined : new PyTuple([...items])
  },
  'builtins.set': set,
  'builtins.frozenset': set,
  'builtins.dict': dict,
  'builtins.bytes': bytes,
  'builtins.bytearray': bytes,
  'builtins.complex': ([real, imaginary = 0, ...rest]) => {
    if (typeof real !== 'number' || typeof imaginary !== 'number' || rest.length > 0) return undefined
    return described('builtins.complex', { real, imaginary })
  },
  'builtins.slice': (args) => {
    if (args.length !== 3) return undefined
    return described('builtins.slice', { start: args[0] ?? null, stop: args[1] ?? null, step: args[2] ?? null })
  },
  'builtins.range': (args) => {
    const [first, second, step = 1] = args
    if (args.length < 1 || args.length > 3 || !args.every(isWhole)) return undefined
    const [start, stop] = args.length === 1 ? [0, first] : [first, second]
    return described('builtins.range', { start: start as number, stop: stop as number, step })
  },
  'builtins.object': (args) => (args.length === 0 ? new PyObject('builtins.object') : undefined),
  'builtins.int': (args) => (args.length === 1 && typeof args[0] !== 'string' ? scalar(args[0]) : undefined),
  'builtins.float': (args) => (args.length === 1 && typeof args[0] !== 'string' ? scalar(args[0]) : undefined),
  'builtins.bool': (args) => (args.length === 1 && typeof args[0] === 'boolean' ? args[0] : undefined),
  'builtins.str': (args) => (args.length === 1 && typeof args[0] === 'string' ? args[0] : undefined),
  'collections.OrderedDict': dict,
  'collections.Counter': dict,
  'collections.defaultdict': ([, ...rest], context) => dict(rest, context),
  'collections.deque': (args, context) => {
    if (args.length === 0) return new PyList()
    const items = args.length <= 2 ? copiedItems(args[0], context) : null
    return items === null ? undefined : new PyList([...items])
  },
  '_codecs.encode': encode,
  'decimal.Decimal': oneText,
  'fractions.Fraction': (args) => {
    const [above, below] = args
    if (args.length === 2 && isWhole(above) && isWhole(below)) return `${above}/${below}`
    return oneText(args)
  },
}

function set(args: readonly PyValue[], context: BuildContext): PyValue | undefined {
  if (args.length === 0) return new PySet()
  const items = args.length === 1 ? copiedItems(args[0], context) : null
  return items === null ? undefined : new PySet([...items])
}

function dict(args: readonly PyValue[], context: BuildContext): PyValue | undefined {
  const built = new PyDict()
  if (args.length === 0 || (args.length === 1 && addEntries(built, args[0], context))) return built
  return undefined
}

function bytes(args: readonly PyValue[], context: BuildContext): PyValue | undefined {
  const [first, encoding] = args
  if (first === undefined) return new PyBytes(new Uint8Array(0))
  if (first instanceof PyBytes && args.length === 1) return first
  if (typeof first === 'string' && typeof encoding === 'string') {
    return encode([first, encoding], context)
  }
  const items = args.length === 1 ? copiedItems(first, context) : null
  if (items === null || !items.every((item) => isWhole(item) && item >= 0 && item < 256)) return undefined
  return new PyBytes(Uint8Array.from(items as number[]))
}

function scalar(value: PyValue | undefined): PyValue | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** How protocols 0 to 2 write bytes: as a text of one character per byte. */
function encode([text, encoding]: readonly PyValue[], context: BuildContext): PyValue | undefined {
  if (typeof text !== 'string' || typeof encoding !== 'string') return undefined
  if (!/^(latin-?1|iso-?8859-1)$/i.test(encoding.replace('_', '-'))) return undefined
  context.budget.charge(text.length, context.at)
  const encoded = encodeLatin1(text)
  return encoded === null ? undefined : new PyBytes(encoded)
}

function oneText(args: readonly PyValue[]): PyValue | undefined {
  return args.length === 1 && typeof args[0] === 'string' ? args[0] : undefined
}

function pathWith(separator: string): Build {
  return (args, context) => {
    const parts = args.filter((part) => typeof part === 'string')
    if (parts.length !== args.length) return undefined
    context.budget.charge(16 * parts.length, context.at)
    context.budget.charge(
      parts.reduce((sum, part) => sum + part.length, 0),
      context.at,
    )
    // The root is a part of its own, which ends in a separator already.
    const last = parts.length - 1
    return parts.map((part, i) => (i === last || /[/\\]$/.test(part) ? part : part + separator)).join('') || '.'
  }
}

function described(className: string, fields: Readonly<Record<string, PyValue>>): PyObject {
  const object = new PyObject(className)
  for (const [name, value] of Object.entries(fields)) object.fields.set(name, value)
  return object
}

function uuidText(value: PyValue | undefined): string | null {
  if (typeof value !== 'number' && typeof value !== 'bigint') return null
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return null
  const number = BigInt(value)
  if (number < 0n || fromBigInt(number >> 128n) !== 0) return null
  const digits = number.toString(16).padStart(32, '0')
  return [8, 12, 16, 20, 32].map((end, i, ends) => digits.slice(ends[i - 1] ?? 0, end)).join('-')
}
