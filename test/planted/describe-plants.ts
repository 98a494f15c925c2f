import { describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { audit } from './audit.ts'
import { cleanDump, type DumpPlan, type Padding, type PlantedDump } from './dump.ts'
import { FAMILY_NAMES, type FamilyName } from './families.ts'
import { damage, misses } from './judge.ts'
import type { Pattern, Plant } from './plant.ts'
import { again, RUNS, randomFor } from './seed.ts'
import { type FormatName, paddingFor, WRITERS, writerOf } from './writers/registry.ts'

/** Groups of eight: 64 rollouts for two to stand out of, and fewer where all have the fault. */
const GROUPS: Readonly<Record<Pattern, number>> = { systematic: 2, sporadic: 8 }

const clean = new Map<string, Promise<PlantedDump>>()
const plans: (DumpPlan | undefined)[] = []

/** Clean dumps are shared: plants damage copies. */
function cleanFor(family: FamilyName, padding: Padding, groups: number, plan: DumpPlan | undefined) {
  const key = `${family}, padding ${padding}, ${groups} groups, plan ${plans.indexOf(plan)}`
  const kept = clean.get(key) ?? cleanDump(`planted ${key}`, family, { groups, ...plan, padding })
  clean.set(key, kept)
  return kept
}

/** Tests of plants: each is put into a clean dump of a family and a format, drawn anew in every round, everywhere and in two places. */
export function describePlants(plants: readonly Plant[]): void {
  // Numbered here and not as tests come to them: a test that runs alone draws what it draws among all.
  for (const { plan } of plants) if (!plans.includes(plan)) plans.push(plan)
  const cases = Array.from({ length: RUNS }, (_, run) => run).flatMap((run) =>
    plants.flatMap((plant) =>
      (plant.patterns ?? (['systematic', 'sporadic'] as const)).map((pattern) => {
        const random = randomFor(plant.code, plant.title, pattern, run)
        const family = random.pick(plant.families ?? FAMILY_NAMES)
        const format = given(random.pick(formatsFor(plant)), formatsFor(plant))
        const padding = plant.plan?.padding ?? paddingFor(format, random)
        return { plant, pattern, family, format, padding, run, random }
      }),
    ),
  )

  describe.each(cases)('$plant.code: $plant.title', ({ plant, pattern, family, format, padding, run, random }) => {
    it(`${pattern}, ${family}, ${format}`, async () => {
      const name = `${plant.code}: ${plant.title}, ${pattern}, ${family}, ${format}, padding ${padding}`
      const dump = await cleanFor(family, padding, GROUPS[pattern], plant.plan)
      const context = { family: dump.family, format, pattern, random }
      const damaged = damage(dump, plant, context)
      const audited = await audit(
        damaged.dump,
        writerOf(format),
        optionsOf(plant, damaged.dump),
        plant.dataset?.(damaged.dump, context),
      )
      expect(misses(damaged, audited, plant, context), again(name, run)).toEqual([])
    })
  })
}

/** The format that `PLANTED_FORMAT` names, for the plants that can stand in it. */
function given(drawn: FormatName, formats: readonly FormatName[]): FormatName {
  return formats.find((format) => format === process.env.PLANTED_FORMAT) ?? drawn
}

export function optionsOf({ options }: Pick<Plant, 'options'>, dump: PlantedDump): AuditOptions | undefined {
  return typeof options === 'function' ? options(dump) : options
}

export function formatsFor({
  needs,
  notIn = [],
  alsoIn = [],
}: Pick<Plant, 'needs' | 'notIn' | 'alsoIn'>): FormatName[] {
  const carrying: FormatName[] = WRITERS.filter(({ carries }) =>
    needs.every((each) => (carries as ReadonlySet<string>).has(each)),
  )
    .map(({ format }) => format)
    .filter((format) => !notIn.includes(format))
  return [...new Set([...carrying, ...alsoIn])]
}
