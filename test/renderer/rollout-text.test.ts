import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findInText, MOST_MARKED } from '../../renderer/views/rollout/find-in-text.ts'
import { foldsOf, tagCounts } from '../../renderer/views/rollout/folds.ts'
import { innermostTags, tagOfLine } from '../../renderer/views/rollout/tag-bars.ts'
import { isTaggedBlock, textBlocks, textParts } from '../../renderer/views/rollout/tagged-text.ts'

describe('a text with tags', () => {
  it('is split at its outermost tags, and an open one reaches to the end', () => {
    expect(textParts('a <think>b <cite>c</cite></think> d <answer>e')).toEqual([
      { tag: null, text: 'a ' },
      { tag: 'think', text: '<think>b <cite>c</cite></think>' },
      { tag: null, text: ' d ' },
      { tag: 'answer', text: '<answer>e' },
    ])
    const told = 'Think inside <think> tags, answer in <answer>x</answer>.'
    expect(textParts(told, false)).toEqual([
      { tag: null, text: 'Think inside <think> tags, answer in ' },
      { tag: 'answer', text: '<answer>x</answer>' },
      { tag: null, text: '.' },
    ])
    expect(textParts('a < think> b </think>')).toEqual([{ tag: null, text: 'a < think> b </think>' }])
  })

  it('keeps short tags within their line, and gives long ones a block', () => {
    const blocks = textBlocks('<think>\na\n</think>\nIt was <answer>Teal</answer>, <cite>1</cite>.')
    expect(blocks.map((block) => block.map(({ tag }) => tag))).toEqual([
      ['think'],
      [null, 'answer', null, 'cite', null],
    ])
    expect(blocks.map(isTaggedBlock)).toEqual([true, false])
    expect(textBlocks('<answer>Teal</answer>').map(isTaggedBlock)).toEqual([false])
  })

  it('loses and repeats nothing', () => {
    const piece = fc.constantFrom('<think>', '</think>', '<cite x="1">', '</cite>', 'text', '<', '\n', '<answer>')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        expect(
          textParts(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
        expect(
          textBlocks(text)
            .flat()
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})

describe('tags of tokens', () => {
  const tags = [
    { name: 'think', start: 1, end: 6, closed: true },
    { name: 'cite', start: 3, end: 5, closed: true },
    { name: 'think', start: 8, end: 9, closed: false },
  ] as const

  it('fold by name, one inside another with it, and a single token never', () => {
    expect(foldsOf({ tags }, ['think', 'cite'])).toEqual([{ name: 'think', start: 1, end: 6 }])
    expect(foldsOf({ tags }, ['cite'])).toEqual([{ name: 'cite', start: 3, end: 5 }])
    expect(foldsOf({ tags }, [])).toEqual([])
    expect(tagCounts({ tags })).toEqual([
      { name: 'think', count: 2 },
      { name: 'cite', count: 1 },
    ])
  })

  it('mark a line by the innermost tag of its first tagged token', () => {
    const innermost = innermostTags({ tags, states: new Uint8Array(10) })
    expect([...innermost]).toEqual([-1, 0, 0, 1, 1, 0, -1, -1, 2, -1])
    expect(tagOfLine({ tags }, innermost, 0, 3)).toBe('think')
    expect(tagOfLine({ tags }, innermost, 3, 6)).toBe('cite')
    expect(tagOfLine({ tags }, innermost, 6, 8)).toBeNull()
  })
})

describe('a search in a record', () => {
  it('finds every place, whatever the case, and none for nothing', () => {
    expect(findInText('Teal, teal and TEAL', 'teal')).toEqual({ starts: [0, 6, 15], total: 3 })
    expect(findInText('aaaa', 'aa')).toEqual({ starts: [0, 2], total: 2 })
    expect(findInText('abc', '')).toEqual({ starts: [], total: 0 })
  })

  it('marks where the text is, also beside letters whose lower case is longer', () => {
    const text = 'İİ find me'
    const { starts } = findInText(text, 'find')
    expect(text.slice(starts[0], (starts[0] as number) + 4)).toBe('find')
  })

  it('counts more than it marks', () => {
    const { starts, total } = findInText('x'.repeat(MOST_MARKED + 5), 'x')
    expect([starts.length, total]).toEqual([MOST_MARKED, MOST_MARKED + 5])
  })
})
