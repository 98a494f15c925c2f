import { describe, expect, it } from 'vitest'
import { isToBeRevealed, type LookedFor, lookFor } from '../../renderer/lists/revealing.ts'

const list = (...positions: number[]) => Int32Array.from(positions)
const first = list(4, 2, 7)
const before: LookedFor = lookFor(null, { shown: 2, positions: first, question: 'by mean' })

const isRevealed = (from: LookedFor, shown: number | null, positions: Int32Array, question = 'by mean') =>
  isToBeRevealed(from, lookFor(from, { shown, positions, question }))

describe('the selected row of a list', () => {
  it('is not scrolled to where more was read, wherever it stands by now', () => {
    expect(isRevealed(before, 2, list(4, 2, 7, 9))).toBe(false)
    expect(isRevealed(before, 2, list(9, 8, 4, 7, 2))).toBe(false)
    expect(isRevealed(before, 2, list(4, 7))).toBe(false)
  })

  it('is scrolled to where another was selected that is in the list', () => {
    expect(isRevealed(before, 7, first)).toBe(true)
    expect(isRevealed(before, 4, first)).toBe(true)
    expect(isRevealed(before, 5, first)).toBe(false)
    expect(isRevealed(before, null, first)).toBe(false)
  })

  it('is scrolled to when it is read only after it was selected, and not where it left the list and came back', () => {
    const unread = lookFor(before, { shown: 9, positions: first, question: 'by mean' })
    expect(isRevealed(unread, 9, list(4, 2, 7, 9))).toBe(true)
    const gone = lookFor(before, { shown: 2, positions: list(4, 7), question: 'by mean' })
    expect(isRevealed(gone, 2, first)).toBe(false)
  })

  it('is scrolled to once another question is answered, not while the answer to the last one stands', () => {
    const asked = lookFor(before, { shown: 2, positions: first, question: 'by std' })
    expect(isToBeRevealed(before, asked)).toBe(false)
    expect(isRevealed(asked, 2, list(7, 4, 2), 'by std')).toBe(true)
    const answered = lookFor(asked, { shown: 2, positions: list(7, 4, 2), question: 'by std' })
    expect(isRevealed(answered, 2, list(2, 7, 4), 'by std')).toBe(false)
  })

  it('is not scrolled to where nobody chose it and another came first as more was read', () => {
    const unchosen = lookFor(null, { shown: 4, positions: first, question: 'by mean' })
    expect(isRevealed(unchosen, 9, list(9, 4, 2, 7))).toBe(false)
    expect(isRevealed(unchosen, 9, list(9, 4), 'by std')).toBe(true)
  })
})
