import { describe, expect, it } from 'vitest'
import type { Defect } from '../../shared/model/report.ts'
import { audit, faultsOf, summary, verdictOf } from './audit.ts'
import { cleanDump } from './dump.ts'
import { FAMILY_NAMES } from './families.ts'
import { again, RUNS, randomFor } from './seed.ts'
import { VARIANTS, type Variant } from './variants.ts'
import { type FormatName, paddingFor, SPECIAL_WRITERS, WRITERS, writerOf } from './writers/registry.ts'

const FORMATS = WRITERS.map(({ format }) => format)
const rounds = Array.from({ length: RUNS }, (_, run) => run)

/**
 * Each round gives every variant to every family, in a format of its own, and to one of them in a format in which few plants stand: what a variant
 * needs its formats for those have as well.
 */
const cases = rounds.flatMap((run) =>
  VARIANTS.flatMap((variant) => {
    const families = variant.families ?? FAMILY_NAMES
    const ordinary = families.map((family) => {
      const random = randomFor('clean', variant.name, family, run)
      const format: FormatName = random.pick(variant.formats ?? FORMATS)
      return { variant, family, format, run, padding: paddingFor(format, random) }
    })
    const random = randomFor('clean in a special format', variant.name, run)
    const special: readonly FormatName[] = SPECIAL_WRITERS.map(({ format }) => format)
    const format = random.pick(special.filter((each) => !variant.notIn?.includes(each)))
    return [...ordinary, { variant, family: random.pick(families), format, run, padding: 'none' as const }]
  }),
)

describe.each(cases)('$variant.name, $family, $format', ({ variant, family, format, run, padding }) => {
  it('is silent', async () => {
    const name = `${variant.name}, ${family}, ${format}, padding ${padding}`
    const dump = await cleanDump(`${name} ${run}`, family, { padding, ...variant.plan })
    const audited = await audit(dump, writerOf(format), variant.options)
    const faults = faultsOf(audited).filter((fault) => !mayBeSaid(variant, fault))
    expect(summary(faults), again(name, run)).toEqual([])
    const noted = ({ symptoms }: Defect) => symptoms.every(({ code }) => code in (variant.mayNote ?? {}))
    const defects = audited.report.defects.filter((defect) => !noted(defect))
    expect(defects, again(name, run)).toEqual([])
    const unproved = format in (variant.unproved ?? {}) ? ['inconclusive'] : []
    expect(['contradicted', 'not-checkable', ...unproved], again(name, run)).toContain(verdictOf(audited, 'H02'))
    const supported = audited.report.hypotheses.filter(({ verdict }) => verdict === 'supported')
    expect(supported, again(name, run)).toEqual([])
  })
})

function mayBeSaid({ mayNote = {} }: Variant, { code, severity }: { code: string; severity: string }): boolean {
  return severity === 'info' && code in mayNote
}
