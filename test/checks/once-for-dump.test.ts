import { expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { onceForDump } from '../../shared/checks/once-for-dump.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

it('works out once for each dump what several checks ask, be it nothing', () => {
  const asked: DumpView[] = []
  const find = onceForDump(function* (dump) {
    asked.push(dump)
    yield 0.5
    return dump.facts.length === 0 ? null : dump.facts.length
  })
  const [one, other] = [dumpOf([factsOf(0)]), dumpOf([])]
  const work = () => [atOnce(find(one)), atOnce(find(other))]
  expect([...work(), ...work()]).toEqual([1, null, 1, null])
  expect(asked).toEqual([one, other])
})
