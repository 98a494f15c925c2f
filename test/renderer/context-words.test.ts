import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contextWords } from '../../renderer/text/context-words.ts'

describe('the words of what a check states', () => {
  it.each([
    [{ cut_replies: 1204 }, [{ name: 'cut replies', value: '1,204' }]],
    [
      { limits: { max_seq_len: { value: 1024, origin: 'metadata' }, max_turns: null } },
      [{ name: 'limits', value: 'max seq len 1,024 (metadata)' }],
    ],
    [
      {
        mean_reward_by_end: [
          { end: 'stop', rollouts: 66, mean: 0.68936 },
          { end: 'cut-prose', rollouts: 1, mean: 0.5 },
        ],
      },
      [{ name: 'mean reward by end', value: 'stop 0.6894 (66 rollouts), cut-prose 0.5 (1 rollout)' }],
    ],
    [
      { mean_reward: { all_visible: { rollouts: 75, mean: 0.69 }, some_hidden: { rollouts: 21, mean: -0.25 } } },
      [{ name: 'mean reward', value: 'all visible 0.69 (75 rollouts), some hidden −0.25 (21 rollouts)' }],
    ],
    [{ penalty: null, nothing: [], order: false }, [{ name: 'order', value: 'no' }]],
    [
      { each: Array.from({ length: 14 }, (_, k) => k) },
      [{ name: 'each', value: '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more' }],
    ],
  ])('%j', (context, lines) => {
    expect(contextWords(context)).toEqual(lines)
  })

  it('ends on anything that JSON can hold, without an object shown as one', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (context) => {
        for (const { value } of contextWords(context)) expect(value).not.toContain('[object')
      }),
    )
  })
})
