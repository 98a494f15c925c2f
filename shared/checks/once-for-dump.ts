import type { Steps } from '../model/steps.ts'
import type { DumpView } from './check.ts'

/** What several checks ask of a whole dump, worked out once for each: it is kept as long as the dump is. */
export function onceForDump<Result>(work: (dump: DumpView) => Steps<Result>): (dump: DumpView) => Steps<Result> {
  const known = new WeakMap<DumpView, { readonly result: Result }>()
  return function* (dump) {
    const found = known.get(dump) ?? { result: yield* work(dump) }
    known.set(dump, found)
    return found.result
  }
}
