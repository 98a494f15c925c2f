import { describe, expect, it } from 'vitest'
import { findCut, findMarker } from '../../shared/checks/truncation/cut-text.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'

const WHOLE = `The film was shot in the old port. ${'Boats came and went all day. '.repeat(8)}It opened in the spring of 1961.`

describe('findMarker', () => {
  it.each([
    'the start...(truncated)',
    '(truncated)...the end',
    'the start...(truncated)...the end',
    'the start ...(truncated)... the end',
    'the start\n<response clipped>',
    'the start [Observation truncated due to length]',
    'the start [... 300 characters truncated ...]',
    '[... 312 characters omitted] the end',
    'the start [1,204 tokens elided] the end',
    'the start [cut,12 lines omitted] the end',
    'the start [... omitted 12 of 40 lines ...] the end',
    'the start of it [truncated]\nanother document',
    'the start of it\n[truncated]\nthe end',
    'the start of i[truncated]d the end',
    'the start ... [truncated] ... the end',
    'the start of it <response clipped><NOTE>Only a part is shown.</NOTE>',
    'what prints "[truncated]" is cut [output truncated]',
  ])('%j', (text) => {
    expect(findMarker(text)).not.toBeNull()
  })

  it.each([
    'a truncated cone',
    'Was it truncated...?',
    'truncated (see below)',
    '[1] A truncation error',
    'it is clipped',
    'the phrase <response clipped> is one of the manual',
    'it writes [truncated], and goes on',
    'it writes "[output truncated]".',
    'one of the two marks (`<response clipped>`) is gone',
    'the court held [citation omitted] that',
    'two lines removed [3 April 1961]',
    'the dose [of 20 mg] was omitted',
  ])('not in %j', (text) => {
    expect(findMarker(text)).toBeNull()
  })

  it('takes a long run of digits for no count, wherever in it one may begin: every one of them was gone over', () => {
    expect(findMarker(`[${'1'.repeat(16)} characters omitted]`)).not.toBeNull()
    expect(findMarker(`[${'1'.repeat(30)} characters omitted]`)).toBeNull()
    expect(findMarker(`[${'1,'.repeat(15)}1 characters omitted]`)).toBeNull()
  })

  it('counts the characters on both sides', () => {
    expect(findMarker('abc...(truncated)...de')).toEqual({ text: '...(truncated)...', before: 3, after: 2 })
  })
})

describe('findCut', () => {
  it.each([
    ['right', WHOLE.slice(0, 100)],
    ['left', WHOLE.slice(-100)],
    ['middle', WHOLE.slice(0, 60) + WHOLE.slice(-60)],
    ['right', `${WHOLE.slice(0, 100)}...(truncated)`],
    ['left', `(truncated)...${WHOLE.slice(-100)}`],
    ['middle', `${WHOLE.slice(0, 64)}...(truncated)...${WHOLE.slice(-64)}`],
  ])('%s', (side, visible) => {
    const cut = findCut(visible, WHOLE, DEFAULT_THRESHOLDS)
    expect(cut?.side).toBe(side)
    expect(cut?.lost).toContain('Boats came and went')
  })

  it('is none where the text was written down as it was cut', () => {
    const cut = `${WHOLE.slice(0, 64)}[... 312 characters omitted]${WHOLE.slice(-64)}`
    expect(findCut(cut, cut, DEFAULT_THRESHOLDS)).toBeNull()
    expect(findCut(cut, WHOLE, DEFAULT_THRESHOLDS)).toMatchObject({ side: 'middle' })
  })

  it('is none where only the rendering differs, where almost nothing is missing, and where the text is another', () => {
    expect(findCut(WHOLE.replaceAll(' ', '\n').replaceAll('.', ''), WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
    expect(findCut(WHOLE.slice(0, -10), WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
    expect(
      findCut('Nobody knows where it was shot, and nobody has asked for a long time.', WHOLE, DEFAULT_THRESHOLDS),
    ).toBeNull()
    expect(findCut('The film', WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
  })
})
