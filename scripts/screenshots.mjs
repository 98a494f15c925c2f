import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

/** The others are shown in light alone. */
const IN_DARK = ['verdicts', 'rollout']

// Takes the pictures of docs/images anew, from the samples, in the browser that the tests use.
await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const { createServer } = await import('vite')
  const vite = await createServer({ configFile: false, root, logLevel: 'error', server: { middlewareMode: true } })
  const { launchChromium } = await vite.ssrLoadModule('/test/helpers/chromium.ts')
  const { openWindow, servePage, SAMPLES } = await vite.ssrLoadModule('/test/browser/inspector-page.ts')
  const browser = await launchChromium()
  const server = await servePage()
  const images = join(root, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  for (const colorScheme of ['light', 'dark']) {
    const window = await openWindow(browser, server, { colorScheme, reducedMotion: 'reduce' })
    const { page } = window
    const take = async (name) => {
      if (colorScheme === 'dark' && !IN_DARK.includes(name)) return
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(images, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`) })
    }
    await window.drop([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    await window.read()
    await page.getByText('Turn edges').waitFor()
    await take('verdicts')
    await page.keyboard.press('2')
    await page.locator('.mask-strip').first().waitFor()
    await take('rollouts')
    await page.keyboard.press('Enter')
    await page.locator('.token.trained').first().waitFor()
    // The edge at which the header of the second assistant turn is missing.
    await page
      .getByRole('button', { name: /Assistant turn 2 has no header/ })
      .first()
      .click()
    await take('rollout')
    await page.keyboard.press('3')
    await page.locator('.group-bar').first().waitFor()
    await take('groups')
    await page.keyboard.press('4')
    await page.getByRole('spinbutton', { name: /^sequence length/ }).fill('900')
    await page.getByText('tried 900').waitFor()
    await take('lab')
    await page.keyboard.press('Escape')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('6')
    await page.locator('[data-card]').first().waitFor()
    await take('notebook')
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')], 820)
    await page.keyboard.press('5')
    await page.locator('.compare table').first().waitFor()
    await page.locator('.notice').waitFor({ state: 'hidden' })
    await take('compare')
    await window.close()
  }
  await browser.close()
  await server.close()
  await vite.close()
  return 0
})
