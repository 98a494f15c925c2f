import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Finding, Severity } from '../../shared/model/report.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { SEVERITY_RANKS } from '../../shared/query/values.ts'
import { codesOf, worstOf } from '../../shared/session/audit/collected.ts'
import { DumpFindings } from '../../shared/session/concluding/dump-findings.ts'
import { faultRows } from '../../shared/session/concluding/fault-rows.ts'
import { factsOf } from '../helpers/facts.ts'

const ROWS = 12
const place = (record: number) => ({ source: 0, record, part: 0 })

const findings = fc.array(
  fc.record({
    code: fc.constantFrom('C01', 'C02', 'A06', 'M01'),
    severity: fc.constantFrom<Severity>('error', 'warning', 'info'),
    intended: fc.boolean(),
    rows: fc.uniqueArray(fc.nat(ROWS - 1), { maxLength: 4 }),
    isOfGroup: fc.boolean(),
  }),
)
const lists = fc.uniqueArray(fc.subarray(['A06', 'M01', 'T05']), { minLength: 1, selector: (list) => list.join() })

function findingOf({ rows, isOfGroup, ...more }: typeof findings extends fc.Arbitrary<(infer Each)[]> ? Each : never) {
  const [first = 0] = rows
  const named = isOfGroup ? { record: null, part: null, members: rows.map(place) } : { record: first, part: 0 }
  return { source: 0, members: null, ...named, ...more } as unknown as Finding
}

test('findings of the dump are added to what stands in rollouts, as asking each rollout tells', () => {
  fc.assert(
    fc.property(findings, lists, fc.array(fc.nat(), { minLength: ROWS, maxLength: ROWS }), (given, own, at) => {
      const dumpFindings = given.map(findingOf)
      const facts = Array.from({ length: ROWS }, (_, record) => factsOf(record))
      const { faults, named } = atOnce(faultRows(facts, [], dumpFindings))
      const all = new DumpFindings(() => ({ dumpFindings, named }))
      const local = { lists: own, at: Int32Array.from(at, (number) => number % own.length) }
      const together = all.withCodes(local)
      const ranks = new Uint8Array(ROWS).fill(1)
      all.raise(ranks)
      for (let row = 0; row < ROWS; row++) {
        const naming = dumpFindings.filter(({ record, members }) =>
          record === null ? members?.some((member) => member.record === row) : record === row,
        )
        expect(all.of(row)).toEqual(naming)
        const standing = [...faults].flatMap(([code, rows]) => (rows[row] === 1 ? [code] : []))
        expect(standing.sort()).toEqual(codesOf(naming))
        const codes = [...new Set([...(own[local.at[row] as number] ?? []), ...codesOf(naming)])].sort()
        expect(together.lists[together.at[row] as number]).toEqual(codes)
        expect(ranks[row]).toBe(Math.max(1, SEVERITY_RANKS.indexOf(worstOf(naming) ?? 'none')))
      }
      expect(all.of(ROWS)).toEqual([])
    }),
  )
})
