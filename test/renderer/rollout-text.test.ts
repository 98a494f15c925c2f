import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jumpAgain, jumpTo, useSelection } from '../../renderer/state/selection.ts'
import { findInText, MOST_MARKED } from '../../renderer/views/rollout/find-in-text.ts'
import { foldsOf, isInPadding, longPadding, tagCounts } from '../../renderer/views/rollout/folds.ts'
import { revealedIn, revealPadding, togglePadding, useRevealed } from '../../renderer/views/rollout/revealed-padding.ts'
import { rolloutPlace } from '../../renderer/views/rollout/rollout-place.ts'
import { innermostTags, tagOfLine } from '../../renderer/views/rollout/tag-bars.ts'
import { isTaggedBlock, textBlocks, textParts } from '../../renderer/views/rollout/tagged-text.ts'
import { tokenTitle } from '../../renderer/views/rollout/token-title.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import { roleText } from '../../shared/model/turn-words.ts'
import type { TagName } from '../../shared/session/rollout/tags.ts'

describe('a token and its turn in words', () => {
  it('is titled with its text, its place and its id, hidden characters spelt', () => {
    const detail = {
      ids: Int32Array.of(7, 1234),
      text: 'headquarters\u200b',
      textOffsets: Uint32Array.of(0, 0, 13),
      flags: Uint8Array.of(0, 0),
    }
    expect(tokenTitle(detail, 1)).toBe('headquarters⟨ZWSP⟩\ntoken 1 · id 1234')
    expect(tokenTitle({ ...detail, ids: null }, 1)).toBe('headquarters⟨ZWSP⟩\ntoken 1')
  })

  it('says where the beginning of a turn, and its role with it, is cut', () => {
    expect(roleText({ role: '', header: 'cut' })).toBe('beginning cut')
    expect(roleText({ role: '', header: 'present' })).toBe('no role')
    expect(roleText({ role: 'user', header: 'cut' })).toBe('user')
  })
})

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

  const states = new Uint8Array(10)
  const foldedAre = (...folded: TagName[]) => foldsOf({ tags, states }, { folded, isPaddingOpen: false })

  it('fold by name, one inside another with it, and a single token never', () => {
    expect(foldedAre('think', 'cite')).toEqual([{ name: 'think', start: 1, end: 6 }])
    expect(foldedAre('cite')).toEqual([{ name: 'cite', start: 3, end: 5 }])
    expect(foldedAre()).toEqual([])
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

describe('padding', () => {
  const { masked, trained, padding } = TokenState
  const run = (state: number, length: number) => Array<number>(length).fill(state)
  const tags = [{ name: 'think', start: 20, end: 24, closed: true }] as const
  /** 20 of padding, 6 of text, 4 of padding, 1 trained, 30 of padding. */
  const states = Uint8Array.from([
    ...run(padding, 20),
    ...run(masked, 6),
    ...run(padding, 4),
    trained,
    ...run(padding, 30),
  ])
  const left = { name: 'padding', start: 0, end: 20 }
  const right = { name: 'padding', start: 31, end: 61 }

  it('is folded on either side where it is long, in order with what tags fold, until somebody opens it', () => {
    expect(foldsOf({ tags, states }, { folded: [], isPaddingOpen: false })).toEqual([left, right])
    const think = { name: 'think', start: 20, end: 24 }
    expect(foldsOf({ tags, states }, { folded: ['think'], isPaddingOpen: false })).toEqual([left, think, right])
    expect(foldsOf({ tags, states }, { folded: ['think'], isPaddingOpen: true })).toEqual([think])
    expect(foldsOf({ tags, states }, { folded: [], isPaddingOpen: false }, [40, 41])).toEqual([left])
    expect(longPadding({ states: states.subarray(0, 15) })).toEqual([])
  })

  it('that carries loss is never hidden', () => {
    const faulty = states.slice()
    faulty.fill(trained, 5, 15)
    expect(longPadding({ states: faulty })).toEqual([right])
  })

  it('hides a span that lies in one run, and none that reaches out of it', () => {
    expect(
      [
        [0, 20],
        [31, 32],
        [60, 61],
      ].every(([a, b]) => isInPadding({ states }, [a as number, b as number])),
    ).toBe(true)
    expect(
      [
        [0, 21],
        [26, 30],
        [30, 32],
      ].some(([a, b]) => isInPadding({ states }, [a as number, b as number])),
    ).toBe(false)
  })
})

describe('padding around what a jump marked', () => {
  const facts = { recordHash: 'a' }
  const states = new Uint8Array(40).fill(TokenState.padding)
  const detail = { run: 'open', index: 3, facts, states } as const
  const shown = (index: number = detail.index) => revealedIn(useRevealed.getState(), { ...detail, index })
  const marked = () => useSelection.getState().range

  it('is shown in its rollout alone until a person folds it, and by the next jump again', () => {
    jumpTo(5, [5, 9])
    revealPadding(detail, marked())
    expect(shown()).toEqual([5, 9])
    expect(shown(4)).toBeNull()
    const elsewhere = { ...detail, facts: { recordHash: 'b' } }
    expect(revealedIn(useRevealed.getState(), elsewhere)).toBeNull()
    expect(rolloutPlace().isPaddingOpen).toBe(false)
    togglePadding(detail)
    // As when the tokens are drawn again, and when the rollout is come back to.
    revealPadding(detail, marked())
    jumpAgain(40)
    revealPadding(detail, marked())
    expect(shown()).toBeNull()
    jumpTo(5, marked())
    revealPadding(detail, marked())
    expect(shown()).toEqual([5, 9])
  })

  it('is folded and shown by the same key', () => {
    jumpTo(5, [5, 9])
    revealPadding(detail, marked())
    const seen = [1, 2, 3].map(() => {
      togglePadding(detail)
      return [rolloutPlace().isPaddingOpen, shown()]
    })
    expect(seen).toEqual([
      [false, null],
      [true, null],
      [false, null],
    ])
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
