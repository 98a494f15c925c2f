import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'
import { said } from './notices.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('marks on tokens', (tests) => {
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('tokens are marked by mouse: one is clicked, and another with Shift', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const token = (at: number) => page.locator(`.tokens .token[data-token="${at}"]`).first()
    await token(120).click()
    await token(114).click({ modifiers: ['Shift'] })
    await expect.poll(() => page.url()).toContain('tokens=114-121')
    expect(await page.evaluate('String(getSelection())')).toBe('')
    await page.keyboard.press('N')
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    await expect.poll(() => dialog.getByRole('textbox', { name: 'First token' }).inputValue()).toBe('114')
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Last token' }).inputValue()).toBe('120')
    await page.keyboard.press('Escape')
  })

  test('tokens are marked by dragging, in either direction and on beyond the edge, and no text is selected', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    const centre = async (at: number) => {
      const box = await page.locator(`.tokens .token[data-token="${at}"]`).first().boundingBox()
      if (box === null) throw new Error(`token ${at} is not drawn`)
      return [box.x + box.width / 2, box.y + box.height / 2] as const
    }
    const drag = async (from: number, ...to: number[]) => {
      await page.mouse.move(...(await centre(from)))
      await page.mouse.down()
      for (const at of to) await page.mouse.move(...(await centre(at)), { steps: 3 })
    }
    await drag(114, 116, 120)
    await page.mouse.up()
    await expect.poll(() => page.url()).toContain('tokens=114-121')
    expect(await page.evaluate('String(getSelection())')).toBe('')
    expect(await page.locator('.tokens .token.in-range').count()).toBeGreaterThan(1)
    // Where it is let go is no click that would end the marking.
    await drag(120, 118)
    await page.mouse.up()
    await expect.poll(() => page.url()).toContain('tokens=118-121')

    const copied = page.evaluate(`new Promise((heard) =>
      addEventListener('copy', (event) => heard(event.clipboardData.getData('text/plain')), { once: true }))`)
    await page.keyboard.press('Control+c')
    const text = await page.locator('.tokens .token.in-range').allInnerTexts()
    expect(((await copied) as string).replace(/\s/g, '')).toBe(text.join('').replace(/[\s⏎]/g, ''))

    await drag(118)
    const area = await page.locator('.tokens').boundingBox()
    if (area === null) throw new Error('no tokens are drawn')
    await page.mouse.move(area.x + 200, area.y + area.height + 40, { steps: 3 })
    const lastMarked = () => Number(/tokens=118-(\d+)/.exec(page.url())?.[1])
    const inView = await page.locator('.tokens').evaluate((scroller) => scroller.scrollTop)
    await expect
      .poll(() => page.locator('.tokens').evaluate((scroller) => scroller.scrollTop))
      .toBeGreaterThan(inView + 200)
    await page.mouse.up()
    await expect.poll(lastMarked).toBeGreaterThan(200)
  })

  test('a note on marked tokens is shown at them, and leads back to them', async () => {
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('2')
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token.selected').waitFor()
    await page.keyboard.press(']')
    await page.locator('.tokens .token.in-range').first().waitFor()
    const range = /tokens=(\d+)-(\d+)/.exec(page.url())
    const [first, end] = [Number(range?.[1]), Number(range?.[2])]
    await page.keyboard.press('N')
    const dialog = page.getByRole('dialog', { name: /^Notes of rollout/ })
    await expect.poll(() => dialog.getByRole('textbox', { name: 'First token' }).inputValue()).toBe(String(first))
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Last token' }).inputValue()).toBe(String(end - 1))
    await dialog.getByRole('textbox', { name: 'Last token' }).fill('999999')
    await dialog
      .getByRole('alert')
      .getByText(/^This rollout has tokens 0 to 8\d\d/)
      .waitFor()
    expect(await dialog.getByRole('button', { name: 'Keep the note' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Last token' }).fill(String(first + 2))
    await dialog.getByRole('textbox', { name: 'Note' }).fill('why is this here?')
    await page.keyboard.press('Control+Enter')
    await said(page, /^Note on rollout .* kept$/)
    const noted = page.locator('.tokens .token.noted')
    await noted.first().waitFor()
    const tokens = await noted.evaluateAll((all) => [
      ...new Set(all.map((each) => (each as HTMLElement).dataset.token)),
    ])
    expect(tokens).toEqual([String(first), String(first + 1), String(first + 2)])
    const marks = page.getByRole('region', { name: 'Labels and notes' })
    await expect.poll(() => marks.innerText()).toContain('why is this here?')
    await page.keyboard.press('m')
    await page.locator('.message').first().waitFor()
    await marks.getByRole('button', { name: /^tokens/ }).click()
    await page.locator('.tokens .token.selected').waitFor()
    expect(page.url()).toContain(`tokens=${first}-${first + 3}`)
    await page.keyboard.press('Control+z')
    await marks.waitFor({ state: 'detached' })
    expect(await noted.count()).toBe(0)
  })
})
