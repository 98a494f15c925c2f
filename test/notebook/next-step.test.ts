import { expect, test } from 'vitest'
import type { HypothesisId, HypothesisResult } from '../../shared/model/report.ts'
import { addHypothesis, editHypothesis } from '../../shared/notebook/edit.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { nextSteps } from '../../shared/notebook/next-step.ts'
import { resultOf } from '../hypotheses/input.ts'
import { minute } from './edits.ts'

function report(verdicts: Partial<Record<HypothesisId, HypothesisResult['verdict']>>) {
  const hypotheses = Object.entries(verdicts).map(([id, verdict]) => ({
    id: id as HypothesisId,
    title: '',
    verdict,
    confidence: 'high' as const,
    because: [],
    missing: [],
    would_change: [],
  }))
  return { hypotheses, checks: [resultOf('T05', { affected: 12 }), resultOf('M01'), resultOf('M02')] }
}

test('without a dump the phases come in their order, the higher priority first, what is decided not at all', () => {
  const notebook = editHypothesis(newNotebook(), 'H06-library', { status: 'invalidated' }, { at: minute(0) })
  const steps = nextSteps(notebook, null)
  expect(steps.map(({ hypothesis }) => hypothesis.id)).not.toContain('H06-library')
  expect(steps.map(({ hypothesis }) => hypothesis.phase)).toEqual(
    steps.map(({ hypothesis }) => hypothesis.phase).toSorted(),
  )
  expect(new Set(steps.map(({ by }) => by))).toEqual(new Set(['run']))
})

test('what the open dump decides comes before all that costs a run', () => {
  const verdicts = { H04: 'contradicted', H07: 'supported', H02: 'not-checkable', H05: 'inconclusive' } as const
  const steps = nextSteps(newNotebook(), report(verdicts))
  expect(steps[0]).toMatchObject({ by: 'decided', hypothesis: { id: 'H07' }, result: { verdict: 'supported' } })
  expect(steps[1]).toMatchObject({ by: 'decided', hypothesis: { id: 'H04' }, result: { verdict: 'contradicted' } })
  const by = Object.fromEntries(steps.map((step) => [step.hypothesis.id, step.by]))
  expect(by).toMatchObject({ H04: 'decided', H02: 'dump-more', H05: 'undecided', H01: 'run' })
})

test('a verdict changes no status, and one for a decided hypothesis proposes nothing', () => {
  const notebook = editHypothesis(newNotebook(), 'H02', { status: 'invalidated' }, { at: minute(0) })
  const before = JSON.stringify(notebook)
  const steps = nextSteps(notebook, report({ H02: 'supported' }))
  expect(steps.some(({ hypothesis }) => hypothesis.id === 'H02')).toBe(false)
  expect(JSON.stringify(notebook)).toBe(before)
})

test('what is to be tested after another waits for as long as that is open', () => {
  const fresh = newNotebook()
  const [first] = nextSteps(fresh, null)
  expect(first).toMatchObject({ hypothesis: { id: 'H06-library' }, after: [] })
  const of = (notebook: typeof fresh, id: string) =>
    nextSteps(notebook, null).find(({ hypothesis }) => hypothesis.id === id)?.after
  expect(of(fresh, 'H04')).toEqual(['H01', 'H02'])
  expect(of(fresh, 'H01')).toEqual(['H06-library', 'H06-lora'])
  const decided = editHypothesis(fresh, 'H01', { status: 'invalidated' }, { at: minute(0) })
  expect(of(decided, 'H04')).toEqual(['H02'])
})

test('of a hypothesis of one’s own the checks are looked up that its texts name', () => {
  const added = addHypothesis(newNotebook(), 'The header goes missing', { at: minute(0) })
  const told = editHypothesis(
    added.notebook,
    added.id,
    {
      description: 'T05 in every later turn; X99 is no check, and AT05 no code.',
      validation: [{ id: 'm1', title: 'Mask', how: 'Look at M01.', success: '' }],
    },
    { at: minute(1) },
  )
  const named = (dump: ReturnType<typeof report> | null) =>
    nextSteps(told, dump)
      .find(({ hypothesis }) => hypothesis.id === added.id)
      ?.named.map(({ code }) => code)
  expect(named(report({}))).toEqual(['T05', 'M01'])
  expect(named(null)).toEqual([])
})
