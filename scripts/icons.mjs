import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, main, root } from './setup.mjs'

/** Pixels on a side. The packager makes the .icns and .ico from it. */
const SIZE = 1024

/** The sizes that the icon theme of every Linux desktop has a folder for. What lies in another one is not looked for. */
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512]

// Draws electron/icons/icon.png, and one of each size for Linux, from the page's own icon, in the browser that the tests use.
await main(async () => {
  await ensureInstalled()
  const { createServer } = await import('vite')
  const vite = await createServer({ configFile: false, root, logLevel: 'error', server: { middlewareMode: true } })
  const { launchChromium } = await vite.ssrLoadModule('/test/helpers/chromium.ts')
  const browser = await launchChromium()
  const page = await browser.newPage()
  const drawing = readFileSync(join(root, 'renderer', 'public', 'icon.svg'), 'utf8')
  await page.setContent(`<style>html,body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${drawing}`)
  const draw = async (size, ...path) => {
    await page.setViewportSize({ width: size, height: size })
    writeFileSync(join(root, 'electron', 'icons', ...path), await page.screenshot({ omitBackground: true }))
  }
  await draw(SIZE, 'icon.png')
  mkdirSync(join(root, 'electron', 'icons', 'linux'), { recursive: true })
  for (const size of LINUX_SIZES) await draw(size, 'linux', `${size}x${size}.png`)
  await browser.close()
  await vite.close()
  return 0
})
