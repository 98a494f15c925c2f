import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import type { Window } from './inspector-page.ts'
import { openRollout } from './open-rollout.ts'
import { oddDump, wholeDump } from './rollout-dumps.ts'

describePage('the tabs of a rollout', (pageTests) => {
  let tokenizer: Tokenizer
  let window: Window
  beforeAll(async () => {
    tokenizer = await qwen()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  async function openAt(name: string, dump: string, which: 'first' | 'last') {
    window = await pageTests.openWith([pageTests.folder.write(name, dump)], { bypassCSP: true })
    const { page } = window
    await openRollout(page, which)
    return page
  }

  test('are gone through by arrow keys, from the last to the first, and are one stop of Tab', async () => {
    const page = await openAt('tabs.jsonl', wholeDump(tokenizer), 'first')
    const tabs = page.getByRole('tablist', { name: 'Look at' }).getByRole('tab')
    const focused = () => page.evaluate('document.activeElement?.textContent')
    await tabs.first().click()
    for (const [key, label] of [
      ['ArrowRight', 'Boundaries'],
      ['ArrowLeft', 'Tokens'],
      ['ArrowLeft', 'Record'],
      ['ArrowRight', 'Tokens'],
      ['End', 'Record'],
      ['Home', 'Tokens'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(focused).toBe(label)
      expect(await tabs.and(page.locator('[aria-selected=true]')).innerText()).toBe(label)
    }
    await page.keyboard.press('Tab')
    expect(await tabs.and(page.locator(':focus')).count()).toBe(0)
    expect(await violations(page)).toEqual([])
  })

  test('that need token ids are passed over where there are none', async () => {
    const page = await openAt('texts.jsonl', oddDump(tokenizer), 'last')
    await page.getByRole('tab', { name: 'Messages', selected: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('tab', { name: 'Record', selected: true }).waitFor()
  })

  test('of its branches keep the focus while arrow keys go through them', async () => {
    const page = await openAt('branches.jsonl', wholeDump(tokenizer), 'last')
    const heading = page.getByRole('heading', { level: 1 })
    await page.getByRole('tab', { name: /^branch 2/ }).focus()
    for (const [key, id] of [
      ['ArrowLeft', 'forked-0'],
      ['ArrowRight', 'forked-1'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => heading.innerText()).toBe(id)
      await page.locator('[role=tab][aria-selected=true]:focus', { hasText: /^branch/ }).waitFor()
    }
    // What is chosen otherwise has the focus where it was.
    await page.keyboard.press('p')
    await expect.poll(() => heading.innerText()).toBe('forked-0')
    await page.getByRole('tab', { name: /^branch 1/, selected: true }).waitFor()
    expect(await page.locator('.branch-tabs :focus').count()).toBe(0)
  })

  test('say of a stream that this rollout lacks that others have it', async () => {
    const page = await openAt('streams.jsonl', wholeDump(tokenizer), 'first')
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('>')
    await page.getByText(/^coloured by advantage/).waitFor()
    await page.keyboard.press('Escape')
    for (const key of ['End', 'Enter']) await page.keyboard.press(key)
    await page.getByText('Advantages: not in this rollout, while others of its file have it.').waitFor()
  })

  test('and other buttons leave the arrow keys of tokens alone, and so does the strip where Shift marks them', async () => {
    const page = await openAt('marked.jsonl', wholeDump(tokenizer), 'first')
    await page.locator('.token').first().waitFor()
    await page.getByRole('button', { name: 'grid', exact: true }).click()
    await page.locator('.grid-cell').first().waitFor()
    const tokens = () => /tokens=(\d+)-(\d+)/.exec(page.url())?.slice(1).map(Number) ?? []
    const [at = 0] = tokens()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(tokens).toEqual([at - 1, at])
    const strip = page.getByRole('slider', { name: 'Position in the rollout' })
    await strip.focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(tokens).toEqual([at - 2, at - 1])
    for (const _ of [1, 2]) await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(tokens).toEqual([at - 2, at + 1])
    // Among tabs an arrow key is theirs.
    await page.getByRole('tab', { name: 'Tokens' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Boundaries', selected: true }).waitFor()
    expect(tokens()).toEqual([at - 2, at + 1])
  })
})
