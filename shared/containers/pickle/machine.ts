import { MAX_TEXT_BYTES } from './budget.ts'
import type { BuildContext } from './context.ts'
import type { PickleError, PickleErrorCode } from './error.ts'
import { listOf, setItems } from './fill.ts'
import { parseFloatText } from './integers.ts'
import { Literals } from './literals.ts'
import { MachineStack } from './machine-stack.ts'
import { type NumberRun, scanNumberRun } from './number-run.ts'
import { Objects } from './objects.ts'
import { HIGHEST_PROTOCOL, OP } from './opcodes.ts'
import { decodeLatin1, decodeQuoted, decodeRawUnicode, decodeText } from './text.ts'
import { type ByteRange, PyDict, PyList, PySet, PyTuple, type PyValue } from './values.ts'
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

/**
 * Follows the operations of a pickle. It has no way to call anything: names are kept as text, and what a name would make of its arguments
 * is looked up in `allow/`, whose builders make plain data or nothing. No operation recurses, so nesting has no limit here.
 */
export class PickleMachine {
  private readonly stack: MachineStack
  private readonly literals: Literals
  private readonly objects: Objects
  private readonly window: Window
  private readonly context: BuildContext
  private readonly numbers: NumberRun = { values: new Float64Array(1024), count: 0, integers: true }
  /** The value of the whole pickle, once `run` has given true. */
  value: PyValue = null

