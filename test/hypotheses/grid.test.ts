import { describe, expect, it } from 'vitest'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { Measure } from '../../shared/model/report.ts'
import { BY_FACTS_ALONE, CELLS } from './grid/cells.ts'
import { judged } from './grid/runs.ts'

const VERDICTS = ['supported', 'contradicted', 'inconclusive', 'not-checkable'] as const

describe('every verdict of every hypothesis is reached', () => {
  it.each(HYPOTHESES.map(({ id }) => id))('%s', (id) => {
    const reached = (verdict: string) =>
      BY_FACTS_ALONE.includes(`${id} ${verdict}`) || CELLS.some((cell) => cell.id === id && cell.verdict === verdict)
    expect(VERDICTS.filter((verdict) => !reached(verdict))).toEqual([])
  })
})

describe.each(CELLS)('$id is $verdict: $title', ({
  id,
  verdict,
  run,
  against = null,
  says,
  lacks,
  changes,
  recorded,
}) => {
  it(`${run.family}, ${run.format}${against === null ? '' : ` against ${against.family}, ${against.format}`}`, async () => {
    const { report, dump } = await judged(run, against)
    const result = report.hypotheses.find((each) => each.id === id)!
    expect([result.verdict, result.because.map(line)]).toEqual([verdict, expect.anything()])
    for (const [measure, value] of says?.(dump) ?? []) {
      const own = result.because.find((each) => measure.test(each.measure))
      expect(own, `${measure} among\n${result.because.map(line).join('\n')}`).toBeDefined()
      if (typeof value === 'number')
        expect([own?.measure, own?.value]).toEqual([own?.measure, expect.closeTo(value, 5)])
      else if (typeof value === 'string') expect(own?.value).toBe(value)
      else expect(own?.value).toMatch(value)
    }
    if (lacks !== undefined) {
      expect(result.missing).toEqual(
        lacks.map((lack) => (typeof lack === 'string' ? lack : expect.stringMatching(lack))),
      )
    }
    if (changes !== undefined) expect(result.would_change.join('\n')).toMatch(new RegExp(changes, 'm'))
    if (recorded) expect((result.recorded_by ?? []).join('\n')).toMatch(new RegExp(recorded, 'm'))
    // A verdict is one way, and everything it states holds.
    for (const each of result.because) expect(holds(each), line(each)).toBe(true)
    const speaks = { supported: 'for', contradicted: 'against' }[verdict as string]
    if (speaks !== undefined) expect(result.because[0]?.speaks).toBe(speaks)
    expect(result.would_change.length).toBeGreaterThan(0)

    const options = { ...run.options, hypotheses: [id] }
    const alone = (await judged({ ...run, options }, against)).report
    expect(alone.hypotheses, 'judged alone').toEqual([result])
    if (run.options?.checks === undefined) expect(alone.checks.length).toBeLessThan(report.checks.length)
  })
})

function line({ measure, value, comparison, threshold, speaks }: Measure): string {
  return `${speaks ?? '-'} ${measure}: ${value}${threshold === null ? '' : ` (${comparison} ${threshold})`}`
}

function holds({ value, comparison, threshold }: Measure): boolean {
  if (threshold === null) return true
  const [a, b] = [value, threshold] as [number, number]
  return { '>': a > b, '>=': a >= b, '<': a < b, '<=': a <= b, '=': a === b }[comparison]
}
