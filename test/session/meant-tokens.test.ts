import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { RecordOptions, TurnLayout } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

type Edit = (mask: number[], turns: readonly TurnLayout[]) => void

const judged = async (edit: Edit, options: AuditOptions = {}) => {
  const more: RecordOptions = { editMask: edit }
  const rollouts = [1, 2, 3, 4].map((seed) => cleanRollout(tokenizer, seed, { ...more, id: `r${seed}` }))
  const report = (await audited(lines(rollouts), options)).report()
  const { verdict, because } = report.hypotheses.find(({ id }) => id === 'H02')!
  const share = (words: string) => because.find(({ measure }) => measure.includes(words))?.value
  return {
    verdict,
    unwritten: share('the model did not write'),
    missed: share('carry no loss'),
    suggested: report.policy.suggested,
  }
}

const assistants = (turns: readonly TurnLayout[]) => turns.filter(({ role }) => role === 'assistant')
const trainNewlines: Edit = (mask, turns) => {
  for (const { end } of assistants(turns)) mask[end - 1] = 1
}
const trainHeaders: Edit = (mask, turns) => {
  for (const { start, contentStart } of assistants(turns)) mask.fill(1, start, contentStart)
}
const trainReplies: Edit = (mask, turns) => {
  for (const { start, end } of turns.filter(({ role }) => role === 'tool')) mask.fill(1, start, end)
}
const maskEnds: Edit = (mask, turns) => {
  for (const { end } of assistants(turns)) mask[end - 2] = 0
}
const CLEAN = { verdict: 'contradicted', unwritten: 0, missed: 0, suggested: null }

describe('what the run means to train', () => {
  it.each<[string, string, Edit]>([
    ['newlines behind end tokens', 'M11', trainNewlines],
    ['headers', 'M08', trainHeaders],
    ['replies with their frames', 'M01', trainReplies],
  ])('%s: no part of the loss on what the model did not write', async (_, code, edit) => {
    const fault = await judged(edit)
    expect(fault.verdict).not.toBe('contradicted')
    expect(fault.unwritten).toBeGreaterThan(0.005)
    expect(await judged(edit, { intend: [code] })).toEqual(CLEAN)
  })

  it('nor are end tokens missed that the run means to leave out', async () => {
    expect((await judged(maskEnds)).missed).toBeGreaterThan(0.01)
    expect(await judged(maskEnds, { intend: ['M10'] })).toEqual(CLEAN)
  })

  it('but what another code says of the same rows is', async () => {
    const both: Edit = (mask, turns) => {
      trainNewlines(mask, turns)
      trainHeaders(mask, turns)
    }
    const one = await judged(both, { intend: ['M11'] })
    expect(one.unwritten).toBeGreaterThan(0.005)
    expect(one.unwritten).toBeLessThan((await judged(both)).unwritten as number)
    expect(await judged(both, { intend: ['M08', 'M11'] })).toEqual(CLEAN)
  })

  it('and a prompt that is trained is no observation', async () => {
    const trainQuestions: Edit = (mask, turns) => {
      for (const { start, end } of turns.filter(({ role }) => role === 'user')) mask.fill(1, start, end)
    }
    expect((await judged(trainQuestions, { intend: ['M01'] })).verdict).toBe('supported')
  })

  it('is not asked for again', async () => {
    expect((await judged(trainNewlines)).suggested).toBe('sft')
    const lastTurn: Edit = (mask, turns) => mask.fill(0, 0, assistants(turns).at(-1)!.start)
    expect((await judged(lastTurn)).suggested).toBe('last-turn')
    expect((await judged(lastTurn, { intend: ['M11'] })).suggested).toBe('last-turn')
    expect((await judged(lastTurn, { intend: ['M03'] })).suggested).toBe(null)
  })
})
