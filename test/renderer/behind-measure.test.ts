import { beforeAll, describe, expect, it } from 'vitest'
import { queryOf } from '../../renderer/state/query-text.ts'
import { proofOf } from '../../renderer/views/verdicts/behind-measure.ts'
import type { Measure, MeasureSubject, Report } from '../../shared/model/report.ts'
import { sampleBytes } from '../samples/read-sample.ts'
import { enginePage } from '../session/engine-page.ts'

const SAMPLES = ['verifiers-2025-08', 'verifiers-2025-07', 'verifiers-2025-07-llama', 'clean-gsm8k'] as const

type Page = ReturnType<typeof enginePage>

/** How many rollouts or groups the screen lists for a measure; null where it opens nothing. */
async function listed(page: Page, measure: Measure, report: Report): Promise<number | null> {
  const proof = proofOf(measure, report)
  if (proof === null) return null
  if (proof.opens === 'comparison') throw new Error(`${measure.measure} needs a second run.`)
  if (proof.opens === 'groups') return (await page.ask('groups', proof.query)).positions.length
  return (await page.ask('search', { text: queryOf(proof.behind) })).indices.length
}

describe.each(SAMPLES)('what is behind the measures of %s', (sample) => {
  let page: Page
  let report: Report
  beforeAll(async () => {
    page = enginePage()
    await page.ask('open', {
      sources: [{ kind: 'bytes', name: `${sample}.jsonl.gz`, bytes: sampleBytes(sample) }],
      options: {},
    })
    await page.done()
    report = await page.ask('report', {})
  })

  it('is there for each that is not 0', async () => {
    const without: string[] = []
    for (const { because } of report.hypotheses)
      for (const measure of because) {
        const found = await listed(page, measure, report)
        if (found === 0 || (found === null && measure.value !== 0)) without.push(measure.measure)
      }
    expect(without).toEqual([])
    expect(report.totals.trajectories).toBeGreaterThan(30)
  })

  it('are as many rollouts as a check has affected in a turn', async () => {
    const differing: unknown[] = []
    let looked = 0
    for (const { code, by_turn } of report.checks)
      for (const [turn, affected] of Object.entries(by_turn)) {
        const { indices } = await page.ask('search', { text: `assistant_turn:${turn} finding:${code}` })
        looked++
        if (indices.length !== affected) differing.push([code, turn, affected, indices.length])
      }
    expect(differing).toEqual([])
    if (report.checks.some(({ affected }) => affected > 0)) expect(looked).toBeGreaterThan(0)
  })
})

it('is what a mean was taken over, and what correlates is in order, however it is worded', () => {
  const of = (rests_on: MeasureSubject | undefined, value: number, checks: string[] = []) =>
    proofOf({ measure: 'Länge im Mittel', value, threshold: null, comparison: '=', checks, rests_on }, null)
  expect(of('lengths', 819.3)).toMatchObject({ behind: { query: 'has:ids' }, sort: 'tokens' })
  expect(of('lengths-and-rewards', 0)).toMatchObject({
    behind: { query: 'has:ids has:reward' },
    sort: 'tokens',
    descending: true,
  })
  expect(of({ component: 'format' }, -0.4)).toMatchObject({ sort: 'reward.format' })
  expect(of('groups-without-contrast', 0.4, ['A01'])).toMatchObject({
    opens: 'groups',
    query: { kinds: ['dead', 'noise'] },
  })
  expect(of('groups-without-contrast', 0)).toBeNull()
  expect(of('both-runs', 0.5)).toMatchObject({ opens: 'comparison' })
  // What the run logged is behind no rollout.
  expect(of(undefined, 0.5)).toBeNull()
})
