import { describe, expect, it } from 'vitest'
import { unansweredEnd } from '../../shared/checks/oracles/unanswered-end.ts'
import type { LimitName } from '../../shared/model/streams.ts'
import type { Message } from '../../shared/model/trajectory.ts'

const question: Message = { role: 'user', content: 'Where does the Rhine rise?' }
const answer: Message = { role: 'assistant', content: 'In the Alps.' }
const call: Message = { role: 'assistant', content: '', toolCalls: [{ id: null, name: 'search', arguments: '{}' }] }
const reply: Message = { role: 'tool', content: 'It rises in the Alps.' }

const ended = (
  messages: readonly Message[],
  finishReason: string | null,
  limits: Partial<Record<LimitName, number>> | null = null,
) => unansweredEnd({ messages, finishReason, limits } as Parameters<typeof unansweredEnd>[0], null)

describe('what ends a rollout behind a reply or a call', () => {
  it.each([
    'max_turns',
    'max_turns_reached',
    'maximum_turns',
    'MAX_STEPS',
    'turn_limit_reached',
  ])('is a limit of turns by %s', (reason) => {
    expect(ended([question, call, reply], reason)).toBe('turn-limit')
    expect(ended([question, call], reason)).toBe('turn-limit')
  })

  it('is one where the record has as many turns as it allows', () => {
    expect(ended([question, call, reply], 'stop', { max_turns: 1 })).toBe('turn-limit')
    expect(ended([question, call, reply], 'stop', { max_turns: 2 })).toBe('untold')
  })

  it.each([null, 'stop', 'tool_calls', 'max_tokens', 'no_tools_called'])('is not told by %s', (reason) => {
    expect(ended([question, call, reply], reason)).toBe('untold')
  })

  it('is nothing where the model answered in the last turn that it had, or never spoke', () => {
    expect(ended([question, call, reply, answer], 'max_turns', { max_turns: 2 })).toBeNull()
    expect(ended([question, answer], 'max_turns_reached')).toBeNull()
    expect(ended([question], 'max_turns')).toBeNull()
    expect(ended([], 'max_turns')).toBeNull()
  })
})
