import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'

const ROOT = join(import.meta.dirname, '..', '..')

describe.skipIf(chromiumMissing !== null)(
  `the served page${chromiumMissing === null ? '' : ` (${chromiumMissing})`}`,
  () => {
    let browser: Browser
    const running: ChildProcess[] = []

    beforeAll(async () => {
      browser = await launchChromium()
    })
    afterAll(() => browser.close())
    afterEach(async () => {
      for (const child of running.splice(0)) {
        if (child.exitCode !== null) continue
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    })

    /** Starts what `npm start` falls back on; gives the printed address, and what it says on standard error. */
    async function start(files: readonly string[]) {
      const env = { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' }
      const child = spawn(process.execPath, [join(ROOT, 'dist', 'cli', 'start.js'), ...files], { env })
      running.push(child)
      const said = { stdout: '', stderr: '' }
      child.stdout.on('data', (chunk) => (said.stdout += chunk))
      child.stderr.on('data', (chunk) => (said.stderr += chunk))
      await expect.poll(() => said.stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+\n/)
      return { child, said, url: said.stdout.match(/http:\S+/)![0] }
    }

    test('opens the file that was named, from an address that no longer carries the token', async () => {
      const { url } = await start([join(ROOT, 'samples', 'clean-gsm8k.jsonl.gz')])
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
      await page.goto(url)
      await page.getByRole('button', { name: /files.*clean-gsm8k\.jsonl\.gz/ }).waitFor()
      expect(page.url()).not.toContain('token')
      expect(errors).toEqual([])
      await page.close()
    })

    test('shows a stranger nothing, and tells whom it belongs to', async () => {
      const { url } = await start([])
      const context = await browser.newContext()
      const page = await context.newPage()
      const answer = await page.goto(new URL('/', url).href)
      expect(answer?.status()).toBe(403)
      await expect.poll(() => page.locator('body').textContent()).toContain('Open the address that the command printed')
      await context.close()
    })

    test('says what could not be opened, and that a second one keeps its own flags', async () => {
      await start([])
      const second = await start([join(ROOT, 'gone.jsonl')])
      expect(second.said.stderr).toContain('gone.jsonl does not exist')
      expect(second.said.stderr).toContain('made at port')
      const page = await browser.newPage()
      await page.goto(second.url)
      await page.getByText('gone.jsonl does not exist').waitFor()
      await page.close()
    })

    test('ends when it is told to', async () => {
      const { child } = await start([])
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      expect(code).toBe(0)
    })
  },
)
