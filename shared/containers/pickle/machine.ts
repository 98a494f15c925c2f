import { buildObject, call, instance, nameOf } from './allow/index.ts'
import { buildArray, buildDtype } from './allow/numpy.ts'
import { setEntry } from './arguments.ts'
import { MAX_TEXT_BYTES } from './budget.ts'
import type { BuildContext } from './context.ts'
import { PyDtype } from './dtype.ts'
import type { PickleError, PickleErrorCode } from './error.ts'
import { decodeLong, parseFloatText, parseInteger } from './integers.ts'
import { type NumberRun, scanNumberRun } from './number-run.ts'
import { HIGHEST_PROTOCOL, OP } from './opcodes.ts'
import { PyTensor } from './tensor.ts'
import { asciiOrNull, decodeLatin1, decodeQuoted, decodeRawUnicode, decodeText } from './text.ts'
import {
  type ByteRange,
  describeValue,
  Placeholder,
  PyBytes,
  PyDict,
  PyList,
  type PyName,
  PyObject,
  PySet,
  PyTuple,
  type PyValue,
} from './values.ts'
import { NeedMore, type Window } from './window.ts'

/** What the machine is given beside the bytes. */
export interface MachineOptions {
  readonly window: Window
  /** Everything of a build context but what the machine itself knows. */
  readonly context: Omit<BuildContext, 'at' | 'error'>
  /** The value of a persistent id; undefined leaves a placeholder. */
  readonly persistent: (id: PyValue, context: BuildContext) => PyValue | undefined
  /** `bytes` of this length or more stay in the file. */
  readonly lazyBytes: number
  /** Bytes `start` to `start + length` of the file, to be read later. */
  readonly range: (start: number, length: number) => ByteRange
}

/** An integer longer than this is no number that a dump needs. */
const MAX_LONG_BYTES = 1024

/**
 * Follows the operations of a pickle. It has no way to call anything: names are kept as text, and what a name would make of its arguments
 * is looked up in `allow/`, whose builders make plain data or nothing. No operation recurses, so nesting has no limit here.
 */
export class PickleMachine {
  private readonly stack: PyValue[] = []
  private readonly marks: number[] = []
  /** What was memoised under 0, 1, 2, …; others lie in `sparse`. */
  private readonly memo: PyValue[] = []
  private readonly sparse = new Map<number, PyValue>()
  private readonly window: Window
  private readonly context: BuildContext
  private readonly run1000: NumberRun = { values: new Float64Array(1024), count: 0, integers: true }
  /** The value of the whole pickle, once `run` has given true. */
  value: PyValue = null

  constructor(private readonly options: MachineOptions) {
    const { window } = options
    this.window = window
    this.context = {
      ...options.context,
      get at() {
        return window.at
      },
      error: (code, what) => window.error(code, what),
    }
  }

  /**
   * Follows what is in the window. True at the pickle's end; else the bytes that the next operation needs, from its start, where the
   * window now stands.
   */
  run(): true | number {
    const { window } = this
    try {
      while (!window.ended) {
        if (this.step(window.begin())) return true
      }
    } catch (error) {
      if (!(error instanceof NeedMore)) throw error
      window.rewind()
      return error.bytes
    }
    if (window.left <= 0) {
      window.at = window.offset
      throw window.error('cut-off', 'the file ends before the pickle does')
    }
    return 1
  }

