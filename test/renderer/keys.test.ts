import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../renderer/commands/commands.ts'
import { drawKey, matches } from '../../renderer/commands/keys.ts'

function press(key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) {
  return { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }
}

describe('keys', () => {
  it('tells a letter from the same letter with shift', () => {
    expect(matches('j', press('j'), false)).toBe(true)
    expect(matches('j', press('J', { shiftKey: true }), false)).toBe(false)
    expect(matches('J', press('J', { shiftKey: true }), false)).toBe(true)
    expect(matches('?', press('?', { shiftKey: true }), false)).toBe(true)
  })

  it('tells them apart by shift alone, whatever Caps Lock and ⌘ make of a letter', () => {
    const capsLock = { getModifierState: (key: string) => key === 'CapsLock' }
    const locked = { ...press('F'), ...capsLock }
    expect([matches('f', locked, false), matches('F', locked, false)]).toEqual([true, false])
    const lockedWithShift = { ...press('f', { shiftKey: true }), ...capsLock }
    expect([matches('f', lockedWithShift, false), matches('F', lockedWithShift, false)]).toEqual([false, true])
    const redo = press('z', { metaKey: true, shiftKey: true })
    expect([matches('Mod+z', redo, true), matches('Mod+Z', redo, true)]).toEqual([false, true])
  })

  it('takes ⌘ on a Mac and Ctrl elsewhere, and nothing else held', () => {
    expect(matches('Mod+k', press('k', { metaKey: true }), true)).toBe(true)
    expect(matches('Mod+k', press('k', { ctrlKey: true }), true)).toBe(false)
    expect(matches('Mod+k', press('k', { ctrlKey: true }), false)).toBe(true)
    expect(matches('k', press('k', { ctrlKey: true }), false)).toBe(false)
    expect(matches('f', press('f', { altKey: true }), false)).toBe(false)
  })

  it('are drawn as they are pressed', () => {
    expect([drawKey('Mod+k', true), drawKey('Mod+k', false), drawKey('J', true), drawKey('Mod+P', false)]).toEqual([
      '⌘K',
      'Ctrl K',
      '⇧J',
      'Ctrl ⇧P',
    ])
  })

  it('mean one thing in each view', () => {
    for (const view of ['verdicts', 'rollouts', 'rollout'] as const) {
      const keys = COMMANDS.filter(
        ({ where }) => where === undefined || where === 'always' || where.includes(view),
      ).flatMap((command) => command.keys)
      expect(keys.filter((key, position) => keys.indexOf(key) !== position)).toEqual([])
    }
  })

  it('belong to commands with names of their own', () => {
    const ids = COMMANDS.map((command) => command.id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
