import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { SEVERITY_WORDS, SPEECH_WORDS, VERDICT_WORDS } from '../../renderer/text/words.ts'
import { KIND_WORDS, MARK_WORDS } from '../../renderer/views/groups/group-words.ts'
import { cleanRollout, lines, qwen } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

/** All that states, severities and runs are coloured by, as one ink on one ground: what differs still does so by shape. */
const ONE_INK = `:root {
  ${['error', 'warning', 'info', 'ok', 'quiet', 'accent', 'strip-error', 'strip-warning', 'strip-info', 'strip-lost']
    .concat(['strip-trained', 'strip-masked', 'strip-padding', 'strip-unknown', 'lost'])
    .map((name) => `--${name}: #333333 !important;`)
    .join(' ')}
  ${['error-soft', 'warning-soft', 'info-soft', 'ok-soft', 'accent-soft', 'lost-soft']
    .map((name) => `--${name}: #ffffff !important;`)
    .join(' ')}
}`

/** Share of the pixels of two pictures of one size that differ. */
async function apart(page: Page, one: string, other: string): Promise<number> {
  const compare = async ([a, b]: readonly string[]): Promise<number> => {
    const pixels = async (data: string | undefined) => {
      const image = new Image()
      image.src = `data:image/png;base64,${data}`
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = 40
      canvas.height = 24
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, 40, 24).data
    }
    const [first, second] = [await pixels(a), await pixels(b)]
    let differing = 0
    for (let i = 0; i < first.length; i += 4) {
      if (Math.abs((first[i] ?? 0) - (second[i] ?? 0)) > 60) differing++
    }
    return differing / (40 * 24)
  }
  return page.evaluate(`(${compare.toString()})(${JSON.stringify([one, other])})`) as Promise<number>
}

async function pictureOf(page: Page, element: Locator): Promise<string> {
  await element.scrollIntoViewIfNeeded()
  const box = await element.boundingBox()
  if (box === null) throw new Error('It is not on screen.')
  const clip = { x: Math.floor(box.x) - 2, y: Math.floor(box.y) - 4, width: 40, height: 24 }
  return (await page.screenshot({ clip })).toString('base64')
}

/** Of elements that are coloured by a kind, those that lack the sign of that kind. */
function withoutSign(marks: Locator, signs: Readonly<Record<string, { glyph: string; name: string }>>) {
  return marks.evaluateAll(
    (all, known) =>
      all
        .filter((mark) => {
          const kind = [...mark.classList].find((name) => name in known)
          return kind === undefined || !mark.textContent?.includes(known[kind]?.glyph ?? '')
        })
        .map((mark) => mark.outerHTML.slice(0, 120)),
    signs,
  )
}

describePage('without colour, every mark', (tests) => {
  test('of a verdict, a severity, a measure and a kind of group has a sign that no other of its kind has', async () => {
    for (const words of [VERDICT_WORDS, SEVERITY_WORDS, SPEECH_WORDS, KIND_WORDS, MARK_WORDS]) {
      const glyphs = Object.values(words).map(({ glyph }) => glyph)
      expect(new Set(glyphs).size).toBe(glyphs.length)
    }
    const severities = { ...SEVERITY_WORDS, intended: { glyph: '○', name: 'intended' } }
    const window = await tests.openWith([FAILING])
    const { page } = window
    await page.getByText('Turn edges').waitFor()
    const chips = page.locator('.verdict-chip')
    expect(await chips.count()).toBeGreaterThan(3)
    expect(await withoutSign(chips, VERDICT_WORDS)).toEqual([])
    expect(await withoutSign(page.locator('.speech.for, .speech.against, .speech.undecided'), SPEECH_WORDS)).toEqual([])
    // The bars of rates and of turns have the colour of their fault, whose row says how severe it is.
    const rows = page.locator('.check-table tr').filter({ has: page.locator('.rate-fill') })
    expect(await rows.count()).toBeGreaterThan(3)
    for (const text of await rows.allInnerTexts()) expect(text).toMatch(/[✖▲◇○]/)
    await page.keyboard.press('2')
    await page.locator('.rollout-row .severity').first().waitFor()
    expect(await withoutSign(page.locator('.severity'), severities)).toEqual([])
    await page.keyboard.press('Enter')
    await page.locator('.token.trained').first().waitFor()
    expect(await page.locator('.severity').count()).toBeGreaterThan(3)
    expect(await withoutSign(page.locator('.severity'), severities)).toEqual([])
    await page.keyboard.press('3')
    await page.locator('.group-kind').first().waitFor()
    expect(await withoutSign(page.locator('.group-kind'), KIND_WORDS)).toEqual([])
    await window.close()
  })

  test('of a finding at a token and of a run that is compared has a shape of its own', async () => {
    const window = await tests.openWith([FAILING], { bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    await page.addStyleTag({ content: `${ONE_INK} .token { color: transparent !important }` })
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.token.masked').first().waitFor()
    const token = page
      .locator('.token.masked:not(.selected)')
      .filter({ hasText: /^.{5,}$/ })
      .first()
    const pictures: string[] = []
    for (const severity of ['error', 'warning', 'info', null]) {
      await token.evaluate((element, fault) => {
        element.classList.remove('fault-error', 'fault-warning', 'fault-info')
        element.toggleAttribute('data-pin', fault !== null)
        if (fault !== null) element.classList.add(`fault-${fault}`)
      }, severity)
      pictures.push(await pictureOf(page, token))
    }
    for (const [at, one] of pictures.entries()) {
      for (const other of pictures.slice(at + 1)) expect(await apart(page, one, other)).toBeGreaterThan(0.015)
    }

    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    const key = (run: string) => pictureOf(page, page.locator(`.compare-run.${run} .compare-key`))
    expect(await apart(page, await key('open'), await key('second'))).toBeGreaterThan(0.015)
    await page.keyboard.press('c')
    await page.locator('.curve-line').first().waitFor()
    const strokes = (of: string) =>
      page
        .locator(of)
        .first()
        .evaluate((path) => getComputedStyle(path).strokeDasharray)
    expect(await strokes('.curve-line')).not.toBe(await strokes('.curve-fill'))
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of the strip stands at a height of its own: states below, severities above', async () => {
    const tokenizer = await qwen()
    const padded = cleanRollout(tokenizer, 1, { padRight: 120 })
    const unknown = cleanRollout(tokenizer, 2, { mask: 'none' })
    const file = tests.folder.write('states.jsonl', lines([padded, unknown]))
    const window = await tests.openWith([FAILING, file], { bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    await page.addStyleTag({ content: ONE_INK })
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    const tops = await page
      .locator('.mask-strip path')
      .evaluateAll((paths) =>
        Object.fromEntries(
          paths.map((path) => [path.classList[0], /^M[\d.]+ ([\d.]+)/.exec(path.getAttribute('d') ?? '')?.[1]]),
        ),
      )
    expect(Object.keys(tops).length).toBeGreaterThan(2)
    expect(new Set(Object.values(tops)).size).toBe(Object.keys(tops).length)

    await window.close()
    // In the first rollout errors and warnings are found here, and warnings alone there.
    for (const [sample, heights] of [
      [FAILING, [0, 4, 7]],
      [join(SAMPLES, 'verifiers-2025-07-llama.jsonl.gz'), [0, 4]],
    ] as const) {
      const one = await tests.openWith([sample])
      await one.page.keyboard.press('2')
      await one.page.locator('.mask-strip').first().waitFor()
      await one.page.keyboard.press('Enter')
      await one.page.locator('.token.trained').first().waitFor()
      await expect.poll(() => lanes(one.page), { timeout: 5000 }).toEqual(heights)
      await one.close()
    }
  })
})

/** The heights in pixels of the marks of findings above the states of its strip, 0 where nothing was found. */
function lanes(page: Page): Promise<number[]> {
  return page.locator('.token-strip canvas').evaluate((element) => {
    const canvas = element as HTMLCanvasElement
    const scale = canvas.height / canvas.getBoundingClientRect().height
    const rows = Math.round(7 * scale)
    const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(0, 0, canvas.width, rows)
    // The mark of the selected token goes over all of the height.
    const heights = new Map<number, number>()
    for (let x = 0; x < canvas.width; x++) {
      let inked = 0
      for (let y = 0; y < rows; y++) if ((data[(y * canvas.width + x) * 4 + 3] ?? 0) > 100) inked++
      const height = Math.round(inked / scale)
      heights.set(height, (heights.get(height) ?? 0) + 1)
    }
    return [...heights].flatMap(([height, columns]) => (columns > 2 * scale ? [height] : [])).sort((a, b) => a - b)
  })
}
