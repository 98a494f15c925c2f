import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES, VIEW_SIGNS, type Window } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('what is taken out of the page', (pageTests) => {
  let window: Window
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  async function openSample() {
    window = await pageTests.openWith([FAILING], { permissions: ['clipboard-read', 'clipboard-write'] })
    return window.page
  }

  /** The first rollout, with its first finding marked. */
  async function openFinding() {
    const page = await openSample()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.findings .finding').first().click()
    await page.locator('.token').first().waitFor()
    return page
  }

  const copied = () => window.page.evaluate('navigator.clipboard.readText()') as Promise<string>

  test('tokens are copied as a Python list, as JSON that says where they stand, and as Markdown', async () => {
    const page = await openFinding()
    await page.keyboard.press('c')
    await page.getByText(/^The ids of [\d,]+ tokens? copied$/).waitFor()
    const ids = JSON.parse(await copied()) as number[]
    const give = async (title: string, said: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Command' }).fill(title)
      await page.keyboard.press('Enter')
      await page.getByText(said).waitFor()
    }
    await give('tokens as json', /copied as JSON$/)
    const json = JSON.parse(await copied()) as {
      tokens: [number, number]
      ids: number[]
      states: string[]
      text: string
    }
    expect(json.ids).toEqual(ids)
    expect(json.tokens[1] - json.tokens[0]).toBe(ids.length)
    expect(json.states).toHaveLength(ids.length)
    await give('tokens as markdown', /tokens? copied as Markdown$/)
    expect(await copied()).toContain(`tokens ${json.tokens[0]}–${json.tokens[1] - 1}: `)
    await page.keyboard.press('C')
    await page.getByText(/^The text of/).waitFor()
    expect(await copied()).toBe(json.text)
  })

  test('a finding is copied by key and by its button, and dragged out, as the same Markdown', async () => {
    const page = await openFinding()
    await page.keyboard.press('Y')
    await page.getByText(/^The finding [A-Z]\d\d copied as Markdown$/).waitFor()
    const byKey = await copied()
    expect(byKey).toMatch(/^\*\*[A-Z]\d\d .+\*\* \((error|warning|info)\): `/)
    expect(byKey).toContain('- Where: `verifiers-2025-08.jsonl.gz, record ')
    await page.evaluate('navigator.clipboard.writeText("")')
    await page
      .getByRole('button', { name: /^Copy the finding [A-Z]\d\d as Markdown$/ })
      .first()
      .click()
    await expect.poll(copied).toBe(byKey)
    const dragged = await page.evaluate(`(() => {
      const data = new DataTransfer()
      document.querySelector('.findings li[draggable]').dispatchEvent(
        new DragEvent('dragstart', { dataTransfer: data, bubbles: true, cancelable: true }),
      )
      return Object.fromEntries([...data.types].map((type) => [type, data.getData(type)]))
    })()`)
    expect(dragged).toEqual({ 'text/plain': byKey, 'text/markdown': byKey })
    expect(await page.locator('.drop-cover').count()).toBe(0)
  })
  test('the palette finds checks by code and rollouts by id, and begins with what was given last', async () => {
    window = await pageTests.openWith([FAILING], { bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    const command = page.getByRole('combobox', { name: 'Command' })
    const commands = page.getByRole('listbox', { name: 'Commands' })
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const id = await page.getByRole('heading', { level: 1 }).innerText()
    await page.keyboard.press('1')

    await page.keyboard.press('Control+k')
    await command.fill(id)
    await commands.getByRole('group', { name: 'Rollouts', exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('option', { name: `Open rollout ${id}`, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: id }).waitFor()

    await page.keyboard.press('Control+k')
    expect(await commands.getByRole('group').first().getAttribute('aria-label')).toBe('In a rollout')
    await command.fill('m01')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Usual fix' }).waitFor()
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await command.fill('go to lab')
    await page.keyboard.press('Enter')
    await page.reload()
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('Control+k')
    await expect.poll(() => commands.getByRole('option').first().innerText()).toContain('Go to Lab')
    for (let key = 0; key < 30; key++) await page.keyboard.press('ArrowDown')
    expect(await commands.locator('[aria-selected=true]').boundingBox()).toSatisfy(
      (box: { y: number; height: number }) => box.y > 0 && box.y + box.height < 900,
    )
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
  })
  test('every view is whole and black on white on paper, also from a dark screen', async () => {
    const page = await openFinding()
    const drawn = () => page.locator('.tokens .token[data-token]').count()
    const onScreen = await drawn()
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    const tokens = (await page.evaluate('document.querySelectorAll(".tokens .token[data-token]").length')) as number
    expect(tokens).toBeGreaterThan(onScreen)
    await expect.poll(() => page.locator('.tokens [data-token="0"]').count()).toBeGreaterThan(0)
    await page.evaluate('dispatchEvent(new Event("afterprint"))')
    await expect.poll(drawn).toBeLessThan(tokens)

    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const cut: Record<string, unknown> = {}
    for (const [key, sign] of Object.entries(VIEW_SIGNS)) {
      await page.keyboard.press(key)
      await page.locator(sign).first().waitFor({ state: 'attached' })
      const found = (await page.evaluate(CUT_ON_PAPER)) as string[]
      if (found.length > 0) cut[key] = found
    }
    expect(cut).toEqual({})
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)')
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await page.getByRole('navigation', { name: 'Views' }).count()).toBe(0)
  })
})

/** What still scrolls on paper, where nobody can scroll. */
const CUT_ON_PAPER = `[...document.querySelectorAll('html, body, .view, .view *')]
  .filter((element) => {
    const { overflowY } = getComputedStyle(element)
    return ['auto', 'scroll'].includes(overflowY) && element.scrollHeight > element.clientHeight + 1
  })
  .map((element) => element.className)`
