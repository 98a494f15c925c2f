import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TokenState } from '../../shared/model/tokens.ts'
import { emptyTrajectory, type Trajectory } from '../../shared/model/trajectory.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, auditTrajectories } from './audit.ts'

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
    expect(byCode.get('M08')?.tally.byBoundary).toEqual({
      'user>assistant': { checked: 3, affected: 0 },
      'assistant>tool': { checked: 3, affected: 0 },
      'tool>assistant': { checked: 3, affected: 0 },
    })
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

it('an opening think tag that the template supplies, and that is masked everywhere, is no fault', async () => {
  const open = { prefill: '<think>\n' }
  const rows = searchRows({ call: { ...open, text: 'Hm.\n</think>\n\nSo.' }, answer: open }, { sampled: false })
  const { failing } = await auditDump({ story: 'Thinking-2507', family: 'qwen3', rows })
  expect(failing).toEqual([])
})

it('whatever the ids and the mask are, every check answers', async () => {
  for (const family of FAMILIES) {
    const tokenizer = await testTokenizer(family)
    const frame = tokenizer.frame!
    const control = [frame.turnStart, ...frame.turnEnds, ...frame.pad, ...frame.bos, ...frame.newlines.keys()]
    const words = [...tokenizer.encode('assistant user tool <think> </think> <information> {"name": "x"}'), -1, 999_999]
    const id = fc.oneof(fc.constantFrom(...control), fc.constantFrom(...words))
    const row = fc.array(fc.tuple(id, fc.constantFrom(0, 1, 255), fc.constantFrom(0, -0.5, Number.NaN)), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(row, fc.boolean(), (tokens, excluded) => {
        const trajectory: Trajectory = {
          ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'),
          ids: Int32Array.from(tokens, ([token]) => token),
          mask: Uint8Array.from(tokens, ([, mask]) => mask),
          attentionMask: Int32Array.from(tokens, ([, mask]) => mask % 2),
          logprobs: { sampler: Float32Array.from(tokens, ([, , score]) => score), trainer: null, reference: null },
          messages: [{ role: 'assistant', content: 'x' }],
          reward: 1,
          excluded,
        }
        for (const { findings, tally } of auditTrajectories([trajectory], tokenizer).byCode.values()) {
          for (const { tokens: span } of findings) {
            if (span !== null) expect(0 <= span[0] && span[0] <= span[1] && span[1] <= tokens.length).toBe(true)
          }
          expect(tally.placesAffected).toBeLessThanOrEqual(tally.placesChecked)
        }
      }),
      { numRuns: 300 },
    )
  }
})