  private step(op: number): boolean {
    const { window, stack } = this
    this.context.budget.charge(8, window.at)
    switch (op) {
      case OP.STOP:
        this.value = this.pop()
        return true
      case OP.PROTO: {
        const protocol = window.byte()
        if (protocol > HIGHEST_PROTOCOL) {
          throw this.error(
            'unsupported-pickle',
            `the pickle is of protocol ${protocol}, known are 0 to ${HIGHEST_PROTOCOL}`,
          )
        }
        break
      }
      case OP.FRAME:
        window.checkLength(window.uint64(), 'a frame')
        break
      case OP.MARK:
        this.mark()
        break
      case OP.POP:
        if (stack.length > this.floor()) stack.pop()
        else this.popMark()
        break
      case OP.POP_MARK:
        this.popMark()
        break
      case OP.DUP:
        stack.push(this.top())
        break
      case OP.NONE:
        stack.push(null)
        break
      case OP.NEWTRUE:
        stack.push(true)
        break
      case OP.NEWFALSE:
        stack.push(false)
        break
      case OP.BININT:
        stack.push(window.int32())
        break
      case OP.BININT1:
        stack.push(window.byte())
        break
      case OP.BININT2:
        stack.push(window.uint16())
        break
      case OP.BINFLOAT:
        stack.push(window.double())
        break
      case OP.INT:
        stack.push(this.int(decodeLatin1(window.line())))
        break
      case OP.LONG:
        stack.push(this.decimal(decodeLatin1(window.line()).replace(/L\s*$/, '')))
        break
      case OP.FLOAT:
        stack.push(parseFloatText(decodeLatin1(window.line()), window.at))
        break
      case OP.LONG1:
        stack.push(this.long(window.byte()))
        break
      case OP.LONG4:
        stack.push(this.long(window.int32()))
        break
      case OP.STRING:
        stack.push(this.oldText(decodeQuoted(window.line(MAX_TEXT_BYTES), window.at)))
        break
      case OP.BINSTRING:
        stack.push(this.oldText(this.taken(window.uint32(), 'a text')))
        break
      case OP.SHORT_BINSTRING:
        stack.push(this.oldText(this.taken(window.byte(), 'a text')))
        break
      case OP.UNICODE: {
        const line = window.line(MAX_TEXT_BYTES)
        this.charge(2 * line.length)
        stack.push(decodeRawUnicode(line, window.at))
        break
      }
      case OP.SHORT_BINUNICODE:
        stack.push(decodeText(this.taken(window.byte(), 'a text'), window.at))
        break
      case OP.BINUNICODE:
        stack.push(decodeText(this.taken(window.uint32(), 'a text'), window.at))
        break
      case OP.BINUNICODE8:
        stack.push(decodeText(this.taken(window.uint64(), 'a text'), window.at))
        break
      case OP.SHORT_BINBYTES:
        stack.push(this.bytes(window.byte()))
        break
      case OP.BINBYTES:
        stack.push(this.bytes(window.uint32()))
        break
      case OP.BINBYTES8:
      case OP.BYTEARRAY8:
        stack.push(this.bytes(window.uint64()))
        break
      case OP.NEXT_BUFFER:
      case OP.READONLY_BUFFER:
        throw this.error('unsupported-pickle', 'the pickle was written with its buffers outside of the file')
      case OP.EMPTY_TUPLE:
        this.charge(40)
        stack.push(new PyTuple([]))
        break
      case OP.TUPLE1:
        this.charge(56)
        stack.push(new PyTuple([this.pop()]))
        break
      case OP.TUPLE2: {
        this.charge(56)
        const second = this.pop()
        stack.push(new PyTuple([this.pop(), second]))
        break
      }
      case OP.TUPLE3: {
        this.charge(64)
        const third = this.pop()
        const second = this.pop()
        stack.push(new PyTuple([this.pop(), second, third]))
        break
      }
      case OP.TUPLE:
        this.charge(56)
        stack.push(new PyTuple(this.popMark()))
        break
      case OP.EMPTY_LIST:
        this.charge(64)
        stack.push(new PyList())
        break
      case OP.LIST:
        this.charge(64)
        stack.push(new PyList(this.popMark()))
        break
      case OP.EMPTY_DICT:
        this.charge(192)
        stack.push(new PyDict())
        break
      case OP.DICT: {
        const pairs = this.popMark()
        const dict = new PyDict()
        this.setItems(dict, pairs)
        stack.push(dict)
        break
      }
      case OP.EMPTY_SET:
        this.charge(64)
        stack.push(new PySet())
        break
      case OP.FROZENSET:
        this.charge(64)
        stack.push(new PySet(this.popMark()))
        break
      case OP.APPEND: {
        const item = this.pop()
        this.listOf(this.top()).push(item)
        break
      }
      case OP.APPENDS: {
        const items = this.popMark()
        const list = this.listOf(this.top())
        for (const item of items) list.push(item)
        break
      }
      case OP.SETITEM: {
        const value = this.pop()
        const key = this.pop()
        this.setItems(this.top(), [key, value])
        break
      }
      case OP.SETITEMS: {
        const pairs = this.popMark()
        this.setItems(this.top(), pairs)
        break
      }
      case OP.ADDITEMS: {
        const items = this.popMark()
        const target = this.top()
        if (target instanceof PySet) for (const item of items) target.items.push(item)
        else {
          const list = this.listOf(target)
          for (const item of items) list.push(item)
        }
        break
      }
      case OP.PUT:
        this.memoise(this.index(decodeLatin1(window.line())))
        break
      case OP.BINPUT:
        this.memoise(window.byte())
        break
      case OP.LONG_BINPUT:
        this.memoise(window.uint32())
        break
      case OP.MEMOIZE:
        this.memoise(this.memo.length + this.sparse.size)
        break
      case OP.GET:
        stack.push(this.recall(this.index(decodeLatin1(window.line()))))
        break
      case OP.BINGET:
        stack.push(this.recall(window.byte()))
        break
      case OP.LONG_BINGET:
        stack.push(this.recall(window.uint32()))
        break
      case OP.GLOBAL:
        stack.push(this.named())
        break
      case OP.STACK_GLOBAL: {
        const qualname = this.pop()
        const module = this.pop()
        if (typeof module !== 'string' || typeof qualname !== 'string') {
          throw this.error(
            'bad-pickle',
            `a name is made of two texts, not of ${describeValue(module)} and ${describeValue(qualname)}`,
          )
        }
        stack.push(nameOf(module, qualname, this.context))
        break
      }
      case OP.REDUCE: {
        const args = this.arguments(this.pop())
        stack.push(call(this.pop(), args, this.context))
        break
      }
      case OP.NEWOBJ: {
        const args = this.arguments(this.pop())
        stack.push(instance(this.pop(), args, null, this.context))
        break
      }
      case OP.NEWOBJ_EX: {
        const kwargs = this.pop()
        const args = this.arguments(this.pop())
        if (!(kwargs instanceof PyDict)) {
          throw this.error('bad-pickle', `keyword arguments are a dict, not ${describeValue(kwargs)}`)
        }
        stack.push(instance(this.pop(), args, kwargs, this.context))
        break
      }
      case OP.INST: {
        const name = this.named()
        this.instantiate(name, this.popMark())
        break
      }
      case OP.OBJ: {
        const [type, ...args] = this.popMark()
        this.instantiate(type, args)
        break
      }
      case OP.BUILD: {
        const state = this.pop()
        this.build(this.top(), state)
        break
      }
      case OP.PERSID: {
        const id = window.line()
        stack.push(this.persistent(asciiOrNull(id) ?? decodeLatin1(id)))
        break
      }
      case OP.BINPERSID:
        stack.push(this.persistent(this.pop()))
        break
      case OP.EXT1:
        throw this.extension(window.byte())
      case OP.EXT2:
        throw this.extension(window.uint16())
      case OP.EXT4:
        throw this.extension(window.int32())
      default:
        throw this.error('bad-pickle', `0x${op.toString(16).padStart(2, '0')} is no pickle operation`)
    }
    return false
  }

