import { describe, expect, test } from 'vitest'
import { completeQuery, type DumpValues } from '../../shared/query/language/complete.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'

const VALUES: DumpValues = {
  codes: [
    { code: 'M01', title: 'Tool output is trained' },
    { code: 'M10', title: 'The end of a turn is not trained' },
    { code: 'T05', title: 'Assistant header missing' },
  ],
  missing: { mean_kl: 'no rollout of this dump tells its mean KL' },
  values: {
    finding: [{ value: 'M10', means: 'The end of a turn is not trained', count: 12 }],
    group: [
      { value: 'q1', means: null, count: 8 },
      { value: 'a (b)', means: null, count: 4 },
    ],
    end: [
      { value: 'length', means: null, count: 3 },
      { value: 'stop', means: null, count: 9 },
    ],
    reward: [{ value: 'format', means: null, count: 20 }],
  },
}

/** The caret stands at `|`. The query after the first completion, and the labels of all. */
function completed(marked: string) {
  const caret = marked.indexOf('¦')
  const text = marked.replace('¦', '')
  const { from, to, items } = completeQuery(text, caret, VALUES)
  return {
    labels: items.map(({ label }) => label),
    first: items[0] === undefined ? null : text.slice(0, from) + items[0].insert + text.slice(to),
    items,
  }
}

describe('completion', () => {
  test.each([
    ['¦', 'finding:'],
    ['rew¦', 'reward'],
    ['sev¦', 'severity:'],
    ['flag -exc¦', 'flag -excluded'],
    ['(rew¦', '(reward'],
    ['finding:¦', 'finding:M10'],
    ['finding: ¦', 'finding: M10'],
    ['finding:m¦', 'finding:M10'],
    ['finding:M10,t¦', 'finding:M10,T05'],
    ['finding:M01 ¦', 'finding:M01 finding:'],
    ['t05¦', 'finding:T05'],
    ['group:a¦', 'group:"a (b)"'],
    ['end:l¦', 'end:length'],
    ['end:cut-p¦ flag', 'end:cut-prose flag'],
    ['part:t¦', 'part:tool'],
    ['reward.f¦', 'reward.format'],
    ['trained_s¦hare<0.1', 'trained_share<0.1'],
    ['reward¦', 'reward>='],
    ['lost:d¦', 'lost:documents'],
    ['fla¦', 'flag'],
  ])('%s', (marked, first) => {
    expect(completed(marked).first).toBe(first)
  })

  test.each([['"fin¦'], ['"fin" "¦"'], ['/fin¦/'], ['nosuch:¦'], ['reward>0.¦']])('nothing in %s', (marked) => {
    expect(completed(marked).labels).toEqual([])
  })

  test('operators follow a number that has one begun', () => {
    expect(completed('reward>¦').labels).toEqual(['>='])
  })

  test('what the dump lacks comes last, and says so', () => {
    const { items } = completed('mean¦')
    expect(items.map(({ label }) => label)).toEqual(['mean_gap', 'mean_kl'])
    expect(items[1]?.means).toContain('no rollout of this dump')
  })

  test('values tell how many rollouts have them', () => {
    expect(
      completed('finding:¦')
        .items.slice(0, 2)
        .map(({ label, count }) => [label, count]),
    ).toEqual([
      ['M10', 12],
      ['M01', 0],
    ])
  })

  test('a completed value can be read', () => {
    for (const marked of [
      'group:¦',
      'end:¦',
      'finding:¦',
      'part:¦',
      'severity:¦',
      'lost:¦',
      'answer:¦',
      'has:¦',
      'state:¦',
    ]) {
      const { items } = completed(marked)
      expect(items.length).toBeGreaterThan(0)
      for (const { insert } of items) expect(parseQuery(marked.replace('¦', insert)).problems).toEqual([])
    }
  })
})
