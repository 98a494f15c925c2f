import { describe, expect, it } from 'vitest'
import { filterWords } from '../../renderer/text/filter-words.ts'
import type { Report, RolloutFilter } from '../../shared/model/report.ts'

const NO_LIMITS: Report['limits'] = {
  max_prompt_length: null,
  max_completion_length: null,
  max_seq_len: null,
  max_turns: null,
  max_tool_response_length: null,
}
const LIMITS: Report['limits'] = {
  ...NO_LIMITS,
  max_seq_len: { value: 4096, origin: 'given' },
  max_completion_length: { value: 512, origin: 'inferred' },
}
const NEAR: RolloutFilter = {
  lengths: [
    { of: 'sequence', atLeast: 4086 },
    { of: 'assistant-turn', atLeast: 502 },
  ],
}

describe('the words of a filter', () => {
  it('name the limits where lengths begin equally far below them', () => {
    expect(filterWords(NEAR, LIMITS)).toBe('within 10 tokens of a limit')
    const below = (tokens: number) => filterWords({ lengths: [{ of: 'sequence', atLeast: 4096 - tokens }] }, LIMITS)
    expect(below(100)).toBe('within 100 tokens of a limit')
    expect(below(0)).toBe('at a limit or beyond')
  })

  it('name the lengths where the limits are other ones, or not known', () => {
    const words = 'whole rollout of 4,086 tokens or more or an assistant turn of 502 tokens or more'
    expect(filterWords(NEAR, null)).toBe(words)
    expect(filterWords(NEAR, { ...LIMITS, max_completion_length: { value: 1024, origin: 'given' } })).toBe(words)
  })

  it('give a bin by its first and last length', () => {
    const bin = (atLeast: number, below: number) => filterWords({ lengths: [{ of: 'prompt', atLeast, below }] }, LIMITS)
    expect(bin(1000, 1200)).toBe('prompt of 1,000–1,199 tokens')
    expect(bin(7, 8)).toBe('prompt of 7 tokens')
    // A bin that begins 10 tokens below a limit is still a bin.
    expect(filterWords({ lengths: [{ of: 'sequence', atLeast: 4086, below: 4100 }] }, LIMITS)).toBe(
      'whole rollout of 4,086–4,099 tokens',
    )
  })

  it('say how near to limits of their own', () => {
    const near = (atMost: number) =>
      filterWords(
        {
          left: [
            { of: 'prompt', atMost },
            { of: 'sequence', atMost },
          ],
        },
        NO_LIMITS,
      )
    expect(near(10)).toBe('within 10 tokens of a limit')
    expect(near(0)).toBe('at a limit or beyond')
  })

  it('say how rollouts end, and how many turns they have', () => {
    expect(filterWords({ end: 'stop', assistantTurns: 2 }, null)).toBe('a proper end and 2 assistant turns or more')
  })

  it('say what was lost', () => {
    expect(filterWords({ lostText: true, documentsHidden: true }, null)).toBe(
      'lost text and supporting documents hidden',
    )
  })
})
