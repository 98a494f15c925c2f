import { describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import { describePlants } from './describe-plants.ts'
import { cleanDump } from './dump.ts'
import { FAMILY_NAMES } from './families.ts'
import { MARKER_PLANTS } from './plants/markers.ts'
import { TEMPLATE_PLANTS } from './plants/template.ts'
import { writerOf } from './writers/registry.ts'

describePlants([...TEMPLATE_PLANTS, ...MARKER_PLANTS])

describe.each(FAMILY_NAMES)('T02: text of %s', (family) => {
  it.each([
    'atropos',
    'nemo-gym',
  ] as const)('that is split as the tokenizer splits it, all of it, is noted, %s', async (format) => {
    const noted = async (otherSplits: number) => {
      const dump = await cleanDump(`encoded again ${family} ${format}`, family, { groups: 2, build: { otherSplits } })
      // So few rollouts have fewer tokens than it takes by default.
      const { report } = await audit(dump, writerOf(format), { thresholds: { 'drift-tokens': 1000 } })
      return report.findings.filter(({ code }) => code === 'T02').map(({ severity, scope }) => [severity, scope])
    }
    expect(await noted(0)).toEqual([['info', 'source']])
    // Few words can be split otherwise: each of those.
    expect(await noted(1)).toEqual([])
  })
})