  constructor(options: MachineOptions) {
    const { window } = options
    this.window = window
    this.context = {
      ...options.context,
      get at() {
        return window.at
      },
      error: (code, what) => window.error(code, what),
    }
    this.stack = new MachineStack(this.context)
    this.literals = new Literals(window, this.context, options.lazyBytes, options.range)
    this.objects = new Objects(window, this.context, this.stack, options.persistent)
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

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: an instruction set, a case for each operation
  private step(op: number): boolean {
    const { window, stack, context } = this
    const literals = this.literals
    const { values } = stack
    context.budget.charge(8, window.at)
    switch (op) {
      case OP.STOP:
        this.value = stack.pop()
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
        if (values.length > stack.floor()) values.pop()
        else stack.popMark()
        break
      case OP.POP_MARK:
        stack.popMark()
        break
      case OP.DUP:
        values.push(stack.top())
        break
      case OP.NONE:
        values.push(null)
        break
      case OP.NEWTRUE:
        values.push(true)
        break
      case OP.NEWFALSE:
        values.push(false)
        break
      case OP.BININT:
        values.push(window.int32())
        break
      case OP.BININT1:
        values.push(window.byte())
        break
      case OP.BININT2:
        values.push(window.uint16())
        break
      case OP.BINFLOAT:
        values.push(window.double())
        break
      case OP.INT:
        values.push(literals.int(decodeLatin1(window.line())))
        break
      case OP.LONG:
        values.push(literals.decimal(decodeLatin1(window.line()).replace(/L\s*$/, '')))
        break
      case OP.FLOAT:
        values.push(parseFloatText(decodeLatin1(window.line()), window.at))
        break
      case OP.LONG1:
        values.push(literals.long(window.byte()))
        break
      case OP.LONG4:
        values.push(literals.long(window.int32()))
        break
      case OP.STRING:
        values.push(literals.oldText(decodeQuoted(window.line(MAX_TEXT_BYTES), window.at)))
        break
      case OP.BINSTRING:
        values.push(literals.oldText(literals.taken(window.uint32(), 'a text')))
        break
      case OP.SHORT_BINSTRING:
        values.push(literals.oldText(literals.taken(window.byte(), 'a text')))
        break
      case OP.UNICODE: {
        const line = window.line(MAX_TEXT_BYTES)
        this.charge(2 * line.length)
        values.push(decodeRawUnicode(line, window.at))
        break
      }
      case OP.SHORT_BINUNICODE:
        values.push(decodeText(literals.taken(window.byte(), 'a text'), window.at))
        break
      case OP.BINUNICODE:
        values.push(decodeText(literals.taken(window.uint32(), 'a text'), window.at))
        break
      case OP.BINUNICODE8:
        values.push(decodeText(literals.taken(window.uint64(), 'a text'), window.at))
        break
      case OP.SHORT_BINBYTES:
        values.push(literals.bytes(window.byte()))
        break
      case OP.BINBYTES:
        values.push(literals.bytes(window.uint32()))
        break
      case OP.BINBYTES8:
      case OP.BYTEARRAY8:
        values.push(literals.bytes(window.uint64()))
        break
      case OP.NEXT_BUFFER:
      case OP.READONLY_BUFFER:
        throw this.error('unsupported-pickle', 'the pickle was written with its buffers outside of the file')
      case OP.EMPTY_TUPLE:
        this.charge(40)
        values.push(new PyTuple([]))
        break
      case OP.TUPLE1:
        this.charge(56)
        values.push(new PyTuple([stack.pop()]))
        break
      case OP.TUPLE2: {
        this.charge(56)
        const second = stack.pop()
        values.push(new PyTuple([stack.pop(), second]))
        break
      }
      case OP.TUPLE3: {
        this.charge(64)
        const third = stack.pop()
        const second = stack.pop()
        values.push(new PyTuple([stack.pop(), second, third]))
        break
      }
      case OP.TUPLE:
        this.charge(56)
        values.push(new PyTuple(stack.popMark()))
        break
      case OP.EMPTY_LIST:
        this.charge(64)
        values.push(new PyList())
        break
      case OP.LIST:
        this.charge(64)
        values.push(new PyList(stack.popMark()))
        break
      case OP.EMPTY_DICT:
        this.charge(192)
        values.push(new PyDict())
        break
      case OP.DICT: {
        const pairs = stack.popMark()
        const dict = new PyDict()
        setItems(dict, pairs, context)
        values.push(dict)
        break
      }
      case OP.EMPTY_SET:
        this.charge(64)
        values.push(new PySet())
        break
      case OP.FROZENSET:
        this.charge(64)
        values.push(new PySet(stack.popMark()))
        break
      case OP.APPEND: {
        const item = stack.pop()
        listOf(stack.top(), context).push(item)
        break
      }
      case OP.APPENDS: {
        const items = stack.popMark()
        const list = listOf(stack.top(), context)
        for (const item of items) list.push(item)
        break
      }
      case OP.SETITEM: {
        const value = stack.pop()
        const key = stack.pop()
        setItems(stack.top(), [key, value], context)
        break
      }
      case OP.SETITEMS: {
        const pairs = stack.popMark()
        setItems(stack.top(), pairs, context)
        break
      }
      case OP.ADDITEMS: {
        const items = stack.popMark()
        const target = stack.top()
        if (target instanceof PySet) for (const item of items) target.items.push(item)
        else {
          const list = listOf(target, context)
          for (const item of items) list.push(item)
        }
        break
      }
      case OP.PUT:
        stack.memoise(literals.index(decodeLatin1(window.line())))
        break
      case OP.BINPUT:
        stack.memoise(window.byte())
        break
      case OP.LONG_BINPUT:
        stack.memoise(window.uint32())
        break
      case OP.MEMOIZE:
        stack.memoise(stack.memoised)
        break
      case OP.GET:
        values.push(stack.recall(literals.index(decodeLatin1(window.line()))))
        break
      case OP.BINGET:
        values.push(stack.recall(window.byte()))
        break
      case OP.LONG_BINGET:
        values.push(stack.recall(window.uint32()))
        break
      default:
        this.objects.step(op)
    }
    return false
  }

  private mark(): void {
    const { stack, window } = this
    const { values: held } = stack
    const list = held[held.length - 1]
    if (list instanceof PyList && held.length > stack.floor() && scanNumberRun(window, this.numbers)) {
      const { values, count, integers } = this.numbers
      this.charge(8 * count)
      list.pushNumbers(values, count, integers)
    } else stack.marks.push(held.length)
  }

  private charge(bytes: number): void {
    this.context.budget.charge(bytes, this.window.at)
  }

  private error(code: PickleErrorCode, what: string): PickleError {
    return this.window.error(code, what)
  }
}
