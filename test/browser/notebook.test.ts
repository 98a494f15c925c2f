import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { giveRoom, SAMPLES } from './inspector-page.ts'
import { cardsIn, openedNotebook } from './notebook-page.ts'

const FOLDER = fileURLToPath(new URL('../notebook/fixtures/search-debug', import.meta.url))

/** Waits until what is on screen is in storage. */
async function saved(page: Page): Promise<void> {
  await page.getByText(/^Saved /).waitFor()
}

async function textOf(page: Page, column: string, id: string): Promise<string> {
  const region = page.getByRole('region', { name: new RegExp(`^${column}, `) })
  return (await region.locator(`[data-card="${id}"]`).innerText()).replace(/\s+/g, ' ')
}

describePage('notebook', (tests) => {
  const openNotebook = () => openedNotebook(tests)

  test('needs no dump: by keys a hypothesis moves, is written about, and is there after a restart', async () => {
    const window = await openNotebook()
    const { page } = window
    expect(await cardsIn(page, 'Pending')).toHaveLength(9)
    await page.locator('[data-card="H02"]').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H02'])
    // The card keeps the focus, and the arrows go on from there.
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => cardsIn(page, 'Partial')).toEqual(['H02'])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Write: Results' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Tool replies are **trained**.\n<img src=x onerror=alert(1)>')
    await page.keyboard.press('Escape')
    await page.locator('.prose', { hasText: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await page.locator('.notebook img').count()).toBe(0)
    await saved(page)
    await page.reload()
    // The address is that of the page, so that it comes back as it was.
    await page.getByRole('heading', { name: 'H02 Token masking errors' }).waitFor()
    await page.locator('.prose', { hasText: '<img src=x onerror=alert(1)>' }).waitFor()
    await page.getByText(/^History/).click()
    await expect.poll(() => page.locator('.history li').allInnerTexts()).toHaveLength(3)
    await page.keyboard.press('Escape')
    await expect.poll(() => cardsIn(page, 'Partial')).toEqual(['H02'])
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a reason that is typed and not set yet is asked about before the page is left, and not once it is given up', async () => {
    const window = await openNotebook()
    const { page } = window
    await page.locator('[data-card="H02"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('testing')
    await page.getByLabel('Why (kept in the history)').fill('seen at step 12')
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const leaving = await asked
    expect(leaving.type()).toBe('beforeunload')
    await leaving.dismiss()
    await expect.poll(() => page.getByLabel('Why (kept in the history)').inputValue()).toBe('seen at step 12')
    await page.getByRole('button', { name: 'Leave it' }).click()
    // What was given up is not there when another status is chosen.
    await page.getByRole('combobox', { name: 'Status' }).selectOption('partial')
    await expect.poll(() => page.getByLabel('Why (kept in the history)').inputValue()).toBe('')
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    await window.close()
  })

  test('what is added to a list has the focus, and none of what is typed next is a key of the page', async () => {
    const window = await openNotebook()
    const { page } = window
    await page.getByRole('button', { name: 'Problem' }).click()
    const criteria = page.getByRole('complementary', { name: 'Success criteria' })
    const rows = criteria.getByRole('listitem')
    await rows.first().waitFor()
    const before = await rows.count()
    await criteria.getByRole('button', { name: 'Add a criterion' }).click()
    await page.keyboard.type('no new runs below 0.7')
    expect(await rows.last().getByRole('textbox').inputValue()).toBe('no new runs below 0.7')
    expect(await rows.count()).toBe(before + 1)
    await rows.last().getByRole('button').press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Add a criterion')
    await page.getByRole('button', { name: 'Board' }).click()
    await page.locator('[data-card="H01"]').click()
    await page.getByRole('button', { name: 'Add a method' }).click()
    await page.keyboard.type('next: new seed')
    expect(
      await page
        .getByLabel(/^Title of method/)
        .last()
        .inputValue(),
    ).toBe('next: new seed')
    await window.close()
  })

  test('undo and redo go through what was done', async () => {
    const window = await openNotebook()
    const { page } = window
    for (const id of ['H01', 'H04']) {
      await page.locator(`[data-card="${id}"]`).focus()
      await page.keyboard.press('Shift+ArrowRight')
    }
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H01', 'H04'])
    await page.keyboard.press('Control+z')
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H01'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual([])
    await page.keyboard.press('Control+Shift+Z')
    await page.getByRole('button', { name: 'Redo' }).click()
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H01', 'H04'])
    await window.close()
  })

  test('another window sees the change', async () => {
    const window = await openNotebook()
    const other = await window.page.context().newPage()
    await other.goto(`${tests.server.url}#view=notebook`)
    await other.locator('[data-card="H02"]').waitFor()
    await window.page.locator('[data-card="H02"]').focus()
    await window.page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => cardsIn(other, 'Testing')).toEqual(['H02'])
    await other.locator('[data-card="H05"]').focus()
    await other.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => cardsIn(window.page, 'Testing')).toEqual(['H02', 'H05'])
    await window.close()
  })

  test('two windows that write in one text have the words of both, and the place that one writes at stays', async () => {
    const window = await openNotebook()
    const { page } = window
    const other = await page.context().newPage()
    await other.goto(`${tests.server.url}#view=notebook`)
    const field = async (of: Page) => {
      await of.locator('[data-card="H02"]').focus()
      await of.keyboard.press('Enter')
      await of.getByRole('button', { name: 'Write: Results' }).click()
      return of.getByRole('textbox', { name: 'Results' })
    }
    const [here, there] = [await field(page), await field(other)]
    await page.bringToFront()
    await here.pressSequentially('Seen in turn 2.')
    await expect.poll(() => there.inputValue()).toBe('Seen in turn 2.')
    await here.press('Home')
    await here.pressSequentially('Today: ')
    // Typed there before it is stored here, as far as that window knows.
    await there.press('End')
    await there.pressSequentially(' Not in turn 1.')
    for (const each of [here, there])
      await expect.poll(() => each.inputValue()).toBe('Today: Seen in turn 2. Not in turn 1.')
    await here.pressSequentially('once, ')
    for (const each of [here, there])
      await expect.poll(() => each.inputValue()).toBe('Today: once, Seen in turn 2. Not in turn 1.')
    expect(await page.getByRole('alert').count()).toBe(0)
    await window.close()
  })

  test('says that storage is full, keeps what was written on screen, and stores it once there is room', async () => {
    // Before the page is there: later the browser goes for half a minute by the room that it found first.
    const window = await tests.open({}, (page) => giveRoom(page, tests.server.url, 1))
    const { page } = window
    await page.getByRole('button', { name: 'Open the notebook' }).click()
    await page.locator('[data-card="H02"]').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText(/The browser’s storage is full.*on screen only/).waitFor()
    expect(await cardsIn(page, 'Testing')).toEqual(['H02'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toContain('"status": "testing"')
    await giveRoom(page, page.url())
    await page.getByRole('button', { name: 'Try again' }).click()
    await saved(page)
    await page.reload()
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H02'])
    await window.close()
  })

  test('the verdict of a dump stands beside the status, and says where they disagree', async () => {
    const window = await openNotebook()
    const { page } = window
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await page.keyboard.press('6')
    await page.keyboard.press('b')
    await expect.poll(() => textOf(page, 'Pending', 'H02')).toMatch(/dump: supported$/)
    await page.locator('[data-card="H02"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('invalidated')
    await page.getByRole('button', { name: 'Set to invalidated' }).click()
    await page.getByText('The dump disagrees with your status.').waitFor()
    await page.getByText(/^Computed from verifiers-2025-08\.jsonl\.gz/).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => textOf(page, 'Invalidated', 'H02')).toMatch(/⚠ dump: supported ?, which disagrees/)
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'New experiment…' }).click()
    await page.getByRole('button', { name: /^B No PEFT/ }).click()
    await page.getByRole('button', { name: 'Link the open dump' }).click()
    await page.getByText('open now', { exact: false }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a status that was chosen is set where its page is left, and the settings of an experiment stand in lines', async () => {
    const window = await openNotebook()
    const { page } = window
    await page.locator('[data-card="H02"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('testing')
    await page.getByRole('button', { name: 'Leave it' }).click()
    await page.getByRole('button', { name: '← Back' }).click()
    expect(await cardsIn(page, 'Testing')).toEqual([])
    await page.locator('[data-card="H02"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('testing')
    await page.getByRole('textbox', { name: /^Why/ }).fill('ids are dumped')
    await page.getByRole('button', { name: '← Back' }).click()
    await expect.poll(() => cardsIn(page, 'Testing')).toEqual(['H02'])
    await page.locator('[data-card="H02"]').click()
    await page.getByText(/^History/).click()
    await page.getByText('ids are dumped').waitFor()

    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'New experiment…' }).click()
    await page.getByRole('textbox').fill('train --max-prompt-length 4096 --learning-rate 1e-6')
    await page.getByRole('button', { name: /^D Hyperparameters/ }).click()
    const heights = await page
      .locator('.note-box .plain-table tr')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    expect(heights).toHaveLength(2)
    for (const height of heights) expect(height).toBeLessThan(32)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('an experiment claims nothing until somebody says what it tries, which its command line may suggest', async () => {
    const window = await openNotebook()
    const { page } = window
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+N')
    const choices = page.locator('.category-choice')
    await expect.poll(() => choices.count()).toBe(7)
    expect(await page.locator('.category-choice.suggested').count()).toBe(0)
    await page.getByLabel('Its command line').getByRole('textbox').fill('train.py --no-peft --api-key=abc123')
    await page.getByText('It speaks for B: it trains without an adapter.').waitFor()
    await page.getByRole('button', { name: '← Back' }).click()
    await page.getByText('No experiment has been written down.').waitFor()
    await page.keyboard.press('Shift+N')
    await page.getByLabel('Its command line').getByRole('textbox').fill('train.py --no-peft --api-key=abc123')
    await page.locator('.category-choice.suggested').click()
    await page.getByRole('heading', { name: /^B1 / }).waitFor()
    await page.locator('.prose-code').getByText('train.py --no-peft --api-key=***').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('experiments are read off their command lines, found, sorted and put side by side', async () => {
    const window = await openNotebook()
    const { page } = window
    for (const [title, command] of [
      ['Small rank', 'train.py --lora-r 8 --learning-rate 1e-5 --num-generations 8'],
      ['Large rank', 'train.py --lora-r 64 --learning-rate 0.00001 --no-scale-rewards'],
      ['No adapter', 'train.py --no-peft'],
    ] as const) {
      await page.keyboard.press('x')
      await page.keyboard.press('Shift+N')
      await page.getByRole('button', { name: /^A LoRA/ }).click()
      await page.getByLabel('Title').fill(title)
      await page.getByRole('button', { name: 'Write: Command' }).click()
      await page.getByLabel('Command', { exact: true }).last().fill(command)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.getByRole('table').waitFor()
    }
    const titles = () => page.locator('.experiment-title').allInnerTexts()
    expect(await titles()).toEqual(['Small rank', 'Large rank', 'No adapter'])
    await page.getByRole('button', { name: 'LoRA r', exact: true }).click()
    await page.getByRole('button', { name: 'LoRA r', exact: true }).click()
    expect((await titles()).slice(-2)).toEqual(['Large rank', 'Small rank'])
    await page.getByLabel('Find experiments').fill('lora-r=64')
    await expect.poll(titles).toEqual(['Large rank'])
    await page.getByLabel('Find experiments').fill('')
    await page.getByLabel('Put A1 side by side').check()
    await page.getByLabel('Put A2 side by side').check()
    const rows = page.locator('.experiment-comparison tbody tr')
    const differences = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).innerText.split('\t')))
    expect(differences).toEqual([
      ['LoRA r', '8', '64'],
      ['n', '8', 'not said'],
      ['Scaling', 'not said', 'off'],
      ['Outcome', 'not said', 'not said'],
    ])
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each(['light', 'dark'] as const)('breaks no rule of axe-core, %s', async (colorScheme) => {
    const window = await tests.open({ colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const { page } = window
    const broken: Record<string, string[]> = {}
    const look = async (what: string) => {
      const found = await violations(page)
      if (found.length > 0) broken[what] = found
    }
    await page.getByRole('button', { name: 'Open the notebook' }).click()
    await page.locator('[data-card]').first().waitFor()
    await look('board')
    await window.drop([FOLDER])
    await page.getByText('Nothing has changed since', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'README.md' }).click()
    await look('files')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: /^Phase 1/ }).waitFor()
    await look('roadmap')
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Success criteria' }).waitFor()
    await look('problem')
    await page.keyboard.press('x')
    await page.getByLabel('Put A1 side by side').check()
    await page.getByLabel('Put A3 side by side').check()
    await look('experiments')
    await page.getByRole('button', { name: 'High rank' }).click()
    await page.getByRole('heading', { name: 'Settings by hand' }).waitFor()
    await look('experiment')
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await page.keyboard.press('6')
    await page.keyboard.press('b')
    await page.locator('[data-card="H01"]').click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('validated')
    await page.getByRole('button', { name: 'Edit: Description' }).click()
    await look('hypothesis')
    expect(broken).toEqual({})
    await window.close()
  })

  test('a double click makes one hypothesis, whose title is written at once, and whose page says what would decide it', async () => {
    const window = await tests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    await page.keyboard.press('6')
    await page.locator('[data-card]').first().waitFor()
    await page.getByRole('button', { name: 'New hypothesis' }).dblclick()
    await page.getByRole('heading', { name: 'H09' }).waitFor()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('The header goes missing: T05, not C07')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'H09 The header goes missing: T05, not C07' }).waitFor()
    const next = page.getByRole('region', { name: 'What next' })
    await next.getByText('under Invalidation criteria, what would rule it out').waitFor()
    await next.getByText(/Assistant header is missing: failed, 96 of 96 rollouts/).waitFor()
    await next.getByRole('button', { name: 'Pin as evidence: T05' }).click()
    // It is pinned to the page that is open, whatever the check mostly speaks of.
    await page.getByRole('button', { name: 'Pin to H09' }).click()
    await page
      .locator('.evidence-list > li', { hasText: 'T05 Assistant header is missing: 96 of 96 rollouts' })
      .waitFor()
    // A check that passed is evidence as well.
    await next.getByRole('button', { name: 'Pin as evidence: C07' }).click()
    await page.getByRole('button', { name: 'Pin to H09' }).click()
    await page.locator('.evidence-list > li', { hasText: /C07 .*: 0 of 96 rollouts/ }).waitFor()
    await page.getByRole('button', { name: '← Back' }).click()
    await expect.poll(() => cardsIn(page, 'Pending')).toHaveLength(10)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a page begins at its top however far down the board was, and the board is there again where it was', async () => {
    const window = await tests.open({ viewport: { width: 1024, height: 420 } })
    const { page } = window
    await page.getByRole('button', { name: 'Open the notebook' }).click()
    await page.locator('[data-card]').first().waitFor()
    const top = () => page.locator('.notebook-body').evaluate((body) => body.scrollTop)
    await page.locator('.notebook-body').evaluate((body) => {
      body.scrollTop = 240
    })
    await expect.poll(top).toBe(240)
    // What is kept is what the page was told of by its scroll event, which comes with the next frame.
    const nextFrames = () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await nextFrames()
    await page.locator('[data-card="H08"]').focus()
    await nextFrames()
    const before = await top()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'H08 Evaluation/training mismatch' }).waitFor()
    await expect.poll(top).toBe(0)
    await page.goBack()
    await page.locator('[data-card="H08"]').waitFor()
    await expect.poll(top).toBe(before)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
