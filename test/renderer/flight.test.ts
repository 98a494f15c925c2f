import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Flight } from '../../renderer/lists/flight.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function flying() {
  const told: (boolean | 'landed')[] = []
  const flight = new Flight(
    (is) => void told.push(is),
    () => void told.push('landed'),
  )
  return { flight, told }
}

describe('a list whose bar is dragged along', () => {
  it('lands after one leap without having flown', () => {
    const { flight, told } = flying()
    flight.leap(10)
    expect(flight.isUnderWay).toBe(false)
    vi.advanceTimersByTime(139)
    expect(told).toEqual([])
    vi.advanceTimersByTime(1)
    expect(told).toEqual(['landed'])
  })

  it('flies from the second leap on that follows at once, and until none does', () => {
    const { flight, told } = flying()
    for (const now of [0, 100, 200]) {
      flight.leap(now)
      vi.advanceTimersByTime(100)
    }
    expect([told, flight.isUnderWay]).toEqual([[true], true])
    vi.advanceTimersByTime(40)
    expect([told, flight.isUnderWay]).toEqual([[true, false, 'landed'], false])
  })

  it('does not fly where the next leap comes later', () => {
    const { flight, told } = flying()
    for (const now of [0, 140, 280]) {
      flight.leap(now)
      vi.advanceTimersByTime(140)
    }
    expect(told).toEqual(['landed', 'landed', 'landed'])
  })

  it('is over where the list goes, and lands nowhere', () => {
    const { flight, told } = flying()
    flight.leap(0)
    flight.leap(1)
    flight.end()
    vi.advanceTimersByTime(1000)
    expect([told, flight.isUnderWay]).toEqual([[true, false], false])
  })
})
