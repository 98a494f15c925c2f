import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../../cli/server/http-server.ts'
import { listFolder } from '../../cli/server/opening.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { describePage } from './describe-page.ts'
import { openWindow, SAMPLES } from './inspector-page.ts'
import { scroll, scrolled } from './scrolling.ts'

const SAMPLE = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const SECOND = join(SAMPLES, 'clean-gsm8k.jsonl.gz')

describePage('the way back', (tests) => {
  test('to Verdicts finds open what was opened, and as far down as it was', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    const defect = page.locator('.defect-toggle').first()
    await defect.click()
    const checks = page.getByText(/^\d+ checks? passed$/)
    await checks.click()
    // Titles name faults: those that were not found are said to be none.
    await page
      .getByText(/not found, in [\d,]+ places?$/)
      .first()
      .waitFor()
    await page.getByText('Turn edges').waitFor()
    const thresholds = page
      .getByRole('article', { name: /^H02/ })
      .locator('details')
      .filter({ hasText: 'Its thresholds' })
    await thresholds.locator('summary').click()
    const prompts = page.getByRole('button', { name: 'prompt', exact: true })
    await prompts.click()
    await scroll(page, '.verdicts', 700)
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await page.keyboard.press('1')
    await expect.poll(() => defect.getAttribute('aria-expanded')).toBe('true')
    await expect.poll(() => page.locator('details[open]').filter({ has: checks }).count()).toBe(1)
    await expect.poll(() => thresholds.getAttribute('open')).toBe('')
    await expect.poll(() => prompts.getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => scrolled(page, '.verdicts')).toBe(700)
    // Another dump has other lines.
    await window.drop([SECOND], 20)
    await page.getByText('64 of 64 rollouts listed').waitFor()
    expect(await page.locator('.other-checks details[open]').count()).toBe(0)
    await expect.poll(() => scrolled(page, '.verdicts')).toBe(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('is the browser’s: from view to view, with the query and the place in the table', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    const grid = page.getByRole('grid', { name: 'Rollouts' })
    await grid.waitFor()
    await page.getByRole('combobox', { name: /query/i }).first().fill('turns>=3')
    await page.keyboard.press('Enter')
    await page.getByText(/^\d+ of 96 rollouts listed$/).waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toContain('q=turns')
    await scroll(page, '.rollout-scroller', 300)
    await page.keyboard.press('4')
    await page.getByRole('group', { name: 'What to try' }).waitFor()
    await page.getByRole('button', { name: 'Advantages and loss' }).click()
    await page.keyboard.press('3')
    await page.getByRole('grid', { name: 'Groups' }).waitFor()
    await page.goBack()
    await expect
      .poll(() => page.getByRole('button', { name: 'Advantages and loss' }).getAttribute('aria-pressed'))
      .toBe('true')
    // The same by key, which a window without buttons has as well.
    await page.keyboard.press('Control+[')
    await grid.waitFor()
    expect(await page.evaluate('location.hash')).toContain('q=turns')
    await expect.poll(() => scrolled(page, '.rollout-scroller')).toBe(300)
    await page.goBack()
    await page.locator('.verdicts').waitFor()
    await page.goForward()
    await grid.waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from the flagged rollouts leads to the rollout that was left', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    for (let row = 0; row < 6; row++) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token.selected').waitFor()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollout&rollout=5&tokens=\d+/)
    await page.keyboard.press('f')
    const left = await page.evaluate('location.hash')
    await page.getByRole('button', { name: /^\d+ flagged$/ }).click()
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/view=rollouts&q=/)
    await page.goBack()
    await expect.poll(() => page.evaluate('location.hash')).toBe(left)
    await page.locator('.tokens .token.selected').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('to a rollout, and a link into it, find the finding that was chosen and not another of the same tokens', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    // Two findings mark just these tokens.
    const of = (code: string) =>
      page.locator('button.finding').filter({ hasText: new RegExp(`${code} .*tokens 441–488`) })
    await of('L02').waitFor()
    for (const [code, other] of [
      ['T05', 'L02'],
      ['L02', 'T05'],
    ] as const) {
      await of(code).click()
      const isChosen = page.locator('button.finding[aria-current]').filter({ hasText: code })
      await isChosen.waitFor()
      await expect.poll(() => page.evaluate('location.hash')).toMatch(/tokens=441-489&finding=[0-9a-f]{16}/)
      const link = await page.evaluate('location.hash')
      await page.keyboard.press('2')
      await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
      await page.goBack()
      await isChosen.waitFor()
      await of(other).click()
      await page.locator('button.finding[aria-current]').filter({ hasText: other }).waitFor()
      await page.evaluate((hash) => {
        location.hash = hash as string
      }, link)
      await isChosen.waitFor()
      await expect.poll(() => page.locator('button.finding[aria-current]').count()).toBe(1)
    }
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('from the notebook leads to the start page where no dump is open', async () => {
    const window = await tests.open()
    const { page } = window
    const start = page.getByRole('button', { name: /^Open( files)?…$/ })
    await start.waitFor()
    await page.keyboard.press('6')
    await expect.poll(() => page.evaluate('location.hash')).toContain('view=notebook')
    await page.goBack()
    await expect.poll(() => page.evaluate('location.hash')).toBe('')
    await page.locator('.start').waitFor()
    await page.evaluate("location.hash = '#dump=0123456789abcdef&view=rollouts'")
    await page.getByText('That place is in another run.').waitFor({ state: 'attached' })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('into another run says so, and goes there once that run is open', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('3')
    await page.getByRole('grid', { name: 'Groups' }).waitFor()
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await window.drop([SECOND], 20)
    await page.getByText('64 of 64 rollouts listed').waitFor()
    await page.goBack()
    await page.getByText('That place is in another run. Open that run to go there.').waitFor({ state: 'attached' })
    await window.drop([SAMPLE], 20)
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await window.read()
    expect(await page.evaluate('location.hash')).toContain('view=rollouts')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('by a link into another run than the one file that is served says so and leaves the file to choose', async () => {
    tests.folder.write('served/step_1.jsonl.gz', readFileSync(SAMPLE))
    const served = new ServedFiles()
    const listed = () => listFolder(join(tests.folder.path, 'served'), served)
    const folder = async () => ({ name: 'served', key: 'k', ...(await listed()) })
    const session = async () => ({ files: [], folder: await folder(), sample: null, notice: null })
    const site = createSite({ places: findPlaces(), served, session })
    const server = await startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
    const link = `${server.url}#dump=0123456789abcdef&view=rollouts`
    const window = await openWindow(tests.browser, { ...server, url: link })
    await window.page.getByText(/^step_1\.jsonl\.gz is not opened: the link .* points into another run/).waitFor()
    await window.page.getByText('step_1.jsonl.gz', { exact: true }).first().waitFor()
    await expect.poll(() => window.page.locator('.start').count()).toBe(1)
    expect(window.errors).toEqual([])
    await window.close()
    await server.close()
  })

  test('by a link, where a folder is served, is told above its files, one of which is to be chosen', async () => {
    const names = Array.from({ length: 14 }, (_, i) => `linked/step_${i + 10}.jsonl.gz`)
    for (const name of names) tests.folder.write(name, readFileSync(SAMPLE))
    const served = new ServedFiles()
    const folder = async () => ({
      name: 'linked',
      key: 'linked',
      ...(await listFolder(join(tests.folder.path, 'linked'), served)),
    })
    const session = async () => ({ files: [], folder: await folder(), sample: null, notice: null })
    const site = createSite({ places: findPlaces(), served, session })
    const server = await startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
    const window = await openWindow(tests.browser, { ...server, url: `${server.url}#dump=0123456789abcdef&view=lab` })
    const told = window.page.getByText('The link points into a dump that is not open here')
    await told.waitFor()
    const list = window.page.getByRole('heading', { name: 'Files in linked' })
    await list.waitFor()
    expect(await told.innerText()).toContain('Choose its file below, or drop it, to see the place.')
    const top = async (of: typeof told) => (await of.boundingBox())?.y ?? Number.NaN
    expect(await top(told)).toBeLessThan(await top(list))
    expect(window.errors).toEqual([])
    await window.close()
    await server.close()
  })

  test('to a rollout is to the lines that were in sight, by the browser, by key and after a reload', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const selected = page.locator('.tokens .token.selected')
    await selected.waitFor()
    await scroll(page, '.tokens', 1107)
    expect(await selected.count()).toBe(0)
    await page.keyboard.press('1')
    await page.locator('.verdicts').waitFor()
    await page.goBack()
    await expect.poll(() => scrolled(page, '.tokens')).toBe(1107)
    await page.keyboard.press('1')
    await page.locator('.verdicts').waitFor()
    await page.keyboard.press('4')
    await page.getByRole('group', { name: 'What to try' }).waitFor()
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    await expect.poll(() => scrolled(page, '.tokens')).toBe(1107)
    const held = () => page.evaluate<string | undefined>('JSON.stringify(history.state.tokens)')
    await expect.poll(held).toBeDefined()
    const before = await held()
    await scroll(page, '.tokens', 911)
    await expect.poll(held).not.toBe(before)
    await page.reload()
    await page.getByText('The link points into verifiers-2025-08.jsonl.gz, which was open here before').waitFor()
    const steps = await page.evaluate('history.length')
    await window.drop([SAMPLE])
    await window.read()
    await expect.poll(() => scrolled(page, '.tokens')).toBe(911)
    expect(await page.evaluate('history.length')).toBe(steps)
    // A key that moves the selection leads to it.
    await page.keyboard.press('l')
    await selected.waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('to a table is to where it was scrolled to, also with the selected row out of sight', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('2')
    const grid = page.getByRole('grid', { name: 'Rollouts' })
    await grid.waitFor()
    await page.keyboard.press('j')
    await page.locator('#rollout-0[aria-selected=true]').waitFor()
    await scroll(page, '.rollout-scroller', 900)
    await page.keyboard.press('1')
    await page.locator('.verdicts').waitFor()
    await page.keyboard.press('2')
    await page.locator('#rollout-40').waitFor()
    await expect.poll(() => scrolled(page, '.rollout-scroller')).toBe(900)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('to the end of a table is to its end', async () => {
    const groups = Array.from({ length: 300 }, (_, at) =>
      [0, 1].map((each) =>
        JSON.stringify({
          id: `g${at}-${each}`,
          group_id: `g${at}`,
          reward: (at + each) % 3 === 0 ? 1 : 0,
          input_ids: [1, 2, 3, 4],
          loss_mask: [0, 0, 1, 1],
        }),
      ),
    )
    const window = await tests.openWith([tests.folder.write('groups.jsonl', `${groups.flat().join('\n')}\n`)])
    const { page } = window
    for (const [key, name, scroller] of [
      ['3', 'Groups', '.group-scroller'],
      ['2', 'Rollouts', '.rollout-scroller'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('grid', { name }).waitFor()
      const end = await page.locator(scroller).evaluate((element) => element.scrollHeight - element.clientHeight)
      await scroll(page, scroller, end)
      for (const [view, sign] of [
        ['1', '.verdicts'],
        ['4', 'fieldset[aria-label="What to try"]'],
      ] as const) {
        await page.keyboard.press(view)
        await page.locator(sign).waitFor()
        await page.keyboard.press(key)
        await page.getByRole('grid', { name }).waitFor()
        await expect.poll(() => scrolled(page, scroller), { message: name }).toBe(end)
      }
      // Also where the window was higher for a moment.
      await page.setViewportSize({ width: 1440, height: 1000 })
      await expect.poll(() => scrolled(page, scroller), { message: name }).toBe(end - 100)
      await page.setViewportSize({ width: 1440, height: 900 })
      await expect.poll(() => scrolled(page, scroller), { message: name }).toBe(end)
    }
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('to an empty Compare speaks of no comparison, and a run that was dropped there is kept by its name', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await expect.poll(() => page.evaluate(keptPlaces('view=compare'))).toEqual(['null'])
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([SAMPLE])
    await window.read()
    await page.getByText('You were at Compare when this dump was closed').waitFor()
    await page.getByRole('button', { name: 'Go on there' }).click()
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([SECOND], 400)
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await expect.poll(() => page.evaluate(keptPlaces('view=compare'))).toEqual(['clean-gsm8k.jsonl.gz'])
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('to a comparison asks for the second run by its name', async () => {
    const window = await tests.openWith([SAMPLE])
    const { page } = window
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([SECOND], 400)
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await page.keyboard.press('c')
    // It is kept once a person stays.
    await expect
      .poll(() => page.evaluate(keptPlaces('tab=curves')))
      .toContainEqual(expect.stringContaining('clean-gsm8k.jsonl.gz'))
    await page.goto('about:blank')
    await page.goto(tests.server.url)
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    await window.drop([SAMPLE])
    await window.read()
    await page.getByText(/You were comparing this run with clean-gsm8k\.jsonl\.gz when it was closed/).waitFor()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose its files…' }).click(),
    ])
    await chooser.setFiles([SECOND])
    // Where it was left: its distributions.
    await page.getByRole('tab', { name: /^Distributions and steps/, selected: true }).waitFor()
    await page.locator('.curve').first().waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})

/** Of the kept places whose addresses have this, the runs that each was compared with. */
const keptPlaces = (part: string) => `new Promise((done, fail) => {
  const opening = indexedDB.open('rollout-inspector')
  opening.onerror = () => fail(opening.error)
  opening.onsuccess = () => {
    const all = opening.result.transaction('lastPlaces').objectStore('lastPlaces').getAll()
    all.onsuccess = () => {
      opening.result.close()
      done(all.result.filter(({ address }) => address.includes('${part}')).map(({ beside }) => String(beside)))
    }
  }
})`