  private mark(): void {
    const { stack, window } = this
    const list = stack[stack.length - 1]
    if (list instanceof PyList && stack.length > this.floor() && scanNumberRun(window, this.run1000)) {
      const { values, count, integers } = this.run1000
      this.charge(8 * count)
      list.pushNumbers(values, count, integers)
    } else this.marks.push(stack.length)
  }

  private floor(): number {
    return this.marks[this.marks.length - 1] ?? 0
  }

  private top(): PyValue {
    const { stack } = this
    if (stack.length <= this.floor()) throw this.underflow()
    return stack[stack.length - 1] as PyValue
  }

  private pop(): PyValue {
    const value = this.top()
    this.stack.pop()
    return value
  }

  private popMark(): PyValue[] {
    const start = this.marks.pop()
    if (start === undefined) throw this.underflow()
    return this.stack.splice(start)
  }

  private memoise(index: number): void {
    const value = this.top()
    if (index < this.memo.length) this.memo[index] = value
    else if (index === this.memo.length && this.sparse.size === 0) this.memo.push(value)
    else {
      this.charge(64)
      if (this.sparse.size >= 2 ** 24 - 1) throw this.error('too-large', 'too many values are memoised out of order')
      this.sparse.set(index, value)
    }
  }

  private recall(index: number): PyValue {
    const value = index < this.memo.length ? this.memo[index] : this.sparse.get(index)
    if (value === undefined) throw this.error('bad-pickle', `value ${index} is asked for, which was never memoised`)
    return value
  }

  private index(text: string): number {
    if (!/^\d{1,15}$/.test(text.trim()))
      throw this.error('bad-pickle', 'the number of a memoised value is not written in digits')
    return Number(text)
  }

  private int(text: string): PyValue {
    if (text === '00') return false
    if (text === '01') return true
    return this.decimal(text)
  }

  private decimal(text: string): PyValue {
    return parseInteger(text, this.window.at) ?? this.hugeInteger(`${text.trim().length} digits`)
  }

