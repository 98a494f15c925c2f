import { call, instance, nameOf } from './allow/index.ts'
import type { BuildContext } from './context.ts'
import type { PickleError, PickleErrorCode } from './error.ts'
import { build } from './fill.ts'
import type { MachineStack } from './machine-stack.ts'
import { OP } from './opcodes.ts'
import { asciiOrNull, decodeLatin1, decodeText } from './text.ts'
import { describeValue, Placeholder, PyDict, type PyName, PyTuple, type PyValue } from './values.ts'
import type { Window } from './window.ts'

/**
 * The operations that name something and make an object of it: the only ones that a Python interpreter would call anything for. Here
 * a name is text, and what it makes is looked up in `allow/`.
 */
export class Objects {
  constructor(
    private readonly window: Window,
    private readonly context: BuildContext,
    private readonly stack: MachineStack,
    /** The value of a persistent id; undefined leaves a placeholder. */
    private readonly lookUp: (id: PyValue, context: BuildContext) => PyValue | undefined,
  ) {}

  /** Follows one operation, whose own byte has been read. Throws where it is none that is known. */
  step(op: number): void {
    const { window, stack, context } = this
    const { values } = stack
    switch (op) {
      case OP.GLOBAL:
        values.push(this.named())
        break
      case OP.STACK_GLOBAL: {
        const qualname = stack.pop()
        const module = stack.pop()
        if (typeof module !== 'string' || typeof qualname !== 'string') {
          throw this.error(
            'bad-pickle',
            `a name is made of two texts, not of ${describeValue(module)} and ${describeValue(qualname)}`,
          )
        }
        values.push(nameOf(module, qualname, context))
        break
      }
      case OP.REDUCE: {
        const args = this.arguments(stack.pop())
        values.push(call(stack.pop(), args, context))
        break
      }
      case OP.NEWOBJ: {
        const args = this.arguments(stack.pop())
        values.push(instance(stack.pop(), args, null, context))
        break
      }
      case OP.NEWOBJ_EX: {
        const kwargs = stack.pop()
        const args = this.arguments(stack.pop())
        if (!(kwargs instanceof PyDict)) {
          throw this.error('bad-pickle', `keyword arguments are a dict, not ${describeValue(kwargs)}`)
        }
        values.push(instance(stack.pop(), args, kwargs, context))
        break
      }
      case OP.INST: {
        const name = this.named()
        this.instantiate(name, stack.popMark())
        break
      }
      case OP.OBJ: {
        const [type, ...args] = stack.popMark()
        this.instantiate(type, args)
        break
      }
      case OP.BUILD: {
        const state = stack.pop()
        build(stack.top(), state, context)
        break
      }
      case OP.PERSID: {
        const id = window.line()
        values.push(this.persistent(asciiOrNull(id) ?? decodeLatin1(id)))
        break
      }
      case OP.BINPERSID:
        values.push(this.persistent(stack.pop()))
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
    this.stack.values.push(args.length > 0 ? call(type, args, this.context) : instance(type, args, null, this.context))
  }

  private persistent(id: PyValue): PyValue {
    const { context } = this
    const value = this.lookUp(id, context)
    if (value !== undefined) return value
    context.foreign.called('persistent id')
    return new Placeholder('persistent id', [id])
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
