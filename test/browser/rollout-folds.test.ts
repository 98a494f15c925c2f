import { afterEach, expect, test } from 'vitest'
import { cleanRollout, lines, qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import type { Window } from './inspector-page.ts'

describePage('what is folded in the tokens of a rollout', (tests) => {
  let window: Window
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  /** The first rollout of a dump of two: 1,203 tokens of padding on the left, 40 on the right. */
  async function openPadded() {
    const tokenizer = await qwen()
    const padded = cleanRollout(tokenizer, 1, { padLeft: 1203, padRight: 40 })
    window = await tests.openWith(
      [tests.folder.write('padded.jsonl', lines([padded, cleanRollout(tokenizer, 2, { padRight: 9 })]))],
      { bypassCSP: true },
    )
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token').first().waitFor()
    return { page, length: padded.record.input_ids.length }
  }

  test('padding on either side is a line, which a click, a key and a link into it open', async () => {
    const { page, length } = await openPadded()
    const left = page.getByRole('button', { name: /^1,203 padding tokens tokens 0–1,202$/ })
    await left.waitFor()
    expect(await page.locator('.tokens .token.padding').count()).toBe(0)
    expect(await violations(page)).toEqual([])
    const hash = new URL(page.url()).hash
    await left.click()
    await page.locator('.tokens .token.padding').first().waitFor()
    expect(await left.count()).toBe(0)
    const chip = page.getByRole('button', { name: /padding 1,243$/ })
    expect(await chip.getAttribute('aria-pressed')).toBe('false')
    await page.keyboard.press('z')
    await left.waitFor()
    expect(await chip.getAttribute('aria-pressed')).toBe('true')
    // What lies in it can be selected, and is said to be there; the strip shows all that is in sight.
    await page.getByRole('slider', { name: 'Position in the rollout' }).press('Home')
    await page.getByRole('button', { name: /1,203 padding tokens tokens 0–1,202 · token 0 is in here$/ }).waitFor()
    await page.getByRole('slider', { name: 'Position in the rollout' }).press('End')
    await page
      .getByRole('button', {
        name: `40 padding tokens tokens ${shown(length - 40)}–${shown(length - 1)} · token ${length - 1} is in here`,
      })
      .waitFor()
    await page.keyboard.press('h')
    await page.getByRole('heading', { level: 2, name: new RegExp(`^token ${shown(length - 2)} `) }).waitFor()
    await page.evaluate(
      (at) => {
        location.hash = at
      },
      `${hash.replace(/&tokens=[^&]*/, '')}&tokens=600-640`,
    )
    await page.locator('.tokens .token.padding.in-range').first().waitFor()
    await expect.poll(() => page.locator('.tokens .token.padding.in-range').count()).toBe(40)
    // Only what was linked to is shown, here alone, and folded again it stays so.
    expect(new URL(page.url()).hash).not.toContain('padding=open')
    const folded = page.locator('.fold-line.padding', { hasText: '1,203 padding tokens' })
    await page.keyboard.press('z')
    await folded.waitFor()
    await page.getByRole('tab', { name: /^Record/ }).click()
    await folded.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: /^Tokens/ }).click()
    await folded.waitFor()
    expect(await page.locator('.tokens .token.padding').count()).toBe(0)
    // Who opens it by key goes on by key.
    await folded.press('Enter')
    await page.locator('.tokens .token.padding').first().waitFor()
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('tokens')
  })

  test('a short run of padding is no line, and the key says that there is none', async () => {
    const { page } = await openPadded()
    await page.keyboard.press('n')
    await page.getByRole('heading', { level: 1, name: 'rollout-2' }).waitFor()
    await page.locator('.tokens .token.padding').first().waitFor()
    await expect.poll(() => page.locator('.tokens .token.padding').count()).toBe(9)
    await page.keyboard.press('z')
    const notice = page.locator('.notice', { hasText: 'This rollout has no long run of padding' })
    await notice.waitFor()
    // Its moment is over, here and on the next page that notices are shown on.
    await notice.evaluate((element) => element.getAnimations().map((animation) => animation.finish()))
    await notice.waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('close these files')
    await page.keyboard.press('Enter')
    await page.locator('.start').waitFor()
    expect(await notice.isVisible()).toBe(false)
  })
})

function shown(value: number): string {
  return value.toLocaleString('en-US')
}
