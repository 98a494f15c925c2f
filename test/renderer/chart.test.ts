import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bandsOf, columnNumbers, heightOf } from '../../renderer/views/rollout/chart-drawing.ts'
import { stepClass } from '../../renderer/views/rollout/overlay-dress.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import { NO_STEP, type OverlayScale } from '../../shared/session/requests/rollout.ts'

const base = { isLog: false, how: '', about: '', unit: '', scored: 0, placeholders: 0, beyond: 0, centre: 0 }

describe('the chart over the strip', () => {
  it('keeps the ends and the mean of what falls into one column, and has none where nothing is scored', () => {
    const values = Float32Array.from([1, 3, Number.NaN, Number.NaN, -2, 6])
    const { least, greatest, mean } = columnNumbers(values, 3)
    expect([...least]).toEqual([1, Number.NaN, -2])
    expect([...greatest]).toEqual([3, Number.NaN, 6])
    expect([...mean]).toEqual([2, Number.NaN, 2])
  })

  it('draws every token of a rollout that is narrower than the chart', () => {
    expect([...columnNumbers(Float32Array.from([5, 7]), 4).mean]).toEqual([5, 5, 7, 7])
  })

  it('draws logprobs down from the top, signs from the middle, and what is off the scale at its edge', () => {
    const logprobs: OverlayScale = { ...base, kind: 'sequential', from: 0, to: -4 }
    expect([0, -1, -4, -40].map((value) => heightOf(logprobs, value, 40))).toEqual([40, 30, 0, 0])
    const signed: OverlayScale = { ...base, kind: 'diverging', from: -2, to: 2 }
    expect([-3, -2, 0, 1, 9].map((value) => heightOf(signed, value, 40))).toEqual([0, 0, 20, 30, 40])
    const entropy: OverlayScale = { ...base, kind: 'sequential', from: 0, to: 2 }
    expect([0, 1, 2].map((value) => heightOf(entropy, value, 40))).toEqual([0, 20, 40])
  })

  it('shades the prompt, what is masked after it and padding, and leaves the trained clear', () => {
    const { masked, trained, padding } = TokenState
    const columns = Uint8Array.from([padding, masked, masked, trained, masked, trained, masked, padding])
    expect(bandsOf(columns, 3, 8)).toEqual([
      { kind: 'padding', from: 0, to: 1 },
      { kind: 'prompt', from: 1, to: 3 },
      { kind: 'masked', from: 4, to: 5 },
      { kind: 'masked', from: 6, to: 7 },
      { kind: 'padding', from: 7, to: 8 },
    ])
  })
})

describe('a token under an overlay', () => {
  it('is told from one on another step by the place and thickness of its bar, without colour', () => {
    const css = readFileSync(new URL('../../renderer/styles/token-overlay.css', import.meta.url), 'utf8')
    const bars = [...css.matchAll(/\.token\.(by-[a-z0-9]+) \{[^}]*box-shadow: ([^;]*);/g)].map(([, name, shadow]) => ({
      name,
      shape: (shadow as string).replace(/ var\(.*/, ''),
    }))
    expect(bars.map(({ name }) => name).sort()).toEqual([NO_STEP, -4, -3, -2, -1, 0, 1, 2, 3, 4].map(stepClass).sort())
    // Neither the middle nor what has no number has a bar; the latter is dimmed.
    const shapes = bars.filter(({ name }) => name !== 'by-none').map(({ shape }) => shape)
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  it('wears another class for each step, and one of its own for no number', () => {
    const names = [NO_STEP, -4, -1, 0, 1, 4].map(stepClass)
    expect(new Set(names).size).toBe(names.length)
    expect(names[0]).toBe('by-none')
  })
})
