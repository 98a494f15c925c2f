import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../renderer/styles/tokens.css', import.meta.url), 'utf8')
const [light = '', dark = ''] = css.split('@media screen and (prefers-color-scheme: dark)')
const more = readFileSync(new URL('../../renderer/styles/high-contrast.css', import.meta.url), 'utf8')
const [moreLight = '', moreDark = ''] = (more.split('@media (forced-colors')[0] as string).split(
  '@media screen and (prefers-contrast: more) and (prefers-color-scheme: dark)',
)

function palette(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1] as string, match[2] as string]),
  )
}

/** Relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

const TEXT_ON: readonly [ink: string, ...fills: string[]][] = [
  ['ink', 'ground', 'panel', 'sunk', 'accent-soft', 'error-soft', 'warning-soft', 'info-soft', 'lost-soft', 'range'],
  ['ground', 'ink'],
  ['quiet', 'ground', 'panel', 'sunk', 'accent-soft', 'error-soft', 'warning-soft', 'info-soft', 'range'],
  ['accent', 'ground', 'panel', 'sunk', 'accent-soft', 'error-soft', 'warning-soft'],
  ['accent-ink', 'accent'],
  ['error', 'ground', 'panel', 'sunk', 'accent-soft', 'error-soft'],
  ['warning', 'ground', 'panel', 'sunk', 'accent-soft', 'warning-soft'],
  ['info', 'ground', 'panel', 'sunk', 'accent-soft', 'info-soft'],
  ['ok', 'ground', 'panel', 'accent-soft', 'ok-soft'],
  ['trained-ink', 'trained'],
  ['masked-ink', 'panel', 'ground', 'sunk', 'accent-soft', 'error-soft', 'warning-soft', 'range'],
  ['padding-ink', 'panel', 'padding-hatch'],
  ['unknown-ink', 'panel', 'ground', 'warning-soft'],
  ['lost', 'lost-soft', 'panel', 'ground'],
  ['selected-ink', 'selected'],
  ['scale-ink', 'panel', ...['p', 'n'].flatMap((side) => [1, 2, 3, 4].map((step) => `scale-${side}${step}`))],
  ['ink', 'band-prompt', 'band-masked'],
]

/** What is told by shape and colour, without text, needs 3:1 against what it is drawn on. */
const SHAPES = [
  'strip-trained',
  'strip-error',
  'strip-warning',
  'strip-info',
  'strip-lost',
  'strip-window',
  'trained-edge',
  'scale-p-edge',
  'scale-n-edge',
  'tag-think',
  'tag-tool-call',
  'tag-answer',
  'tag-cite',
  'tag-other',
]

/** What is not set for more contrast stays as it is. */
const over = (base: Map<string, string>, own: string) => new Map([...base, ...palette(own)])

describe.each([
  ['light', palette(light), 4.5],
  ['dark', palette(dark), 4.5],
  ['light palette with more contrast', over(palette(light), moreLight), 7],
  ['dark palette with more contrast', over(over(palette(dark), moreLight), moreDark), 7],
])('the %s palette', (_, colours, wanted) => {
  const of = (name: string) => {
    const colour = colours.get(name)
    if (colour === undefined) throw new Error(`--${name} is not in this palette`)
    return colour
  }

  it.each(
    TEXT_ON.flatMap(([ink, ...fills]) => fills.map((fill) => [ink, fill] as const)),
  )('%s on %s is readable', (ink, fill) => {
    expect(contrast(of(ink), of(fill))).toBeGreaterThanOrEqual(wanted)
  })

  it.each(SHAPES)('%s stands out from the panel', (name) => {
    expect(contrast(of(name), of('panel'))).toBeGreaterThanOrEqual(3)
  })
})
