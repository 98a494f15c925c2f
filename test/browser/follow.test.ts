import { appendFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startServer } from '../../cli/server/http-server.ts'
import { listFolder } from '../../cli/server/opening.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { searchRollouts } from '../cli/dumps.ts'
import { describePage } from './describe-page.ts'
import { HOLDING } from './hold-answers.ts'
import { openWindow, TestFolder } from './inspector-page.ts'

describePage('a run that is followed in the page', (tests) => {
  let rollouts: string[]
  // A folder is served and read whole, so that each test has its own.
  let folder: TestFolder
  beforeAll(async () => {
    rollouts = (await searchRollouts(16, [9])).map((line) => `${line}\n`)
  })
  beforeEach(() => {
    folder = new TestFolder()
  })
  afterEach(() => folder.remove())

  const part = (from: number, to: number) => rollouts.slice(from, to).join('')

  test('shows what is written to a served folder, and says the first fault', async () => {
    const path = folder.write('step_1.jsonl', part(0, 4))
    const served = new ServedFiles()
    const session = async () => ({ ...(await listFolder(folder.path, served)), sample: null, notice: null })
    const server = await startServer(createSite({ places: findPlaces(), served, session }), {
      host: '127.0.0.1',
      port: 0,
      orNext: false,
    })
    const window = await openWindow(tests.browser, server)
    const { page } = window
    await window.read()
    const follow = page.getByRole('button', { name: 'Follow', exact: true })
    await follow.click()
    await page.getByText('following, 4 rollouts so far').waitFor()
    expect(await follow.getAttribute('aria-pressed')).toBe('true')
    appendFileSync(path, part(4, 6))
    folder.write('step_2.jsonl', part(6, 8))
    await page.getByText('following, 8 rollouts so far').waitFor()
    await page.getByRole('button', { name: /^files 2 · step_1/ }).waitFor()
    await page.getByRole('button', { name: /^Rollouts/ }).click()
    await page.getByRole('row', { name: /q7/ }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /q7/ }).waitFor()
    // What comes to the first file moves the rollouts of the second; the one that is looked at stays.
    appendFileSync(path, part(8, 12))
    await page.getByText(/M01 in step_1\.jsonl, line 8, rollout q9: /).waitFor()
    await page.getByRole('heading', { name: /q7/ }).waitFor()
    // It says why it stands there, and leads to what it is about.
    await page.getByText('The first fault at error level while this run is followed: M01 in').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Rollouts with M01' }).click()
    await page.getByRole('row', { name: /q9/ }).waitFor()
    await expect.poll(() => page.locator('tbody .rollout-row').count()).toBe(1)
    // The line of the fault is gone with what was written; that is no fault of its own.
    folder.write('step_1.jsonl', part(0, 3))
    await page.getByRole('status').getByText('step_1.jsonl was written anew and begins as before').waitFor()
    expect(await page.getByText(/M01 in step_1\.jsonl, line 8/).count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
    await follow.click()
    await page.getByText('read 5 rollouts').waitFor()
    expect(await follow.getAttribute('aria-pressed')).toBe('false')
    expect(window.errors).toEqual([])
    await window.close()
    await server.close()
  })

  test.each([
    ['Limits', '0 8', '0 16'],
    ['Repaired masks', 'all 8 masks', '1 of 16 masks would change'],
    ['Policy', 'The run is still followed. End following', 'fails in 16 of 16'],
  ])('has all that was written in the lab once it is no longer followed: %s', async (panel, followed, ended) => {
    const path = folder.write('run.jsonl', part(0, 8))
    const window = await tests.open()
    const { page } = window
    const lab = async () => (await page.locator('.lab').innerText()).replace(/\s+/g, ' ')
    await window.drop([path])
    await window.read()
    const follow = page.getByRole('button', { name: 'Follow', exact: true })
    await follow.click()
    await page.getByText('following, 8 rollouts so far').waitFor()
    await page.keyboard.press('4')
    await page.getByRole('button', { name: panel, exact: true }).click()
    if (panel === 'Policy') await page.getByRole('radio', { name: /^last turn/ }).check()
    await expect.poll(lab).toContain(followed)
    appendFileSync(path, part(8, 16))
    await follow.click()
    await page.getByText('read 16 rollouts').waitFor()
    await expect.poll(lab).toContain(ended)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('says what to do where the window was given files that it cannot see grow', async () => {
    const path = folder.write('run.jsonl', part(0, 3))
    const window = await tests.open()
    const { page } = window
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Open files…' }).click()
    await (await chooser).setFiles(path)
    await window.read()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Follow this run')
    await page.keyboard.press('Enter')
    await page.getByText('Drop them from the file manager in Chrome or Edge').waitFor()
    await page.getByText('read 3 rollouts').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('says that it is stopping, and asks no second time, where what it reads cannot be left at once', async () => {
    const path = folder.write('run.jsonl', part(0, 3))
    const window = await tests.open({}, async (page) => void (await page.addInitScript(HOLDING)))
    const { page } = window
    await window.drop([path])
    await window.read()
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 3 rollouts so far').waitFor()
    appendFileSync(path, part(3, 7))
    await page.evaluate(`window.hold('follow', 'progress')`)
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    const told = page.locator('.under-way', { hasText: /reading what was written until now…/i })
    await told.getByRole('button', { name: 'Stop' }).click()
    await told.getByText('Stopping: Reading what was written until now…').waitFor()
    expect(await told.getByRole('button').count()).toBe(0)
    await page.evaluate('window.letGo()')
    await told.waitFor({ state: 'detached' })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('reads on what was dropped, where the browser lends a handle for it', async () => {
    const path = folder.write('run.jsonl', part(0, 3))
    const window = await tests.open()
    await window.drop([path])
    await window.read()
    await window.page.getByRole('button', { name: 'Follow', exact: true }).click()
    await window.page.getByText('following, 3 rollouts so far').waitFor()
    appendFileSync(path, part(3, 7))
    await window.page.getByText('following, 7 rollouts so far').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })
})
