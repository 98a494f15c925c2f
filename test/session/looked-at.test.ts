import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { CheckResult } from '../../shared/model/report.ts'
import { bitOf, LookedAt, looksAt } from '../../shared/session/concluding/looked-at.ts'
import { assistant, conversation, SEARCH_TOOL } from '../helpers/conversation.ts'
import { audited, qwen, turnsOf } from './dumps.ts'

const codes = CHECKS.map(({ code }) => code)

function textOf(added: readonly string[]): string {
  const looked = new LookedAt()
  for (const code of added) looked.add(bitOf(code))
  return looked.text()
}

describe('the checks that looked at a rollout', () => {
  it('are told apart, all of them', () => {
    for (const code of codes) expect(codes.filter((each) => looksAt(textOf([code]), each))).toEqual([code])
    expect(codes.filter((each) => looksAt(textOf(codes), each))).toEqual(codes)
    expect(textOf([])).toBe('')
  })

  it('have one text, in whatever order they come', () => {
    expect(textOf([...codes].reverse())).toBe(textOf(codes))
    expect(textOf(['M10', 'A05'])).toBe('A05M10')
  })
})

describe('a header that is missing after replies from a step on', () => {
  /** Of four steps the last two; every other rollout has one turn, and shows nothing. */
  async function patternWhere(has: (step: number, of: number) => boolean) {
    const tokenizer = await qwen()
    const rows = Array.from({ length: 64 }, (_, at) => {
      const [step, isSingle] = [Math.floor(at / 16), at % 2 === 1]
      const answer = has(step, at % 16) ? { header: false } : {}
      const turns = turnsOf(tokenizer, at, { answer })
      const told = isSingle ? [...turns.slice(0, 2), assistant(`In the hills, ${at}.`)] : turns
      const { record } = conversation(tokenizer, told, { id: `rollout-${at}`, tools: [SEARCH_TOOL], messages: true })
      return { ...record, step }
    })
    const report = (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
    const { pattern, systematic_in } = report.checks.find(({ code }) => code === 'T05') as CheckResult
    return [pattern, systematic_in?.steps, report.hypotheses.find(({ id }) => id === 'H02')?.verdict]
  }

  it('is systematic there, whatever the rollouts of one turn are', async () => {
    expect(await patternWhere((step) => step > 1)).toEqual(['systematic', [2, 3], 'supported'])
  })

  it('is sporadic where some of the others have it', async () => {
    const [pattern, steps] = await patternWhere((step, of) => step > 1 && of > 3)
    expect([pattern, steps]).toEqual(['sporadic', undefined])
  })
})
