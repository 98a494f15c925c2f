import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { conversation, type RecordOptions, type TurnLayout } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen, turnsOf } from './dumps.ts'

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

describe('tokens that the dump says were not sampled', () => {
  /** @param edit of the flags: which tokens were sampled, where those of the turn between the two answers are none of theirs */
  const flagged = async (
    edit: (sampled: number[], turns: readonly TurnLayout[]) => void,
    options: AuditOptions = {},
  ) => {
    const rollouts = Array.from({ length: 4 }, (_, seed) => {
      const [first, question, ask, reply, answer] = turnsOf(tokenizer, seed)
      const turns = [first!, question!, ask!, { ...reply!, role: 'observer' }, answer!]
      const editMask: RecordOptions['editMask'] = (mask, layout, sampled) => {
        const { contentStart, contentEnd } = layout[3]!
        mask.fill(1, contentStart, contentEnd)
        edit(sampled as number[], layout)
      }
      return conversation(tokenizer, turns, { id: `r${seed}`, sampled: true, editMask })
    })
    const report = (await audited(lines(rollouts), options)).report()
    const { verdict, because } = report.hypotheses.find(({ id }) => id === 'H02')!
    return [verdict, because.find(({ measure }) => measure.includes('the model did not write'))?.value]
  }

  it('count where they carry loss in a turn of nobody known, unless the run means to train what it observes', async () => {
    expect(await flagged(() => {})).toEqual(['supported', expect.closeTo(0.36, 1)])
    expect(await flagged(() => {}, { intend: ['M01'] })).toEqual(['contradicted', 0])
  })

  it('do not where they were sampled, or lost their number within an answer', async () => {
    const sampleTurn = (sampled: number[], turns: readonly TurnLayout[]) =>
      sampled.fill(1, turns[3]!.contentStart, turns[3]!.contentEnd)
    expect((await flagged(sampleTurn))[1]).toBe(0)
    const loseSome = (sampled: number[], turns: readonly TurnLayout[]) => {
      sampleTurn(sampled, turns)
      sampled.fill(0, turns[4]!.contentStart + 2, turns[4]!.contentStart + 5)
    }
    expect((await flagged(loseSome))[1]).toBe(0)
  })

  it('count where they open an answer, as a tag that the trainer puts there', async () => {
    const [verdict, share] = await flagged((sampled, turns) => {
      sampled.fill(1, turns[3]!.contentStart, turns[3]!.contentEnd)
      sampled.fill(0, turns[4]!.contentStart, turns[4]!.contentStart + 3)
    })
    expect([verdict, share]).toEqual(['supported', expect.closeTo(0.06, 1)])
  })
})
