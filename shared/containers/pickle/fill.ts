import { buildObject } from './allow/index.ts'
import { buildArray, buildDtype } from './allow/numpy.ts'
import { setEntry } from './arguments.ts'
import type { BuildContext } from './context.ts'
import { PyDtype } from './dtype.ts'
import { PyTensor } from './tensor.ts'
import { describeValue, Placeholder, PyDict, PyList, PyObject, type PyValue } from './values.ts'

/** The list that items are appended to. */
export function listOf(target: PyValue, context: BuildContext): PyList {
  if (target instanceof PyList) return target
  if (target instanceof PyObject || target instanceof Placeholder) return (target.items ??= new PyList())
  throw context.error('bad-pickle', `items are appended to ${describeValue(target)}, which is no list`)
}

/** Sets keys and values, one after the other in `pairs`, in a dict or in what has items. */
export function setItems(target: PyValue, pairs: readonly PyValue[], context: BuildContext): void {
  if (pairs.length % 2 !== 0) throw context.error('bad-pickle', 'a key of a dict has no value')
  const dict = target instanceof PyObject || target instanceof Placeholder ? (target.entries ??= new PyDict()) : target
  if (!(dict instanceof PyDict)) {
    throw context.error('bad-pickle', `an item is set in ${describeValue(target)}, which is no dict`)
  }
  context.budget.charge(32 * pairs.length, context.at)
  for (let i = 0; i < pairs.length; i += 2) {
    setEntry(dict, pairs[i] as PyValue, pairs[i + 1] as PyValue, context)
  }
}

/** Gives an object the state that was pickled with it. */
export function build(target: PyValue, state: PyValue, context: BuildContext): void {
  if (target instanceof PyObject) buildObject(target, state, context)
  else if (target instanceof Placeholder) target.state = state
  else if (target instanceof PyDtype) buildDtype(target, state)
  else if (target instanceof PyTensor && target.library === 'numpy') buildArray(target, state, context)
  else if (state !== null && !(state instanceof PyDict && state.entries.size === 0)) {
    context.issues.add('state-ignored', `a state that belongs to ${describeValue(target)} is not shown`)
  }
}
