import { describe, expect, it } from 'vitest'
import type { HypothesisResult } from '../../shared/model/report.ts'
import { type AuditedDump, audit, summary, verdictOf } from './audit.ts'
import { formatsFor, optionsOf } from './describe-plants.ts'
import { cleanDump } from './dump.ts'
import { FAMILY_NAMES } from './families.ts'
import { damage } from './judge.ts'
import { DEFECT_PLANTS, type DefectPlant } from './plants/defects.ts'
import { again, RUNS, randomFor } from './seed.ts'
import { paddingFor, writerOf } from './writers/registry.ts'

const cases = Array.from({ length: RUNS }, (_, run) => run).flatMap((run) =>
  DEFECT_PLANTS.map((defect) => {
    const random = randomFor(defect.id, defect.title, run)
    const family = random.pick(defect.families ?? FAMILY_NAMES)
    const format = random.pick(formatsFor(defect))
    return { defect, family, format, padding: defect.plan?.padding ?? paddingFor(format, random), run, random }
  }),
)

describe.each(cases)('$defect.id: $defect.title', ({ defect, family, format, padding, run, random }) => {
  it(`is named, ${family}, ${format}`, async () => {
    const name = `${defect.id}: ${defect.title}, ${family}, ${format}, padding ${padding}`
    const dump = await cleanDump(`${name} ${run}`, family, { groups: 4, ...defect.plan, padding })
    const context = { family: dump.family, format, pattern: 'systematic', random } as const
    const damaged = damage(dump, { ...defect, code: defect.symptoms[0] as string }, context)
    const audited = await audit(damaged.dump, writerOf(format), optionsOf(defect, damaged.dump))
    expect(misses(audited, defect), again(name, run)).toEqual([])
  })
})

/** Everything in which a report tells the defect otherwise than it is, in sentences. */
function misses(audited: AuditedDump, { id, symptoms, mayShow = {}, beside = [], verdicts }: DefectPlant): string[] {
  const { report } = audited
  const problems: string[] = []
  const named = report.defects.map((defect) => defect.id).toSorted()
  if (named.join() !== [id, ...beside].toSorted().join()) problems.push(`defects named: ${named.join(', ') || 'none'}`)
  const under = report.defects.find((defect) => defect.id === id)?.symptoms.map(({ code }) => code) ?? []
  const missing = symptoms.filter((code) => !under.includes(code))
  const foreign = under.filter((code) => !symptoms.includes(code) && !(code in mayShow))
  if (missing.length > 0) problems.push(`not under ${id}: ${missing.join(', ')}`)
  if (foreign.length > 0) problems.push(`under ${id} without a reason: ${foreign.join(', ')}`)
  const faults = report.findings.filter(({ intended }) => intended !== true)
  problems.push(...summary(faults.filter(({ code }) => !symptoms.includes(code) && !(code in mayShow))))
  const orphans = faults.filter(({ code, defect }) => symptoms.includes(code) && defect !== id)
  problems.push(...summary(orphans).map((told) => `not explained by ${id}: ${told}`))
  for (const [hypothesis, verdict] of Object.entries(verdicts)) {
    const said = verdictOf(audited, hypothesis as HypothesisResult['id'])
    if (said !== verdict) problems.push(`${hypothesis} is ${said}, not ${verdict}`)
  }
  return problems
}
