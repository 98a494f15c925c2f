import { describe, expect, it } from 'vitest'
import { areSameOpenings, openingOf } from '../../shared/checks/texts/prompt-opening.ts'

describe('how a prompt begins the model’s turn', () => {
  it.each([
    ['', 'The answer is 4.', 'plain words:the'],
    ['', '{', 'plain plain'],
    ['\n', '<think>\nLet me see.', 'plain think'],
    ['', '<think>\n\n</think>\n\n4', 'plain no-think'],
    ['<think>\n', 'Let me see.', 'think'],
    ['<think>\n\n</think>\n\n', '4', 'no-think'],
    ['<think>', '\n</think>', 'think'],
    ['Let me solve this step by step.\n<think>', ' First', 'words:let'],
    ['Sure', ', it is 4', 'words:sure'],
    ['```python\n', 'print(4)', 'words:python'],
  ])('of %j before %j is %s', (prefill, written, expected) => {
    expect(openingOf(prefill, written)).toBe(expected)
  })

  it('is not told of words behind a block of thoughts, which may be the model’s, nor where there are none', () => {
    expect(openingOf('{', '"a": 4}')).toBeNull()
    expect(openingOf('<think>\nLet me', ' see.')).toBeNull()
    expect(openingOf('<think>\n\n</think>\n\nThe', ' answer')).toBeNull()
  })

  it.each([
    ['plain think', 'no-think', false],
    ['plain plain', 'no-think', false],
    ['plain plain', 'think', false],
    ['think', 'no-think', false],
    ['plain think', 'plain plain', true],
    ['plain think', 'think', true],
    ['plain no-think', 'no-think', true],
    ['no-think', 'no-think', true],
    ['words:let', 'words:sure', false],
    ['words:let', 'think', false],
    ['words:let', 'plain words:the', false],
    ['words:let', 'plain words:let', true],
    ['plain words:let', 'plain words:the', true],
    ['plain words:the|no-newline', 'plain words:the', false],
    ['plain words:the|no-newline', 'plain words:a|no-newline', true],
    ['think|no-newline', 'plain think|no-newline', true],
    // The ids of the prompts are compared to their ends.
    ['whole', 'no-think', true],
    ['whole', 'plain words:the|no-newline', true],
  ])('%j and %j put the same before the model: %s', (a, b, same) => {
    expect([areSameOpenings(a, b), areSameOpenings(b, a)]).toEqual([same, same])
  })
})
