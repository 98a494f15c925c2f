import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { HOLDING } from './hold-answers.ts'
import { SAMPLES } from './inspector-page.ts'

const SAMPLE = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')

describePage('around the tokens of a rollout', (tests) => {
  async function openFirst(width = 1440, height = 900) {
    const window = await tests.openWith([SAMPLE], { viewport: { width, height }, bypassCSP: true })
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token').first().waitFor()
    return { window, page }
  }

  test('the list of findings has room for three in a small window, for six in a large one, and what a person gives it', async () => {
    for (const [width, height, lines] of [
      [1024, 700, 3],
      [1440, 900, 6],
    ] as const) {
      const { window, page } = await openFirst(width, height)
      const list = page.locator('.findings')
      const edge = page.getByRole('separator', { name: 'Height of the findings' })
      expect(await linesOf(list)).toBeGreaterThanOrEqual(lines)
      expect(await violations(page)).toEqual([])
      const before = await heightOf(list)
      expect(await edge.getAttribute('aria-valuenow')).toBe(String(before))
      await edge.focus()
      await edge.press('ArrowUp')
      await expect.poll(() => heightOf(list)).toBe(before + 24)
      expect(await edge.getAttribute('aria-valuenow')).toBe(String(before + 24))
      await edge.press('End')
      await expect.poll(() => heightOf(list)).toBe(Math.round(height * 0.6))
      // The next rollout has it as well.
      await page.keyboard.press('n')
      await page.getByText('2 of 96').waitFor()
      await expect.poll(() => heightOf(list)).toBe(Math.round(height * 0.6))
      expect(await violations(page)).toEqual([])
      await edge.press('Enter')
      await expect.poll(() => heightOf(list)).toBeLessThan(height * 0.3)
      const box = (await edge.boundingBox()) as { x: number; y: number; width: number }
      const low = await heightOf(list)
      await page.mouse.move(box.x + box.width / 2, box.y + 4)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 2, box.y - 76, { steps: 4 })
      await page.mouse.up()
      await expect.poll(() => heightOf(list)).toBe(low + 80)
      expect(window.errors).toEqual([])
      await window.close()
    }
  })

  test('the token that is looked at stays in sight when the findings take its room', async () => {
    const { window, page } = await openFirst(1440, 700)
    const edge = page.getByRole('separator', { name: 'Height of the findings' })
    /** Pixels between the token and the lower edge of the text; less than nothing where it is hidden. */
    const spare = () =>
      page.evaluate(() => {
        const token = document.querySelector('.tokens .token.selected')?.getBoundingClientRect()
        const text = document.querySelector('.tokens')!.getBoundingClientRect()
        return token === undefined ? Number.NaN : text.bottom - token.bottom
      })
    // The last token that stands whole in the window.
    const last = await page.evaluate(() => {
      const { bottom } = document.querySelector('.tokens')!.getBoundingClientRect()
      const whole = [...document.querySelectorAll<HTMLElement>('.tokens .token')].filter(
        (token) => token.getBoundingClientRect().bottom < bottom - 8,
      )
      return whole.at(-1)?.dataset.token
    })
    await page.locator(`.tokens [data-token="${last}"]`).first().click()
    await expect.poll(spare).toBeLessThan(60)
    const before = await heightOf(page.locator('.tokens'))
    await edge.focus()
    await edge.press('End')
    await expect.poll(() => heightOf(page.locator('.tokens'))).toBeLessThan(before - 60)
    await expect.poll(spare).toBeGreaterThanOrEqual(0)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('what is said stands in the bottom line, over nothing that is clicked, and Escape takes it away', async () => {
    for (const width of [1440, 1024]) {
      const { window, page } = await openFirst(width, 700)
      const notice = page.locator('.notice')
      await page.keyboard.press('f')
      await notice.filter({ hasText: 'flagged' }).waitFor()
      const covered = await page.evaluate(() => {
        const { x, y, width, height } = document.querySelector('.notice')!.getBoundingClientRect()
        const points = [0.02, 0.25, 0.5, 0.75, 0.98].map((share) => [x + share * width, y + height / 2] as const)
        return points.flatMap(([left, top]) =>
          document
            .elementsFromPoint(left, top)
            .flatMap((under) => under.closest('button, a, input, [tabindex], li') ?? []),
        ).length
      })
      expect(covered).toBe(0)
      await page.keyboard.press('2')
      await page.getByRole('grid', { name: 'Rollouts' }).waitFor()
      await page.keyboard.press('f')
      await notice.filter({ hasText: 'Flag taken off' }).waitFor()
      await page.keyboard.press('Escape')
      await notice.waitFor({ state: 'detached' })
      expect(window.errors).toEqual([])
      await window.close()
    }
  })

  test('who scrolls a long rollout in its first frame finds the tokens there, and the frame around them stands where it stood', async () => {
    const ids = Array.from({ length: 131_072 }, (_, at) => 300 + ((at * 7919) % 5000))
    const record = { id: 'long', reward: 1, input_ids: ids, loss_mask: ids.map((_, at) => (at < 200 ? 0 : 1)) }
    const window = await tests.openWith([tests.folder.write('long.jsonl', `${JSON.stringify(record)}\n`)])
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.getByRole('row', { selected: true }).waitFor()
    const { inSight, rooms } = (await page.evaluate(SCROLL_AT_ONCE)) as { inSight: number; rooms: string[] }
    expect(inSight).toBeGreaterThan(10)
    expect(rooms).toHaveLength(1)
    await page.locator('.token-panel dl').first().waitFor()
    await page.locator('.outline-turn, .outline-none').first().waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('an overlay leaves the tokens of a small window their room, and stepping through overlays moves none of them', async () => {
    const { window, page } = await openFirst(1024, 768)
    // What can be asked for is known once the token is, which is asked for behind it.
    await page.locator('.token-panel').getByText('raw piece').waitFor()
    await page.keyboard.press('>')
    await page.locator('.position-chart figcaption').waitFor()
    // How the scale was made is said where there is room for all of it.
    await page
      .locator('.chart-notes', { hasText: 'holds all 96 rollouts of the dump, by their largest |advantage|' })
      .waitFor()
    const [said, key] = await Promise.all(['.chart-top', '.chart-key'].map((part) => page.locator(part).boundingBox()))
    expect(said?.height).toBeLessThan(20)
    expect((said?.x ?? 0) + (said?.width ?? 0)).toBeLessThan(key?.x ?? 0)
    expect(await heightOf(page.locator('.tokens'))).toBeGreaterThan(300)
    const legend = (await page.locator('.legend').boundingBox()) as { height: number }
    expect(legend.height).toBeLessThan(24)
    const heights = (await page.evaluate(STEP_THROUGH)) as number[]
    expect(heights).toHaveLength(1)
    expect(await violations(page)).toEqual([])
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('the key for the next overlay is not lost where it is pressed before it is known which there are', async () => {
    const window = await tests.open({}, async (page) => {
      await page.addInitScript(HOLDING)
    })
    const { page } = window
    await window.drop([SAMPLE])
    await window.read()
    await page.evaluate("window.hold('overlays')")
    for (const key of ['2', 'j', 'Enter']) await page.keyboard.press(key)
    await page.locator('.tokens .token').first().waitFor()
    await page.keyboard.press('>')
    await page.keyboard.press('>')
    await page.evaluate('window.letGo()')
    await expect.poll(() => page.evaluate('location.hash')).toContain('rollout.overlay=sampler')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('selected tokens are counted without padding, which is named', async () => {
    const { window, page } = await openFirst()
    await page.getByText('1 of 817 tokens selected').waitFor()
    await goTo(page, '810-820')
    await page.getByText('7 of 817 tokens and 3 of padding selected').waitFor()
    await window.close()
  })
})

/** As text: a bundler would put names into functions that the page does not know. Opens the rollout, scrolls as soon as there is a token, and counts those in sight in the next frame. */
const SCROLL_AT_ONCE = `new Promise((resolve) => {
  const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect()
  const room = (selector) => { const { x, y, width, height } = boxOf(selector); return [x, y, width, height].map(Math.round).join() }
  const rooms = new Set()
  const seen = () => rooms.add(['.tokens', '.outline', '.token-panel', '.rollout-position-map'].map(room).join(' '))
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  const look = () => {
    const token = document.querySelector('.tokens .token')
    if (token === null) { requestAnimationFrame(look); return }
    seen()
    const text = document.querySelector('.tokens')
    text.scrollTop = text.scrollHeight * 0.8
    requestAnimationFrame(() => {
      const { top, bottom } = boxOf('.tokens')
      const inSight = [...document.querySelectorAll('.tokens .token')].filter((each) => {
        const box = each.getBoundingClientRect()
        return box.top >= top && box.bottom <= bottom
      }).length
      let frames = 0
      const go = () => {
        seen()
        if (frames++ < 30) requestAnimationFrame(go)
        else resolve({ inSight, rooms: [...rooms] })
      }
      go()
    })
  }
  look()
})`

/** The heights of the text, frame by frame, while the next overlay is asked for and drawn. */
const STEP_THROUGH = `new Promise((resolve) => {
  const heights = new Set()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '>', bubbles: true }))
  let frames = 0
  const look = () => {
    heights.add(document.querySelector('.tokens').clientHeight)
    if (frames++ < 40) requestAnimationFrame(look)
    else resolve([...heights])
  }
  look()
})`

async function goTo(page: Page, tokens: string): Promise<void> {
  await page.evaluate((range) => {
    location.hash = location.hash.replace(/tokens=[^&]*/, `tokens=${range}`)
  }, tokens)
}

async function heightOf(list: Locator): Promise<number> {
  return list.evaluate((element) => (element as HTMLElement).offsetHeight)
}

/** Whole findings in sight. */
async function linesOf(list: Locator): Promise<number> {
  return list.evaluate((element) => {
    const { bottom } = element.getBoundingClientRect()
    return [...element.querySelectorAll('li')].filter((line) => line.getBoundingClientRect().bottom <= bottom + 1)
      .length
  })
}
