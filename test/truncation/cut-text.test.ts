import { describe, expect, it } from 'vitest'
import { findCut, findMarker } from '../../shared/checks/truncation/cut-text.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'

const WHOLE = `The film was shot in the old port. ${'Boats came and went all day. '.repeat(8)}It opened in the spring of 1961.`

describe('findMarker', () => {
  it.each([
    'the start...(truncated)',
    '(truncated)...the end',
    'the start...(truncated)...the end',
    'the start\n<response clipped>',
    'the start [Observation truncated due to length]',
    'the start [... 300 characters truncated ...]',
  ])('%j', (text) => {
    expect(findMarker(text)).not.toBeNull()
  })

  it.each([
    'a truncated cone',
    'Was it truncated...?',
    'truncated (see below)',
    '[1] A truncation error',
    'it is clipped',
  ])('not in %j', (text) => {
    expect(findMarker(text)).toBeNull()
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

  it('is none where only the rendering differs, where almost nothing is missing, and where the text is another', () => {
    expect(findCut(WHOLE.replaceAll(' ', '\n').replaceAll('.', ''), WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
    expect(findCut(WHOLE.slice(0, -10), WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
    expect(
      findCut('Nobody knows where it was shot, and nobody has asked for a long time.', WHOLE, DEFAULT_THRESHOLDS),
    ).toBeNull()
    expect(findCut('The film', WHOLE, DEFAULT_THRESHOLDS)).toBeNull()
  })
})
