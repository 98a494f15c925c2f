import { describe, expect, it } from 'vitest'
import { TokenState } from '../../shared/model/tokens.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { FAMILIES } from '../helpers/tokenizers.ts'
import { auditDump } from './audit.ts'

const GROUP = { group: 'g', groupSize: 3, logprobs: 'both', attention: 'ones', messages: true } as const

describe.each(FAMILIES)('a clean run of %s', (family) => {
  it('trips nothing', async () => {
    const { byCode } = await auditDump({ story: 'clean', family, rows: searchRows({}, GROUP) })
    expect(
      [...byCode].flatMap(([, { findings }]) => findings.map(({ code, message }) => `${code} ${message}`)),
    ).toEqual([])
  })

  it('trips nothing with sampled flags, padding and a generation prompt at the end', async () => {
    const rows = searchRows({}, { sampled: true, padLeft: 7, padRight: 3, generationPrompt: true })
    const { byCode } = await auditDump({ story: 'clean, padded', family, rows })
    expect(
      [...byCode].flatMap(([, { findings }]) => findings.map(({ code, message }) => `${code} ${message}`)),
    ).toEqual([])
  })

  it('looks at every turn', async () => {
    const { byCode, views } = await auditDump({ story: 'clean', family, rows: searchRows({}, GROUP) })
    expect(byCode.get('M08')?.tally.placesChecked).toBe(6)
    expect(byCode.get('M10')?.tally.byBoundary).toEqual({
      'assistant>tool': { checked: 3, affected: 0 },
      'assistant>end': { checked: 3, affected: 0 },
    })
    expect(byCode.get('T05')?.tally.placesChecked).toBe(6)
    expect(byCode.get('T07')?.tally.checked).toBe(3)
    const view = views[0]!
    expect(view.facts).toMatchObject({ assistantTurns: 2, toolTurns: 1, endReason: 'stop', lost: 0, padding: 0 })
    expect(view.facts.trained).toBe(view.states.filter((state) => state === TokenState.trained).length)
  })
})
