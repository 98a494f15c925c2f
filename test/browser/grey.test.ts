import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cleanRollout, cutRollout, lines, qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

/** What of a token is seen without colour: how bright its ground is, how much that varies, and how dark the line under it. */
interface Look {
  readonly ground: number
  readonly pattern: number
  readonly line: number
}

/** Measured in grey and without letters, where only the state draws. */
async function lookOf(page: Page, token: Locator): Promise<Look> {
  const box = await token.boundingBox()
  if (box === null) throw new Error('The token is not on screen.')
  const png = (await page.screenshot({ clip: box })).toString('base64')
  const measure = async (data: string): Promise<Look> => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.drawImage(image, 0, 0)
    const row = (y: number) => {
      const pixels = context.getImageData(4, y, Math.max(1, image.width - 8), 1).data
      const grey: number[] = []
      for (let i = 0; i < pixels.length; i += 4) {
        grey.push(0.2126 * (pixels[i] ?? 0) + 0.7152 * (pixels[i + 1] ?? 0) + 0.0722 * (pixels[i + 2] ?? 0))
      }
      return grey
    }
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length

    const top = Array.from({ length: 12 }, (_, y) => row(y + 3)).flat()
    const ground = mean(top)
    const bottom = [image.height - 1, image.height - 2].map(row).map(mean)
    return {
      ground,
      pattern: Math.max(...top) - Math.min(...top),
      line: Math.max(...bottom.map((value) => Math.abs(value - ground))),
    }
  }
  return page.evaluate(`(${measure.toString()})(${JSON.stringify(png)})`) as Promise<Look>
}

describePage('without colour', (tests) => {
  test.each([
    'light',
    'dark',
  ] as const)('states of tokens are told apart in a grey picture, %s', async (colorScheme) => {
    const tokenizer = await qwen()
    const padded = cleanRollout(tokenizer, 1, { padRight: 30 })
    const unknown = cleanRollout(tokenizer, 2, { mask: 'none' })
    const cut = cutRollout(tokenizer, 3)
    const file = tests.folder.write(`states-${colorScheme}.jsonl`, lines([padded, unknown, cut]))
    const window = await tests.openWith([file], { colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    await page.addStyleTag({
      content: '.token { color: transparent !important; outline: none !important; text-decoration: none !important }',
    })
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    const looks: Record<string, Look> = {}
    /** The first token of a state that is wide enough for its pattern to be seen. */
    const see = async (state: string) => {
      const tokens = page.locator(`.token.${state}:not(.selected)`)
      await tokens.first().waitFor()
      for (const token of await tokens.all()) {
        if (((await token.boundingBox())?.width ?? 0) < 36) continue
        await token.scrollIntoViewIfNeeded()
        looks[state] = await lookOf(page, token)
        return
      }
      throw new Error(`No ${state} token is wide enough.`)
    }
    await see('trained')
    await see('masked')
    await page.keyboard.press('z')
    await page.keyboard.press('End')
    await see('padding')
    await page.keyboard.press('n')
    await see('unknown')
    const {
      trained,
      masked,
      padding,
      unknown: dotted,
    } = looks as Record<'trained' | 'masked' | 'padding' | 'unknown', Look>
    const shown = JSON.stringify(looks)
    // Trained: a filled ground and a line under it. Masked: neither. Padding and unknown: a pattern each, and no line.
    expect(trained.line, shown).toBeGreaterThan(40)
    expect(Math.abs(trained.ground - masked.ground), shown).toBeGreaterThan(10)
    for (const other of [masked, padding, dotted]) expect(other.line, shown).toBeLessThan(trained.line / 2)
    expect(masked.pattern, shown).toBeLessThan(6)
    expect(padding.pattern, shown).toBeGreaterThan(8)
    expect(dotted.pattern, shown).toBeGreaterThan(8)
    // Lost text is a line of its own, with words.
    await page.keyboard.press('n')
    await page.locator('.lost-line').first().waitFor()
    await expect.poll(() => page.locator('.lost-line').first().textContent()).toMatch(/✂.*never reached|✂/)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each([
    'light',
    'dark',
  ] as const)('with more contrast no screen breaks a rule of axe-core, %s', async (colorScheme) => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')], {
      colorScheme,
      contrast: 'more',
      bypassCSP: true,
      reducedMotion: 'reduce',
    })
    const { page } = window
    const broken: Record<string, string[]> = {}
    const look = async (view: string) => {
      const found = await violations(page)
      if (found.length > 0) broken[view] = found
    }
    await page.getByText('Turn edges').waitFor()
    await look('verdicts')
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await look('rollouts')
    await page.keyboard.press('Enter')
    await page.locator('.token.trained').first().waitFor()
    await look('rollout')
    await page.keyboard.press('3')
    await page.locator('.group-bar').first().waitFor()
    await look('groups')
    await page.keyboard.press('4')
    await page.getByText('of the rollouts were cut').waitFor()
    await look('limits')
    await page.keyboard.press('l')
    await page.getByText('Largest advantage').waitFor()
    await look('loss')
    await page.getByRole('button', { name: 'Repaired masks' }).click()
    await page.getByRole('heading', { name: /masked whole$/ }).waitFor()
    await look('repair')
    await page.keyboard.press('6')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look('notebook')
    expect(broken).toEqual({})
    await window.close()
  })
})
