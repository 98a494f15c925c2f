import { describe, expect, test } from 'vitest'
import { partEnds } from '../../renderer/views/rollout/raw-text.tsx'

function partsOf(text: string): string[] {
  const ends = partEnds(text)
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}

describe('the parts of a record', () => {
  test('of a short one, or of none, are one', () => {
    expect(partEnds('')).toEqual([0])
    expect(partsOf('{"a": 1}')).toEqual(['{"a": 1}'])
  })

  test('end where lines do, and together they are the text', () => {
    const text = Array.from({ length: 4000 }, (_, at) => `line ${at}\n`).join('')
    const parts = partsOf(text)
    expect(parts.join('')).toBe(text)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      expect(part.endsWith('\n')).toBe(true)
      expect(part.length).toBeLessThanOrEqual(16_000)
    }
  })

  test('of a line that is too long end behind a number', () => {
    const text = `[${Array.from({ length: 20_000 }, (_, at) => 100_000 + at).join(',')}]`
    const parts = partsOf(text)
    expect(parts.join('')).toBe(text)
    for (const part of parts.slice(0, -1)) expect(part.at(-1)).toBe(',')
  })

  test('of what has neither line nor gap end between characters, never within one', () => {
    const text = `x${'😀'.repeat(20_000)}`
    const parts = partsOf(text)
    expect(parts.join('')).toBe(text)
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) expect(part).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
  })
})
