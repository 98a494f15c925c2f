import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, main, root } from './setup.mjs'

/** Pixels on a side. The packager makes the .icns and .ico from it. */
const SIZE = 1024

// Draws electron/icons/icon.png from the page's own icon, in the browser that the tests use.
await main(async () => {
  await ensureInstalled()
  const { createServer } = await import('vite')
  const vite = await createServer({ configFile: false, root, logLevel: 'error', server: { middlewareMode: true } })
  const { launchChromium } = await vite.ssrLoadModule('/test/helpers/chromium.ts')
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } })
  const drawing = readFileSync(join(root, 'renderer', 'public', 'icon.svg'), 'utf8')
  await page.setContent(`<style>html,body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${drawing}`)
  writeFileSync(join(root, 'electron', 'icons', 'icon.png'), await page.screenshot({ omitBackground: true }))
  await browser.close()
  await vite.close()
  return 0
})