  private hugeInteger(size: string): Placeholder {
    const name = `an integer of ${size}`
    this.context.issues.add('inexact-integer', `${name} is not shown`)
    return new Placeholder(name)
  }

  private long(length: number): PyValue {
    if (length < 0) throw this.error('bad-pickle', `an integer of ${length} bytes is announced`)
    this.window.checkLength(length, 'an integer')
    if (length <= MAX_LONG_BYTES) return decodeLong(this.window.take(length))
    this.window.skip(length)
    return this.hugeInteger(`${length} bytes`)
  }

  /** The next `length` bytes, checked and charged for as a text. */
  private taken(length: number, what: string): Uint8Array {
    this.window.checkLength(length, what)
    if (length > MAX_TEXT_BYTES) {
      throw this.error('too-large', `${what} has ${length} bytes, more than the ${MAX_TEXT_BYTES} that one may have`)
    }
    const bytes = this.window.take(length)
    this.charge(length)
    return bytes
  }

  private bytes(length: number): PyBytes {
    const { window, options } = this
    window.checkLength(length, 'a string of bytes')
    if (length >= options.lazyBytes) {
      const range = options.range(window.offset, length)
      window.skip(length)
      return new PyBytes(range)
    }
    const bytes = window.take(length)
    this.charge(length)
    // A copy, so that a few bytes do not keep the whole window in memory.
    return new PyBytes(bytes.slice())
  }

  /** A `str` of Python 2: a text, or bytes where it cannot be one. */
  private oldText(bytes: Uint8Array): PyValue {
    return asciiOrNull(bytes) ?? new PyBytes(bytes.slice())
  }

  private named(): PyName {
    const module = decodeText(this.window.line(), this.window.at)
    return nameOf(module, decodeText(this.window.line(), this.window.at), this.context)
  }

  private arguments(value: PyValue): readonly PyValue[] {
    if (!(value instanceof PyTuple)) {
      throw this.error('bad-pickle', `arguments of a call are a tuple, not ${describeValue(value)}`)
    }
    return value.items
  }

  /** OBJ and INST: with arguments a call, without them a bare instance. */
  private instantiate(type: PyValue | undefined, args: readonly PyValue[]): void {
    this.stack.push(args.length > 0 ? call(type, args, this.context) : instance(type, args, null, this.context))
  }

  private listOf(target: PyValue): PyList {
    if (target instanceof PyList) return target
    if (target instanceof PyObject || target instanceof Placeholder) return (target.items ??= new PyList())
    throw this.error('bad-pickle', `items are appended to ${describeValue(target)}, which is no list`)
  }

  private setItems(target: PyValue, pairs: readonly PyValue[]): void {
    if (pairs.length % 2 !== 0) throw this.error('bad-pickle', 'a key of a dict has no value')
    const dict =
      target instanceof PyObject || target instanceof Placeholder ? (target.entries ??= new PyDict()) : target
    if (!(dict instanceof PyDict)) {
      throw this.error('bad-pickle', `an item is set in ${describeValue(target)}, which is no dict`)
    }
    this.charge(32 * pairs.length)
    for (let i = 0; i < pairs.length; i += 2) {
      setEntry(dict, pairs[i] as PyValue, pairs[i + 1] as PyValue, this.context)
    }
  }

  private build(target: PyValue, state: PyValue): void {
    const { context } = this
    if (target instanceof PyObject) buildObject(target, state, context)
    else if (target instanceof Placeholder) target.state = state
    else if (target instanceof PyDtype) buildDtype(target, state)
    else if (target instanceof PyTensor && target.library === 'numpy') buildArray(target, state, context)
    else if (state !== null && !(state instanceof PyDict && state.entries.size === 0)) {
      context.issues.add('state-ignored', `a state that belongs to ${describeValue(target)} is not shown`)
    }
  }

  private persistent(id: PyValue): PyValue {
    const { context } = this
    const value = this.options.persistent(id, context)
    if (value !== undefined) return value
    context.foreign.called('persistent id')
    return new Placeholder('persistent id', [id])
  }

  private charge(bytes: number): void {
    this.context.budget.charge(bytes, this.window.at)
  }

  private underflow(): PickleError {
    return this.error('bad-pickle', 'a value is taken from where there is none')
  }

  private extension(code: number): PickleError {
    return this.error(
      'unsupported-pickle',
      `the pickle asks for extension ${code}, a number that only its writer can resolve`,
    )
  }

  private error(code: PickleErrorCode, what: string): PickleError {
    return this.window.error(code, what)
  }
}
