import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { cutRollout, lines, qwen } from '../session/dumps.ts'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'
import { openRollout } from './open-rollout.ts'
import { ODD_ROLLOUTS, oddDump, wholeDump } from './rollout-dumps.ts'

describePage('the screen of one rollout', (pageTests) => {
  let tokenizer: Tokenizer
  let window: Window
  beforeAll(async () => {
    tokenizer = await qwen()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  /** Opens a dump on its first rollout. */
  async function openFirst(name: string, dump: string) {
    window = await pageTests.openWith([pageTests.folder.write(name, dump)])
    const { page } = window
    await openRollout(page)
    return page
  }

  test('tokens are coloured by each stream in turn, with its scale, its chart and its number', async () => {
    const page = await openFirst('whole.jsonl', wholeDump(tokenizer))
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('o')
    const list = page.getByRole('listbox', { name: 'Colour tokens by' })
    await expect.poll(() => list.getByRole('option').count()).toBe(13)
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(/^coloured by sampler logprob/).waitFor()
    expect(page.url()).toContain('rollout.overlay=sampler')
    await expect.poll(() => page.locator('.chart-notes').innerText()).toContain('scored tokens of this rollout')
    await expect.poll(() => page.locator('.token.by-none').count()).toBeGreaterThan(0)
    await expect.poll(() => page.locator('.token[class*=by-p], .token[class*=by-n]').count()).toBeGreaterThan(0)
    const chart = page.getByRole('img', { name: /^sampler logprob by position/ })
    const box = (await chart.boundingBox()) as { x: number; y: number; width: number; height: number }
    await page.mouse.click(box.x + box.width * 0.7, box.y + box.height / 2)
    const heading = page.getByRole('heading', { level: 2, name: /^token \d+/ })
    const token = Number(/\d+/.exec(await heading.innerText())?.[0])
    expect(token / 213).toBeCloseTo(0.7, 1)
    await page.keyboard.press('<')
    await page.getByText(/^coloured by advantage/).waitFor()
    await expect.poll(() => page.locator('.panel-shown').innerText()).toContain('advantage')
    await page.keyboard.press('<')
    await page.getByText(/^coloured by state/).waitFor()
    expect(await chart.count()).toBe(0)
  })

  test('tokens beside the edges of turns are coloured by the same stream, and have its number', async () => {
    const page = await openFirst('whole.jsonl', wholeDump(tokenizer))
    await page.keyboard.press('b')
    await page.locator('.zoom-token').first().waitFor()
    await page.keyboard.press('o')
    const list = page.getByRole('listbox', { name: 'Colour tokens by' })
    await list.getByRole('option', { name: /^sampler logprob/ }).click()
    const edge = page.getByRole('region', { name: 'Edge from turn 1 to turn 2' })
    const row = edge.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'sampler logprob' }) })
    await row.waitFor()
    const numbers = await row.getByRole('cell').allInnerTexts()
    expect(numbers).toHaveLength(12)
    // No token before the header of the reply was sampled, and of the header none.
    expect(numbers.slice(0, 9)).toEqual(Array(9).fill('–'))
    expect(numbers.slice(9).every((number) => /^−\d/.test(number))).toBe(true)
    await expect.poll(() => edge.locator('.zoom-token.by-none').count()).toBe(9)
    await expect.poll(() => edge.locator('.zoom-token[class*=by-]:not(.by-none)').count()).toBe(3)
    await expect.poll(() => page.locator('.chart-notes').innerText()).toContain('scored tokens of this rollout')
    expect(await violations(page)).toEqual([])
  })

  test('what the dump lacks is listed, cannot be chosen, and says what to switch on', async () => {
    const bare = conversation(tokenizer, [user('Hi'), assistant('Hello.')])
    const page = await openFirst('bare.jsonl', lines([bare]))
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('o')
    const entropy = page.getByRole('option', { name: /^entropy/ })
    expect(await entropy.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => entropy.innerText()).toContain('not in this dump')
    await entropy.click({ force: true })
    await page.keyboard.press('Escape')
    await page.getByText(/^coloured by state/).waitFor()
  })

  test('the grid has one cell for each token, and the selection stays', async () => {
    const page = await openFirst('grid.jsonl', wholeDump(tokenizer))
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('J')
    const selected = await page.locator('.token.selected[data-token]').getAttribute('data-token')
    await page.keyboard.press('g')
    await page.locator('.grid-cell').first().waitFor()
    expect(await page.locator('.grid-cell.selected').getAttribute('data-token')).toBe(selected)
    const shown = await page
      .locator('.grid-cell')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-token'))))
    expect(shown).toEqual([...new Set(shown)].sort((a, b) => a - b))
    // What a cell has no room for stands in its tooltip.
    await page.locator('.grid-cell.selected').hover()
    await expect
      .poll(() => page.locator('.grid-cell.selected').getAttribute('title'))
      .toMatch(/\ntoken [\d,]+ · id \d+$/)
    // It is the last of its rollout.
    await page.keyboard.press('ArrowLeft')
    await page.locator(`.grid-cell.selected[data-token="${Number(selected) - 1}"]`).waitFor()
  })

  test('siblings and branches are a key or a click away, and say what they share', async () => {
    const page = await openFirst('kin.jsonl', wholeDump(tokenizer))
    const heading = page.getByRole('heading', { level: 1 })
    await page.getByText('1/4').waitFor()
    await page.keyboard.press('}')
    await expect.poll(() => heading.innerText()).toBe('whole-2')
    await page.getByText('2/4').waitFor()
    await page.keyboard.press('{')
    await expect.poll(() => heading.innerText()).toBe('whole-1')
    for (const id of ['whole-2', 'whole-3', 'whole-4', 'forked-0']) {
      await page.keyboard.press('n')
      await expect.poll(() => heading.innerText()).toBe(id)
    }
    const branches = page.getByRole('tablist', { name: 'Branches of this rollout' })
    await branches.getByRole('tab', { name: /branch 2 39 tokens · first 30 as here/ }).click()
    await expect.poll(() => heading.innerText()).toBe('forked-1')
  })

  test('a split that the tokenizer would not make is found, named, and a click away', async () => {
    const [word] = tokenizer.encode(' hills')
    const built = conversation(tokenizer, [user('Where does it rise?'), assistant('In the hills of Teal.')], {
      messages: true,
    })
    const at = built.record.input_ids.indexOf(word as number)
    built.record.input_ids.splice(at, 1, ...tokenizer.encode(' h'), ...tokenizer.encode('ills'))
    built.record.loss_mask?.splice(at, 0, 1)
    const page = await openFirst('split.jsonl', lines([built]))
    await page.keyboard.press('r')
    const summary = page.locator('.compare-summary')
    await summary.waitFor()
    await expect
      .poll(() => summary.innerText())
      .toContain('2 messages and no tools through the chat template of Qwen2.5')
    await page.getByRole('button', { name: /^other split/ }).click()
    await expect.poll(() => page.locator('.difference').count()).toBe(1)
    await page.keyboard.press('R')
    await expect.poll(() => summary.innerText()).toContain('decoded and encoded again')
    await expect
      .poll(() => page.locator('.difference-words').innerText())
      .toBe('The same text in 2 tokens here and in 1 there: “ hills”.')
    await page
      .locator('.difference')
      .getByRole('button', { name: `token ${at}` })
      .click()
    await expect.poll(() => page.locator('.token.selected[data-token]').getAttribute('data-token')).toBe(String(at))
    await expect.poll(() => page.locator('.token.in-range').count()).toBe(2)
  })

  test('tags fold by name in tokens and messages alike, and the address keeps it', async () => {
    const page = await openFirst('tags.jsonl', wholeDump(tokenizer))
    await page.getByRole('button', { name: /<think>/ }).click()
    await page.locator('.fold-line').first().waitFor()
    await expect.poll(() => page.locator('.fold-line').first().innerText()).toMatch(/<think> \d+ tokens/)
    expect(page.url()).toContain('rollout.fold=think')
    await page.keyboard.press('m')
    const folded = page.getByRole('button', { name: /think \d+ characters/, expanded: false })
    await expect.poll(() => folded.count()).toBe(2)
    await folded.first().click()
    await expect.poll(() => folded.count()).toBe(0)
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.locator('.token').first().waitFor()
    expect(await page.locator('.fold-line').count()).toBe(0)
  })

  test('tokens are counted without padding, as in the table, and texts begin on the side their letters do', async () => {
    window = await pageTests.openWith([join(SAMPLES, 'verifiers-2025-08.jsonl.gz')])
    const { page } = window
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const facts = page.locator('.rollout-facts')
    await facts.getByText('817 + 79 of padding').waitFor()
    await page.locator('.token-panel').getByText('of 896, padding included').waitFor()
    await page.getByRole('tab', { name: 'Messages' }).click()
    const texts = page.locator('.message-text')
    await texts.first().waitFor()
    expect(await texts.evaluateAll((all) => all.every((text) => text.getAttribute('dir') === 'auto'))).toBe(true)
  })

  test('lost text stands where it is missing, and whole in the panel', async () => {
    const page = await openFirst('cut.jsonl', lines([cutRollout(tokenizer, 1)]))
    await page.keyboard.press('End')
    const gap = page.locator('.lost-line')
    await gap.waitFor()
    await expect.poll(() => gap.innerText()).toMatch(/✂ \d+ tokens: The messages go on, the sequence does not/)
    await gap.click()
    await expect.poll(() => page.locator('.panel-lost').innerText()).toMatch(/after this token\.\s+\S/)
  })

  test('the record is searched, and tools and documents have tabs of their own', async () => {
    const page = await openFirst('record.jsonl', wholeDump(tokenizer))
    await page.keyboard.press('w')
    const search = page.getByRole('searchbox', { name: 'Find in this record' })
    await search.fill('lena teal')
    await page.getByText('1 of 4').waitFor()
    await search.press('Enter')
    await page.getByText('2 of 4').waitFor()
    await expect.poll(() => page.locator('mark.current-hit').innerText()).toBe('Lena Teal')
    await page.getByRole('tab', { name: 'Tools' }).click()
    await expect.poll(() => page.locator('.tool-schema').innerText()).toContain('"name": "search"')
    await page.getByRole('tab', { name: 'Documents' }).click()
    await expect.poll(() => page.locator('.messages').innerText()).toContain('✓ supporting')
  })

  test('of a long record only what is near the window is laid out, and all of it is searched', async () => {
    const texts = Array.from({ length: 20_000 }, (_, at) => `word-${at}`)
    const record = { input_ids: [9906, 1879], messages: [{ role: 'user', content: texts.join(' ') }] }
    const page = await openFirst('long-record.jsonl', `${JSON.stringify(record)}\n`)
    await page.keyboard.press('w')
    const text = page.locator('.raw-record')
    await text.waitFor()
    // What is not laid out is taken to be as high as the style sheet says.
    const waiting = () =>
      text.evaluate((pre) => [...pre.children].map((part) => part.getBoundingClientRect().height === 1500))
    await expect.poll(async () => (await waiting()).filter((isWaiting) => !isWaiting).length).toBeLessThan(4)
    expect((await waiting()).length).toBeGreaterThan(10)
    const search = page.getByRole('searchbox', { name: 'Find in this record' })
    await search.fill('word-17999 word-18000')
    await page.getByText('1 of 1', { exact: true }).last().waitFor()
    const hit = page.locator('mark.current-hit')
    await expect.poll(async () => (await hit.allInnerTexts()).join('')).toBe('word-17999 word-18000')
    await expect.poll(() => hit.first().evaluate((mark) => mark.getBoundingClientRect().top < innerHeight)).toBe(true)
  })

  test('what is hard to draw is drawn, in every layout and tab, and overflows nowhere', async () => {
    const page = await openFirst('odd.jsonl', oddDump(tokenizer))
    const heading = page.getByRole('heading', { level: 1 })
    const wide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.tokens, .rollout-middle, .token-panel, .outline, .rollout-top')]
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .map((element) => element.className),
      )
    const seen: string[] = []
    for (let rollout = 0; rollout < ODD_ROLLOUTS; rollout++) {
      const id = await heading.innerText()
      seen.push(id)
      for (const key of ['g', 'g', 'b', 'r', 'm', 'w', 'w']) {
        await page.keyboard.press(key)
        expect([id, key, await wide()]).toEqual([id, key, []])
      }
      if (rollout === ODD_ROLLOUTS - 1) break
      await page.keyboard.press('n')
      await expect.poll(() => heading.innerText()).not.toBe(id)
    }
    expect(seen).toContain('text-only')
    await expect.poll(() => page.getByText('There are no token ids here').count()).toBe(1)
  })

  test('a token of right-to-left text says that tokens are laid from left to right, and no other does', async () => {
    const page = await openFirst('rtl.jsonl', lines([conversation(tokenizer, [user('نهر'), assistant('Hi')])]))
    const note = page.getByText('right-to-left text: tokens are laid from left to right, in the order of their ids')
    await page
      .locator('.tokens .token', { hasText: /\p{Script=Arabic}/u })
      .first()
      .click()
    await note.waitFor()
    await page.locator('.tokens .token', { hasText: 'Hi' }).first().click()
    await note.waitFor({ state: 'detached' })
  })

  test('a character over several tokens is shown once, and its tokens are marked', async () => {
    const page = await openFirst('emoji.jsonl', lines([conversation(tokenizer, [user('𓀀'), assistant('Hi')])]))
    await page.locator('.token').first().waitFor()
    await expect.poll(() => page.locator('.tokens .token', { hasText: '𓀀' }).count()).toBe(1)
    await expect.poll(() => page.locator('.tokens .token.split').count()).toBe(tokenizer.encode('𓀀').length)
  })

  test('the turn of the token that is jumped to is in sight among the turns', async () => {
    const turns = Array.from({ length: 60 }, (_, k) => [user(`Question ${k}?`), assistant(`Answer ${k}.`)]).flat()
    const page = await openFirst('turns.jsonl', lines([conversation(tokenizer, turns)]))
    const outline = page.getByRole('navigation', { name: 'Turns' })
    await outline.getByRole('button').first().waitFor()
    await page.locator('.token').first().waitFor()
    const strip = page.locator('.token-strip')
    const box = (await strip.boundingBox()) as { x: number; y: number; width: number; height: number }
    await page.mouse.click(box.x + box.width * 0.95, box.y + box.height / 2)
    const current = outline.locator('[aria-current="true"]')
    await expect.poll(async () => Number(await current.locator('.outline-index').innerText())).toBeGreaterThan(100)
    const { height } = (await outline.boundingBox()) as { height: number }
    const top = () =>
      current.evaluate(
        (turn) => turn.getBoundingClientRect().top - (turn.closest('nav')?.getBoundingClientRect().top ?? 0),
      )
    await expect.poll(top).toBeLessThan(height)
  })

  test('a thousand messages are all there, soon after the first ones, and none of them word by word', async () => {
    const words = 'and so on '.repeat(40).trim()
    const turns = Array.from({ length: 500 }, (_, k) => [
      user(`Question ${k}?`),
      assistant(`Answer ${k} ${words}.`),
    ]).flat()
    const page = await openFirst('messages.jsonl', lines([conversation(tokenizer, turns, { messages: true })]))
    await page.locator('.token').first().waitFor()
    await page.keyboard.press('m')
    await expect.poll(() => page.locator('.message').count()).toBe(1000)
    await page.locator('.message').last().getByText('Answer 499').waitFor()
    const texts = await page
      .locator('.message-text')
      .last()
      .evaluate((text) => text.childNodes.length)
    expect(texts).toBe(1)
  })

  test('a thousand turns are all in the outline: few are drawn, each with its place among all, and keys go through them', async () => {
    const turns = Array.from({ length: 500 }, (_, k) => [user(`Question ${k}?`), assistant(`Answer ${k}.`)]).flat()
    const page = await openFirst('turns.jsonl', lines([conversation(tokenizer, turns)]))
    const outline = page.getByRole('navigation', { name: 'Turns' })
    const items = outline.getByRole('listitem')
    await items.first().waitFor()
    await page.locator('.token').first().waitFor()
    const focused = () =>
      page.evaluate(() => {
        const turn = document.activeElement
        const place = turn?.closest('li')
        const box = turn?.getBoundingClientRect()
        const window = turn?.closest('nav')?.getBoundingClientRect()
        const isSeen = box && window && box.top >= window.top - 1 && box.bottom <= window.bottom + 1
        return [place?.ariaPosInSet, place?.ariaSetSize, isSeen]
      })
    await outline.locator('button[tabindex="0"]').focus()
    await page.keyboard.press('End')
    await expect.poll(focused).toEqual(['1000', '1000', true])
    await page.keyboard.press('ArrowUp')
    await expect.poll(focused).toEqual(['999', '1000', true])
    await page.keyboard.press('Enter')
    await page.locator('.turn-line-role').getByText('998 user', { exact: true }).waitFor()
    await expect.poll(() => outline.locator('[aria-current="true"] .outline-index').innerText()).toBe('998')
    await page.keyboard.press('Home')
    await expect.poll(focused).toEqual(['1', '1000', true])
    await page.keyboard.press('PageDown')
    await expect.poll(async () => Number((await focused())[0])).toBeGreaterThan(3)
    // What has the focus keeps it where the wheel leaves it behind.
    const before = await focused()
    await outline.hover()
    await page.mouse.wheel(0, 20_000)
    await outline.getByText('350', { exact: true }).waitFor()
    await expect.poll(focused).toEqual([before[0], '1000', false])
    expect(await items.count()).toBeLessThan(60)
    expect(await outline.locator('button[tabindex="0"]').count()).toBe(1)
  })

  test('states beside the edges of turns do not run into each other in a narrow window', async () => {
    const page = await openFirst(
      'no-mask.jsonl',
      lines([conversation(tokenizer, [user('Hi'), assistant('<think>Hello.</think> Hi')], { mask: 'none' })]),
    )
    await page.setViewportSize({ width: 1024, height: 700 })
    await page.keyboard.press('b')
    const cells = page.locator('.zoom-table td')
    await cells
      .getByText(/^un.?known$/)
      .first()
      .waitFor()
    const wide = await cells.evaluateAll((all) =>
      all.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
    )
    expect(wide).toEqual([])
  })
})
