import { copiedItems, fewItems } from '../arguments.ts'
import type { Build, BuildContext, Family } from '../context.ts'
import { lookUp } from '../look-up.ts'
import { Placeholder, PyDict, PyList, PyName, PyObject, type PyValue } from '../values.ts'
import { numpy } from './numpy.ts'
import { python } from './python.ts'
import { torch } from './torch.ts'
import { classNameOf, STATUS_NAME, trainers } from './trainers.ts'

const FAMILIES: readonly Family[] = [python, numpy, torch, trainers]

/** Names of Python 2 in the pickles of protocol 2 and below, by which torch saves to this day. */
const MODULES: Readonly<Record<string, string>> = { __builtin__: 'builtins', copy_reg: 'copyreg', io: '_io' }
const BUILTINS: Readonly<Record<string, string>> = { unicode: 'str', long: 'int', xrange: 'range' }

/** No module or class is called by more; names are compared with many others. */
const MAX_NAME = 1000

/** The name a pickle asks for, under its name of today. It is recorded unless everything under that name is plain data. */
export function nameOf(module: string, qualname: string, context: BuildContext): PyName {
  if (module.length > MAX_NAME || qualname.length > MAX_NAME) {
    throw context.error('bad-pickle', `a name is longer than ${MAX_NAME} characters`)
  }
  context.budget.charge(64, context.at)
  const today = lookUp(MODULES, module) ?? module
  const name = new PyName(today, module === '__builtin__' ? (lookUp(BUILTINS, qualname) ?? qualname) : qualname)
  if (!isKnown(name)) context.foreign.mention(name)
  return name
}

function isKnown(name: PyName): boolean {
  return PLUMBING.has(name.name) || isKnownClass(name) || FAMILIES.some((family) => family.call(name) !== undefined)
}

function isKnownClass(name: PyName): boolean {
  return FAMILIES.some((family) => family.isKnownClass(name))
}

/** How pickles of plain objects are put together. */
const PLUMBING = new Set(['copyreg._reconstructor', 'copyreg.__newobj__', 'copyreg.__newobj_ex__', 'builtins.getattr'])

/** The value of a call: plain data where the name is known to make it of such arguments, else a placeholder. Nothing is called. */
export function call(callee: PyValue | undefined, args: readonly PyValue[], context: BuildContext): PyValue {
  context.budget.charge(64, context.at)
  if (callee instanceof Placeholder) {
    // What the call would have given is not known, so neither is what a call of that would give.
    const name = callee.name.startsWith('what ') ? callee.name : `what ${callee.name} returns`
    context.foreign.called(name)
    return new Placeholder(name, args)
  }
  if (!(callee instanceof PyName)) {
    throw context.error('bad-pickle', 'something is called that is no name')
  }
  const built = builderOf(callee)?.(args, context)
  if (built !== undefined) return built
  if (args.length === 0 && isKnownClass(callee)) return new PyObject(classNameOf(callee))
  context.foreign.called(callee)
  return new Placeholder(callee.name, args)
}

function builderOf(name: PyName): Build | undefined {
  switch (name.name) {
    case 'builtins.getattr':
      return attribute
    case 'copyreg._reconstructor':
      return reconstructed
    case 'copyreg.__newobj__':
      return ([type, ...args], context) => (type instanceof PyName ? instance(type, args, null, context) : undefined)
    case 'copyreg.__newobj_ex__':
      return ([type, args, kwargs], context) =>
        type instanceof PyName && kwargs instanceof PyDict
          ? instance(type, fewItems(args) ?? [], kwargs, context)
          : undefined
    default:
      for (const family of FAMILIES) {
        const build = family.call(name)
        if (build !== undefined) return build
      }
  }
}

/** `getattr(name, 'part')` is how nested classes and members of enums are named; of anything else it is a call like others. */
const attribute: Build = ([owner, part, ...rest], context) => {
  if (!(owner instanceof PyName) || typeof part !== 'string' || rest.length > 0) return undefined
  // A longer chain than any program's would only make longer and longer texts.
  if (owner.qualname.length + part.length >= MAX_NAME) return undefined
  const name = nameOf(owner.module, `${owner.qualname}.${part}`, context)
  const member = trainers.isKnownClass(name) ? STATUS_NAME.exec(name.qualname)?.[1] : undefined
  return member === undefined ? name : member.toLowerCase()
}

/** Protocols 0 and 1: a class, the built-in type that it extends, and what that type holds. */
const reconstructed: Build = ([type, base, state], context) => {
  if (!(type instanceof PyName) || !(base instanceof PyName)) return undefined
  if (base.name === 'builtins.object' && state == null) return instance(type, [], null, context)
  if (base.name === 'builtins.list') {
    const items = copiedItems(state, context)
    const object = items === null ? null : instance(type, [], null, context)
    if (!(object instanceof PyObject)) return undefined
    object.items = new PyList([...(items as readonly PyValue[])])
    return object
  }
  if (base.name === 'builtins.dict' && state instanceof PyDict) {
    const object = instance(type, [], null, context)
    if (!(object instanceof PyObject)) return undefined
    object.entries = state
    return object
  }
  return undefined
}

/** An instance of a class (NEWOBJ, or OBJ and INST without arguments): its fields follow. */
export function instance(
  type: PyValue | undefined,
  args: readonly PyValue[],
  kwargs: PyDict | null,
  context: BuildContext,
): PyValue {
  context.budget.charge(256, context.at)
  if (!(type instanceof PyName)) return call(type, args, context)
  const bare = args.length === 0 && (kwargs === null || kwargs.entries.size === 0)
  const built = kwargs === null ? newBuilder(type)?.(args, context) : undefined
  if (built !== undefined) return built
  if (bare) {
    if (!isKnownClass(type)) context.foreign.instantiated(type)
    return new PyObject(classNameOf(type))
  }
  context.foreign.called(type)
  const placeholder = new Placeholder(type.name, args)
  placeholder.kwargs = kwargs
  return placeholder
}

/** What `__new__` of a class makes, where that is plain data at once. Functions have no instances. */
function newBuilder(type: PyName): Build | undefined {
  if (type.module !== 'builtins' && type.module !== 'collections') return undefined
  return PLUMBING.has(type.name) ? undefined : python.call(type)
}

/** Gives an instance its state (BUILD). A state that no family takes becomes fields, as Python does without `__setstate__`. */
export function buildObject(object: PyObject, state: PyValue, context: BuildContext): void {
  for (const family of FAMILIES) if (family.build?.(object, state, context) === true) return
  const parts = fewItems(state)
  // With slots, the state is a pair of two dicts of fields.
  const dicts = parts?.length === 2 && parts.every((part) => part === null || part instanceof PyDict) ? parts : [state]
  if (!dicts.every((part) => part === null || part instanceof PyDict)) {
    object.state = state
    return
  }
  for (const dict of dicts) {
    if (!(dict instanceof PyDict)) continue
    context.budget.charge(64 * dict.entries.size, context.at)
    for (const [name, value] of dict.entries) {
      if (typeof name === 'string') object.fields.set(name, value)
      else context.issues.add('state-ignored', `an object of ${object.className} has a field whose name is no text`)
    }
  }
}
