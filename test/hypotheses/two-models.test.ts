import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { PairingFacts } from '../../shared/checks/texts/pairing.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { rows, second, verdict } from './beside.ts'
import { resultOf } from './input.ts'

describe('two runs of other models', () => {
  const systematic = resultOf('M01', { affected: 100, by_turn: { 1: 60, 2: 60 } })
  const of = (model: string | null, assistantTurns: number, count = 60) =>
    rows(count, () => ({ model, assistantTurns }))
  const judged = (here: string | null, there: string | null, more: Partial<SecondRun> = {}, count = 60) =>
    verdict('H07', of(here, 3), { ...second(of(there, 1, count), [resultOf('M01')]), ...more }, [systematic])

  it.each([
    ['the same', 'Qwen/Qwen2.5-7B', 'Qwen/Qwen2.5-7B', 'high'],
    ['one, spelt as a path', 'Qwen/Qwen2.5-7B', '/models/qwen2.5-7b/', 'high'],
    ['not told', null, 'Qwen/Qwen2.5-3B', 'high'],
    ['two', 'Qwen/Qwen2.5-7B', 'Qwen/Qwen2.5-3B', 'medium'],
  ] as const)('a verdict on both is less sure where the models are %s', (_, here, there, confidence) => {
    const result = judged(here, there)
    expect(result).toMatchObject({ verdict: 'supported', confidence })
    expect(result.missing).toEqual(
      confidence === 'high'
        ? []
        : ['a second run of the same model: the open run has Qwen/Qwen2.5-7B, the second Qwen/Qwen2.5-3B'],
    )
  })

  it('is no surer than the smaller run allows', () => {
    expect(judged('m', 'm', {}, 20).confidence).toBe('medium')
    expect(judged('m', 'm', {}, 4).confidence).toBe('low')
  })

  it('a fault of another family’s layout is none of the second turn: the open run is judged by itself', () => {
    expect(judged('m', 'm', { tokenizer: 'llama3' }).verdict).toBe('contradicted')
  })

  it('H08 takes tools for what they are, and lays no cut or default system text to the prompts', () => {
    const run = (model: string, more: Partial<TrajectoryFacts>, more2: Partial<PairingFacts> = {}) =>
      rows(60, (i) => ({
        model,
        pairing: { question: `q${i}`, system: 's', tools: 't', answer: null, ...more2 },
        systemHash: model,
        ...more,
      }))
    const beside = (there: readonly TrajectoryFacts[]) =>
      verdict('H08', run('a', { endReason: 'stop' }), { ...second(there), tokenizer: 'llama3' })
    const ended = beside(run('b', { endReason: 'cut-prose' }))
    expect(ended).toMatchObject({ verdict: 'inconclusive', confidence: 'medium' })
    expect(ended.missing).toContain('ids of the prompts in both runs, by one tokenizer')
    expect(beside(run('b', {}, { tools: 'other' }))).toMatchObject({ verdict: 'supported', confidence: 'medium' })
  })
})
