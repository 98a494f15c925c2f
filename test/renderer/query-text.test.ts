import { describe, expect, it } from 'vitest'
import {
  asksForFlag,
  codesOf,
  queryOf,
  toggledCode,
  toggledFlag,
  withoutTerm,
} from '../../renderer/state/query-text.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'

describe('the query behind a number', () => {
  it.each([
    [{}, ''],
    [{ codes: ['M01', 'T05'] }, 'finding:M01,T05'],
    [{ where: { lengths: [{ of: 'sequence', atLeast: 4086 }] } }, 'tokens>=4086'],
    [{ where: { lengths: [{ of: 'prompt', atLeast: 7, below: 8 }] } }, 'prompt_tokens:7'],
    [
      {
        where: {
          lengths: [
            { of: 'tool-reply', atLeast: 0, below: 200 },
            { of: 'completion', atLeast: 9 },
          ],
        },
      },
      '(reply_tokens:0..199 or completion_tokens>=9)',
    ],
    [{ where: { lostText: true, documentsHidden: true }, flaggedOnly: true }, 'lost:any lost:documents flag'],
    [{ where: { left: [{ of: 'sequence', atMost: 10 }] } }, 'sequence_left<=10'],
    [
      {
        where: {
          left: [
            { of: 'prompt', atMost: 10 },
            { of: 'completion', atMost: 10 },
            { of: 'assistant-turn', atMost: 10 },
          ],
        },
        codes: ['C03'],
      },
      'finding:C03 (prompt_left<=10 or completion_left<=10 or turn_left<=10)',
    ],
    [{ where: { end: 'cut-prose', assistantTurns: 2 } }, 'end:cut-prose assistant_turns>=2'],
    [{ where: { end: 'stop' } }, 'end:stop -end:cut,prompt-only,unknown'],
    [{ query: ' group:q1 ', codes: ['M01'] }, 'group:q1 finding:M01'],
  ] as const)('%j is %s', (behind, query) => {
    expect(queryOf(behind as Parameters<typeof queryOf>[0])).toBe(query)
    expect(parseQuery(query).problems).toEqual([])
  })
})

describe('chips', () => {
  it('add codes to those that are asked for, and take them away', () => {
    let query = 'reward>0'
    for (const code of ['T05', 'M01', 'C03', 'T05']) query = toggledCode(query, code)
    expect(query).toBe('reward>0 finding:C03,M01')
    expect(codesOf(query)).toEqual(['C03', 'M01'])
    expect(toggledCode(toggledCode(query, 'C03'), 'M01')).toBe('reward>0')
  })

  it('leave alternatives together', () => {
    expect(toggledCode('reward>0 or step:3', 'M01')).toBe('(reward>0 or step:3) finding:M01')
    expect(toggledFlag('reward>0 or flag')).toBe('(reward>0 or flag) flag')
    expect(asksForFlag('reward>0 or flag')).toBe(false)
    expect(codesOf('finding:M01 or step:3')).toEqual([])
    expect(codesOf('-finding:M01')).toEqual([])
    expect(codesOf('finding:M*')).toEqual([])
  })

  it('ask for flagged ones and no longer', () => {
    expect(toggledFlag('')).toBe('flag')
    expect(toggledFlag('step:3 flag')).toBe('step:3')
    expect(toggledFlag('flag')).toBe('')
  })

  it('take the term of their columns away, and no other', () => {
    const query = 'reward>0 (step:3 or step:4) "a text" -flag'
    expect(withoutTerm(query, 9, 27)).toBe('reward>0 "a text" -flag')
    expect(withoutTerm(query, 0, 8)).toBe('(step:3 or step:4) "a text" -flag')
    expect(withoutTerm('flag', 0, 4)).toBe('')
  })
})
