import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PARTS } from '../../shared/model/tokens.ts'
import type { RolloutAnatomy } from '../../shared/session/lab/anatomy.ts'
import {
  COMPLETION_LIMITS,
  type CutRules,
  costOf,
  cutRollout,
  PROMPT_CUTS,
  sizeOf,
  type TriedLimits,
  within,
} from '../../shared/session/lab/limits.ts'

const NO_LIMITS: TriedLimits = {
  max_prompt_length: null,
  max_completion_length: null,
  max_seq_len: null,
  max_tool_response_length: null,
}

const PLAIN: CutRules = { promptCut: 'left', completionPer: 'completion' }

/** What is between the prompt, the replies and the end the model wrote, a turn each. */
function anatomy(length: number, prompt: number | null, replies: readonly number[] = []): RolloutAnatomy {
  const ends = [...replies, length]
  const written = [prompt ?? length, ...replies].flatMap((start, i) =>
    i % 2 === 0 ? [start, ends[i] as number, i / 2] : [],
  )
  return {
    length,
    prompt,
    system: null,
    written: Int32Array.from(written),
    replies: Int32Array.from(replies),
    documents: new Int32Array(0),
    answer: null,
    answerLost: false,
    missing: null,
    trained: null,
    trainedByPart: PARTS.map(() => 0),
    trainedByTurn: [0],
    repair: null,
    unrepairable: 'no-mask',
  }
}

/** The same, token by token: what a trainer does with its lists. */
function keptTokens(
  { length, prompt, replies, written }: RolloutAnatomy,
  limits: TriedLimits,
  { promptCut, completionPer }: CutRules,
): number[] {
  let tokens = Array.from({ length }, (_, i) => i)
  const { max_tool_response_length: reply, max_prompt_length: most } = limits
  for (let i = 0; reply !== null && i < replies.length; i += 2) {
    const [start = 0, end = 0] = replies.subarray(i, i + 2)
    tokens = tokens.filter((token) => token < start + reply || token >= end || token < start)
  }
  if (most !== null && prompt !== null && prompt > most) {
    if (promptCut === 'drop') return []
    const own = Array.from({ length: prompt }, (_, i) => i)
    const half = Math.floor(most / 2)
    const stays = new Set(
      promptCut === 'left'
        ? own.slice(prompt - most)
        : promptCut === 'right'
          ? own.slice(0, most)
          : [...own.slice(0, half), ...own.slice(prompt - (most - half))],
    )
    tokens = tokens.filter((token) => token >= prompt || stays.has(token))
  }
  const { max_completion_length: completion } = limits
  if (completion !== null && completionPer === 'turn') {
    for (let i = 0; i < written.length; i += 3) {
      const [start = 0, end = 0] = written.subarray(i, i + 2)
      tokens = tokens.filter((token) => token < start + completion || token >= end)
    }
  } else if (limits.max_completion_length !== null && prompt !== null) {
    const before = tokens.filter((token) => token < prompt)
    tokens = [...before, ...tokens.slice(before.length, before.length + limits.max_completion_length)]
  }
  return limits.max_seq_len === null ? tokens : tokens.slice(0, limits.max_seq_len)
}

const tokensOf = (runs: readonly number[]) =>
  runs.flatMap((start, i) =>
    i % 2 === 1 ? [] : Array.from({ length: (runs[i + 1] as number) - start }, (_, k) => start + k),
  )

describe('limits that are tried', () => {
  const limit = fc.option(fc.integer({ min: 0, max: 60 }))
  const limits = fc.record({
    max_prompt_length: limit,
    max_completion_length: limit,
    max_seq_len: limit,
    max_tool_response_length: limit,
  })
  const rules = fc.record({
    promptCut: fc.constantFrom(...PROMPT_CUTS),
    completionPer: fc.constantFrom(...COMPLETION_LIMITS),
  })
  const rollouts = fc
    .uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 3, maxLength: 8 })
    .map((places) => [...places].sort((a, b) => a - b))
    .map(([prompt = 0, ...more]) => {
      const replies = more.slice(0, more.length - (more.length % 2))
      return anatomy((more.at(-1) ?? prompt) + 1, prompt, replies)
    })

  it('leave what a trainer that cuts its lists leaves', () => {
    fc.assert(
      fc.property(rollouts, limits, rules, (rollout, tried, how) => {
        const { kept, dropped, by } = cutRollout(rollout, tried, how)
        const expected = keptTokens(rollout, tried, how)
        expect(tokensOf(kept)).toEqual(expected)
        expect(sizeOf(kept)).toBe(expected.length)
        expect(by.length > 0).toBe(expected.length < rollout.length || dropped)
      }),
    )
  })

  it('count a part as cut by its first token that is missing', () => {
    const rollout = { ...anatomy(20, 8), system: [0, 5] as const, answer: [15, 20] as const }
    const cost = (change: Partial<TriedLimits>, promptCut: CutRules['promptCut'] = 'left') =>
      costOf([rollout], { ...NO_LIMITS, ...change }, { ...PLAIN, promptCut })
    expect(cost({ max_seq_len: 20 })).toMatchObject({ cut: 0, answers: { of: 1, cut: 0 } })
    expect(cost({ max_seq_len: 19 })).toMatchObject({ cut: 1, answers: { of: 1, cut: 1 }, system: { of: 1, cut: 0 } })
    expect(cost({ max_seq_len: 15 })).toMatchObject({ answers: { of: 1, cut: 0, unreached: 1 } })
    expect(cost({ max_prompt_length: 7 })).toMatchObject({ system: { of: 1, cut: 1 }, answers: { of: 1, cut: 0 } })
    expect(cost({ max_prompt_length: 7 }, 'right')).toMatchObject({ system: { of: 1, cut: 0 } })
    expect(cost({ max_prompt_length: 7 }, 'drop')).toMatchObject({ dropped: 1, tokens: { of: 20, lost: 20 } })
    expect(within([2, 6, 9, 12], 4, 10)).toBe(3)
  })
})
