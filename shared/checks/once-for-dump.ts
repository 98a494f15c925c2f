import type { Steps } from '../model/steps.ts'
import type { DumpView } from './check.ts'

/** What several checks and verdicts ask of a whole dump, worked out once for each: it is kept as long as the dump is. */
export function onceForDump<Result>(work: (dump: DumpView) => Steps<Result>): (dump: DumpView) => Steps<Result> {
  const known = new WeakMap<DumpView, { readonly result: Result }>()
  return function* (dump) {
    const found = known.get(dump) ?? { result: yield* work(dump) }
    known.set(dump, found)
    return found.result
  }
}

/** The same of what takes no steps. */
export function keptForDump<Result>(work: (dump: DumpView) => Result): (dump: DumpView) => Result {
  const known = new WeakMap<DumpView, { readonly result: Result }>()
  return (dump) => {
    const found = known.get(dump) ?? { result: work(dump) }
    known.set(dump, found)
    return found.result
  }
}
