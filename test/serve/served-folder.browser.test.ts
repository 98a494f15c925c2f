import { appendFileSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommandIo } from '../../cli/io.ts'
import { serve } from '../../cli/serve.ts'
import { describePage } from '../browser/describe-page.ts'
import { SAMPLES, TestFolder } from '../browser/inspector-page.ts'

const ONE = 'clean-gsm8k.jsonl.gz'
const OTHER = 'clean-qwen2.5.jsonl.gz'

/** Serves a folder as the command does; `url` is the printed address. */
async function serving(path: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const output = { text: '' }
  const stdout = { write: (text: string | Uint8Array) => (output.text += String(text)) }
  const io: CommandIo = {
    stdout,
    stderr: { write: () => true },
    stdin: (async function* () {})(),
    env: {},
    directory: '/',
  }
  const stopping = new AbortController()
  const end = serve([path, '--port', '0'], io, stopping.signal)
  await expect.poll(() => output.text).toContain('http://')
  return {
    url: output.text.match(/http:\S+/)![0],
    async stop() {
      stopping.abort()
      await end
    },
  }
}

describePage('a folder that is served', (tests) => {
  const { folder } = tests
  let stop = async () => {}
  let url = ''

  beforeEach(async () => {
    for (const name of ['single', 'multi']) mkdirSync(join(folder.path, name), { recursive: true })
    copyFileSync(join(SAMPLES, ONE), join(folder.path, 'single', 'step_1.jsonl.gz'))
    copyFileSync(join(SAMPLES, OTHER), join(folder.path, 'multi', 'step_1.jsonl.gz'))
    copyFileSync(join(SAMPLES, OTHER), join(folder.path, 'multi', 'step_2.jsonl.gz'))
    folder.write('multi/tokenizer.json', '{}')
    ;({ url, stop } = await serving(folder.path))
  })
  afterEach(() => stop())

  test('is offered file by file and folder by folder, none of it opened; what was chosen comes back with the page', async () => {
    const context = await tests.browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(url)
    const offered = page.getByRole('region', { name: /^Files in / })
    await offered.waitFor()
    await expect.poll(() => offered.getByRole('button', { name: 'step_1.jsonl.gz' }).count()).toBe(2)
    expect(await offered.getByText('tokenizer.json').count()).toBe(0)
    await offered.getByRole('button', { name: 'Open as one run: multi' }).click()
    await page.getByRole('button', { name: /files.*2 · step_1\.jsonl\.gz/ }).waitFor()
    await page.getByText(/^read [\d,]+ rollouts$/).waitFor()
    await page.keyboard.press('2')
    await expect.poll(() => page.url()).toContain('rollouts')
    const place = new URL(page.url()).hash
    await page.reload()
    await page.getByRole('button', { name: /files.*2 · step_1\.jsonl\.gz/ }).waitFor()
    await page.locator('.rollout-table tbody .rollout-row').first().waitFor()
    expect(new URL(page.url()).hash).toBe(place)
    await context.close()
  })

  test('has the sample run open again, which is none of its files, where that was open', async () => {
    const context = await tests.browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Open the sample run' }).click()
    await page.getByText(/^read [\d,]+ rollouts$/).waitFor()
    await page.keyboard.press('2')
    await expect.poll(() => page.url()).toContain('view=rollouts')
    const place = new URL(page.url()).hash
    await page.reload()
    await page.locator('.rollout-table tbody .rollout-row').first().waitFor()
    expect(new URL(page.url()).hash).toBe(place)
    await context.close()
  })

  test('of many files leaves what else can be opened in sight, and offers no programs', async () => {
    const own = new TestFolder()
    for (let file = 0; file < 22; file++) {
      own.write(`step_${file}.jsonl`, '{}\n')
      own.write(`make-${file}.ts`, 'export {}\n')
    }
    const many = await serving(own.path)
    const page = await tests.browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(many.url)
    await page
      .getByRole('region', { name: /^Files in / })
      .getByText('22 files')
      .waitFor()
    expect(await page.getByText('make-1.ts').count()).toBe(0)
    const bottom = (await page.getByRole('button', { name: 'Open the sample run' }).boundingBox())?.y ?? 900
    expect(bottom).toBeLessThan(860)
    await page.close()
    await many.stop()
    own.remove()
  })

  test('is followed as far as it was opened: what comes to the folder that was chosen belongs to the run', async () => {
    const context = await tests.browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Open as one run: multi' }).click()
    await page.getByText(/^read [\d,]+ rollouts$/).waitFor()
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 192 rollouts so far').waitFor()
    copyFileSync(join(SAMPLES, ONE), join(folder.path, 'single', 'step_2.jsonl.gz'))
    copyFileSync(join(SAMPLES, ONE), join(folder.path, 'multi', 'step_3.jsonl.gz'))
    await page.getByText('following, 256 rollouts so far').waitFor()
    await context.close()
  })

  test('is what other rollouts and a second run are chosen of', async () => {
    const context = await tests.browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('checkbox', { name: 'Choose step_1.jsonl.gz' }).nth(1).check()
    await page.getByRole('button', { name: 'Open the chosen file' }).click()
    await page.getByText(/^read [\d,]+ rollouts$/).waitFor()
    await page.keyboard.press('6')
    await page.getByRole('button', { name: /^Compare…$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByTitle('multi/step_2.jsonl.gz').click()
    await page.getByRole('button', { name: /second run.*step_2\.jsonl\.gz/ }).waitFor()
    await page.getByRole('button', { name: 'Open…' }).click()
    await dialog.getByTitle('multi/step_2.jsonl.gz').click()
    await page.getByRole('button', { name: /files.*step_2\.jsonl\.gz/ }).waitFor()
    await context.close()
  })
})

describePage('a served folder that comes back', (tests) => {
  const { folder } = tests
  const lines = gunzipSync(readFileSync(join(SAMPLES, ONE)))
    .toString()
    .split(/(?<=\n)/)
  const whole = (name: string) => folder.write(name, lines.join(''))

  test('has the run that was followed open, though it grew, at the view that was shown', async () => {
    const path = folder.write('grown/run.jsonl', lines.slice(0, 30).join(''))
    whole('grown/other.jsonl')
    const { url, stop } = await serving(join(path, '..'))
    const page = await tests.browser.newPage()
    await page.goto(url)
    await page.getByTitle('run.jsonl').click()
    await page.getByText('read 30 rollouts').waitFor()
    appendFileSync(path, lines.slice(30, 40).join(''))
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('following, 40 rollouts so far').waitFor()
    await page.keyboard.press('2')
    await expect.poll(() => page.url()).toContain('view=rollouts')
    appendFileSync(path, lines.slice(40, 44).join(''))
    await page.getByText('following, 44 rollouts so far').waitFor()
    await page.reload()
    await page.getByText('read 44 rollouts').waitFor()
    expect(page.url()).toContain('view=rollouts')
    await page.close()
    await stop()
  })

  test.each([
    ['the same file in another folder opens it', 'same', true],
    ['another file than the only one here leaves it closed, and says so', 'other', false],
  ])('by a link into %s', async (_, name, isOpened) => {
    const first = await serving(join(whole(`${name}/first/run.jsonl`), '..'))
    const page = await tests.browser.newPage()
    await page.goto(first.url)
    await page.getByText('read 64 rollouts').waitFor()
    await page.keyboard.press('2')
    await expect.poll(() => page.url()).toContain('view=rollouts')
    const place = new URL(page.url()).hash
    await first.stop()
    const own = isOpened ? lines : lines.slice(1)
    const second = await serving(join(folder.write(`${name}/second/run.jsonl`, own.join('')), '..'))
    // Enters without a page that would open the file.
    await page.request.get(second.url)
    await page.goto(new URL(`/${place}`, second.url).href)
    if (isOpened) await page.locator('.rollout-table tbody .rollout-row').first().waitFor()
    else await page.getByText('run.jsonl is not opened: the link').waitFor()
    // One link is spoken of once.
    const notices = await page.locator('.start-notice').allInnerTexts()
    expect(notices.filter((words) => words.includes('link'))).toHaveLength(isOpened ? 0 : 1)
    expect(new URL(page.url()).hash).toBe(place)
    await page.close()
    await second.stop()
  })
})
