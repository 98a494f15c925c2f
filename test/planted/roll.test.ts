import { expect, it } from 'vitest'
import { audit, faultsOf, summary } from './audit.ts'
import { describePlants } from './describe-plants.ts'
import { cleanDump } from './dump.ts'
import { FAMILY_NAMES } from './families.ts'
import type { Plant } from './plant.ts'
import { PLANTS } from './plants/all.ts'
import { assistant, OPEN_THOUGHT } from './plants/mask.ts'
import { again } from './seed.ts'
import { WRITERS, writerOf } from './writers/registry.ts'

const inRoll = (plant: Plant): Plant => ({
  ...plant,
  notIn: WRITERS.map(({ format }) => format),
  alsoIn: ['roll-batch'],
})

/** The first plant of each of these. */
const FIRST = ['M01', 'M03', 'M06', 'M08', 'M10', 'M15', 'C01', 'C02'].flatMap(
  (code) => PLANTS.find((plant) => plant.code === code) ?? [],
)

describePlants(
  [
    ...FIRST,
    {
      code: 'M09',
      title: 'the open thought with which the prompt ends is trained, and has a 0 for want of a logprob',
      needs: [],
      plan: OPEN_THOUGHT,
      perTurn: true,
      rollout: (rollout) => {
        const { headerEnd, contentStart } = assistant(rollout)[0]!
        for (const token of rollout.tokens.slice(headerEnd, contentStart)) token.trained = true
        return [{ start: headerEnd, end: contentStart }]
      },
    } satisfies Plant,
  ].map(inRoll),
)

it.each(FAMILY_NAMES)('a clean batch of %s is silent, with and without an open thought', async (family) => {
  for (const plan of [{}, OPEN_THOUGHT]) {
    const name = `clean roll-batch ${family}`
    const audited = await audit(await cleanDump(name, family, { padding: 'none', ...plan }), writerOf('roll-batch'))
    expect(summary(faultsOf(audited)), again(name, 0)).toEqual([])
  }
})
