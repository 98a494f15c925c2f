import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES } from './inspector-page.ts'

const FAILING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const CLEAN = join(SAMPLES, 'clean-qwen2.5.jsonl.gz')
const MANY = 2100
/** Of an A4 page, without its margins (pixels). */
const PAGE_WIDTH = 703

/** Takes the place of the browser's dialog, which would hold everything up: keeps what would be on paper. */
const PRINT_TO_TEXT = `window.print = () => {
  dispatchEvent(new Event('beforeprint'))
  window.paper = {
    rows: [...document.querySelectorAll('.view tbody tr')].map((row) => row.textContent),
    said: [...document.querySelectorAll('.view .print-only')].map((line) => line.textContent).join(' '),
  }
  dispatchEvent(new Event('afterprint'))
}`

/** Gives the command and waits for the paper. */
async function print(page: Page): Promise<{ rows: string[]; said: string }> {
  await page.evaluate(`window.paper = null; ${PRINT_TO_TEXT}`)
  await page.keyboard.press('Control+p')
  const paper = () => page.evaluate('window.paper ?? null') as Promise<{ rows: string[]; said: string } | null>
  await expect.poll(paper).not.toBeNull()
  return (await paper()) as { rows: string[]; said: string }
}

/** Whether the strip of a rollout has a colour in it, given as `#rrggbb`. */
function paints(page: Page, colour: string): Promise<boolean> {
  return page.locator('.rollout-position-map canvas').evaluate((canvas: HTMLCanvasElement, hex) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
    const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.trim().slice(at, at + 2), 16))
    for (let at = 0; at < data.length; at += 4) if (wanted.every((part, k) => data[at + k] === part)) return true
    return false
  }, colour)
}

describePage('tables on paper', ({ folder, open, openWith }) => {
  test('have all of their rows, with what they hold', async () => {
    const window = await openWith([FAILING], { viewport: { width: 1200, height: 500 } })
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').nth(5).waitFor()
    const onScreen = await page.locator('.rollout-table tbody tr').count()
    const { rows, said } = await print(page)
    expect(onScreen).toBeLessThan(50)
    expect(rows).toHaveLength(96)
    expect(rows.filter((row) => row === '…')).toEqual([])
    expect(said).toBe('All 96 rows.')
    await expect.poll(() => page.locator('.rollout-table tbody tr').count()).toBe(onScreen)

    await page.keyboard.press('3')
    await page.locator('.group-row').first().waitFor()
    const groups = await print(page)
    expect(groups.said).toBe('All 12 rows.')
    expect(groups.rows.filter((row) => row.startsWith('…'))).toEqual([])
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 750, height: 1000 })
    const [table, detail] = await Promise.all([
      page.locator('.group-table').boundingBox(),
      page.locator('.group-detail').boundingBox(),
    ])
    expect((table?.y ?? 0) + (table?.height ?? 0)).toBeLessThanOrEqual(detail?.y ?? 0)
    await page.emulateMedia({ media: null })
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('and all views are named by their run, light whatever the screen is, and words stand whole in lines of the page', async () => {
    const window = await openWith([FAILING], { colorScheme: 'dark' })
    const { page } = window
    for (const key of ['2', 'j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.token.trained').first().waitFor()
    // By this name a browser saves what it prints into a file.
    expect(await page.title()).toBe('verifiers-2025-08.jsonl.gz · rollout · Rollout Inspector')
    const trained = () =>
      page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--strip-trained')") as Promise<string>
    const dark = await trained()
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await trained()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => paints(page, dark)).toBe(true)
    expect(await paints(page, light)).toBe(false)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await paints(page, light)).toBe(true)
    expect(await paints(page, dark)).toBe(false)
    // Whatever is wider than the page would break once more there.
    const widest = await page.locator('.tokens').evaluate((tokens) => {
      const ends = [...tokens.querySelectorAll('.token')].map((token) => token.getBoundingClientRect().right)
      return Math.max(...ends) - tokens.getBoundingClientRect().left
    })
    expect(widest).toBeLessThan(PAGE_WIDTH)
    expect(widest).toBeGreaterThan(PAGE_WIDTH * 0.8)
    await page.evaluate("dispatchEvent(new Event('afterprint'))")
    await expect.poll(() => paints(page, dark)).toBe(true)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('and tokens under an overlay say what they are coloured by', async () => {
    const window = await openWith([FAILING])
    const { page } = window
    for (const key of ['2', 'j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.token-panel').getByText('raw piece').waitFor()
    await page.keyboard.press('>')
    await page.locator('.legend').waitFor()
    const name = page.locator('.legend').getByText('advantage', { exact: true })
    expect(await name.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => name.isVisible()).toBe(true)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('of more rows than anyone reads on paper say how many are left out', async () => {
    const records = Array.from({ length: MANY }, (_, at) => ({
      id: `row-${at}`,
      group_id: `group-${at}`,
      input_ids: [1, 2, 3],
      loss_mask: [0, 1, 1],
    }))
    const file = folder.write('many.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const window = await openWith([file])
    const { page } = window
    await page.keyboard.press('2')
    await page.locator('.rollout-row').nth(5).waitFor()
    await page.keyboard.press('End')
    const { rows, said } = await print(page)
    expect(rows).toHaveLength(2000)
    expect(rows[0]).toContain('row-0')
    expect(rows.at(-1)).toContain('row-1999')
    expect(said).toBe('The first 2,000 of 2,100 rows; 100 are left out, and an export has all of them.')
    await window.close()
  })

  test('have the questions of two runs', async () => {
    const window = await open()
    const { page } = window
    await window.drop([FAILING])
    await window.read()
    await page.keyboard.press('5')
    await window.drop([CLEAN])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await page.keyboard.press('q')
    await page.locator('.pair-table tbody tr').first().waitFor()
    const { rows, said } = await print(page)
    expect(said).toMatch(/^All [\d,]+ rows\./)
    expect(rows.filter((row) => row.startsWith('…'))).toEqual([])
    await window.close()
  })

  test('and all else that is printed fit the width of a page, and two rollouts side by side are no picture book', async () => {
    const window = await openWith([FAILING])
    const { page } = window
    const beyond: Record<string, string[]> = {}
    const look = async (name: string) => {
      await page.evaluate("dispatchEvent(new Event('beforeprint'))")
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: PAGE_WIDTH, height: 1000 })
      const found = await page.evaluate(() => {
        const parts = [...document.querySelectorAll('.view :not(svg *)')]
        const wide = parts.filter(
          (part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1,
        )
        return wide
          .map((part) => `${part.tagName} ${part.className} ${Math.round(part.getBoundingClientRect().right)}`)
          .slice(0, 4)
      })
      if (found.length > 0) beyond[name] = found
      await page.emulateMedia({ media: null })
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.evaluate("dispatchEvent(new Event('afterprint'))")
    }
    await page.getByText('Turn edges').waitFor()
    await look('verdicts')
    await page.keyboard.press('3')
    await page.locator('.group-detail').waitFor()
    await page.keyboard.press('d')
    await page.getByRole('region', { name: 'Both rollouts side by side' }).waitFor()
    await look('groups')
    expect((await page.pdf()).length).toBeLessThan(3e6)
    await page.keyboard.press('4')
    await page.locator('.lab-cost').waitFor()
    await look('lab')
    await page.keyboard.press('6')
    await page.keyboard.press('r')
    await page.locator('.roadmap-table').first().waitFor()
    await look('roadmap')
    expect(beyond).toEqual({})
    expect(window.errors).toEqual([])
    await window.close()
  })
})
