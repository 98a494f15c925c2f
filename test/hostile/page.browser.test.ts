import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pieces, spelt } from '../../renderer/text/visible.ts'
import { notebookText } from '../../shared/notebook/notebook-file.ts'
import { describePage } from '../browser/describe-page.ts'
import { ALL_HOSTILE } from './corpus.ts'
import { FILE_NAMES, hostileByKind, hostileRecords } from './dump.ts'
import { hostileFolder, hostileNotebook } from './notebook.ts'
import { watchFor } from './witness.ts'

/** Nothing that a person types into a field of one line has more of them. */
const ONE_LINE = ALL_HOSTILE.filter(
  (text) => !/[\p{Surrogate}\p{Zl}\p{Zp}]/u.test(text) && /^[^\n\r\f\v\0]*$/.test(text),
)

const some = (texts: readonly string[], step: number) => texts.filter((_, at) => at % step === 0)

/** White space on screen is laid out, not copied; where a text has one line its breaks are spelt. */
const flat = (text: string) => text.replace(/[\s⏎]+/g, '')

/** Where a hidden character stands in a box its name has no brackets. */
const boxed = (text: string) =>
  pieces(text)
    .map((piece) => piece.text)
    .join('')

/** Hundreds of texts typed and looked at. Milliseconds. */
const LONG = 240_000

describePage('hostile text in the page', (tests) => {
  const { folder } = tests

  async function open() {
    const window = await tests.open()
    const { page } = window
    const witness = await watchFor(page, new URL(tests.server.url).origin)
    await page.reload()
    await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
    /** The state behind the page's address, looked over with everything in it unfolded. */
    const show = async (where: string, fields: string, ready: string) => {
      const dump = /dump=[0-9a-f]+/.exec(page.url())?.[0]
      await page.evaluate((hash) => {
        location.hash = hash
      }, `${dump}&${fields}`)
      await page.locator(ready).first().waitFor()
      await settled(page)
      await unfold(page)
      await witness.look(where)
    }
    return { ...window, witness, show }
  }

  /** Nothing of the page is waited for any more. */
  async function settled(page: Page) {
    await page.locator('text="One moment…"').waitFor({ state: 'detached' })
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  /** Unfolds whatever can be unfolded on the screen. */
  async function unfold(page: Page) {
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll('details')) fold.open = true
      for (const button of document.querySelectorAll<HTMLElement>('main [aria-expanded="false"]')) {
        if (button.getAttribute('aria-haspopup') === null) button.click()
      }
    })
    await settled(page)
  }

  test('stays text in every tab of a rollout: tokens, messages, tools, documents, the record', {
    timeout: LONG,
  }, async () => {
    const { page, drop, read, show, close, witness } = await open()
    const lines = await hostileByKind()
    await drop([folder.write('kinds.jsonl', `${lines.join('\n')}\n`)])
    await read()
    await unfold(page)
    await witness.look('verdicts')
    let messages = ''
    for (const at of lines.keys()) {
      for (const tab of ['tokens', 'boundaries', 'render', 'messages', 'tools', 'documents', 'raw']) {
        await show(`${tab} of rollout ${at}`, `view=rollout&rollout=${at}&tab=${tab}`, `[role=tab][aria-selected=true]`)
        if (tab === 'messages') messages += await page.locator('main').innerText()
      }
    }
    const shown = flat(messages)
    expect(ALL_HOSTILE.filter((text) => !shown.includes(flat(boxed(text))))).toEqual([])
    expect(witness.seen).toEqual([])
    await close()
  })

  /** A dump in which every text is an id, a group, a reward's name and more, some of its lines damaged. */
  async function openTexts() {
    const record = await hostileRecords()
    const lines = ALL_HOSTILE.map(record)
    const name = '<img src=x onerror=alert(1)>\u202e[a](javascript:alert(1)).jsonl'
    const window = await open()
    await window.drop([folder.write(name, `${lines.join('\n{"input_ids": ["x"\n')}\n`)])
    await window.read()
    return { ...window, second: folder.write(`second ${name}`, `${lines.toReversed().join('\n')}\n`) }
  }

  test('stays text as the ids of a table, in labels, notes, views and queries', { timeout: LONG }, async () => {
    const { page, show, close, witness } = await openTexts()
    await unfold(page)
    await witness.look('verdicts')
    await show('rollouts', 'view=rollouts', '.row-open')
    const ids = new Set<string>()
    await page.keyboard.press('Home')
    const chosen = page.locator('.rollout-row.selected')
    for (let last = ''; ; ) {
      await chosen.waitFor()
      for (const id of await page.locator('.row-open').allInnerTexts()) ids.add(flat(id))
      await witness.look('rows')
      const now = (await chosen.getAttribute('aria-rowindex')) as string
      if (now === String(ALL_HOSTILE.length + 1) || now === last) break
      last = now
      await page.keyboard.press('PageDown')
      await page.locator(`.rollout-row.selected:not([aria-rowindex="${now}"])`).waitFor()
      await settled(page)
    }
    expect(ALL_HOSTILE.filter((text) => !ids.has(flat(spelt(text))))).toEqual([])

    await page.keyboard.press('Home')
    await page.keyboard.press('t')
    const labels = page.getByRole('dialog', { name: /^Labels of rollout/ })
    for (const text of some(ONE_LINE, 4)) {
      await labels.getByRole('combobox').fill(text)
      await page.keyboard.press('Enter')
    }
    await witness.look('labels')
    await page.keyboard.press('Escape')
    for (const text of [ALL_HOSTILE.join(' '), ...some(ALL_HOSTILE, 30)]) {
      await page.keyboard.press('N')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill(text)
      await page.keyboard.press('Control+Enter')
      await page.keyboard.press('Escape')
    }
    await witness.look('notes')
    await page.keyboard.press('v')
    for (const text of ONE_LINE) {
      await page.getByRole('textbox', { name: 'Name of the view' }).fill(text)
      await page.keyboard.press('Enter')
    }
    await witness.look('views')
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await page.getByRole('dialog').waitFor()
    for (const box of (await page.getByRole('dialog').getByRole('checkbox').all()).slice(20, 40)) await box.check()
    await witness.look('columns')
    await page.keyboard.press('Escape')
    await witness.look('many columns')
    await page.keyboard.press('/')
    for (const text of some(ONE_LINE, 5)) {
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(`id:${JSON.stringify(text)} ${text}`)
      await page.keyboard.press('Enter')
      await page.keyboard.insertText(' id:')
      await witness.look('query')
    }
    await show('marked rollout', 'view=rollout&rollout=0', '.token')
    await page.reload()
    await page.getByText('Recent').waitFor()
    await witness.look('start page')
    expect(witness.seen).toEqual([])
    await close()
  })

  test('stays text in groups, the lab, the dialogs, the palette and a comparison', { timeout: LONG }, async () => {
    const { page, drop, show, close, second, witness } = await openTexts()
    for (const sort of ['contrast', 'id'])
      await show(`groups by ${sort}`, `view=groups&groups.sort=${sort}`, 'main table')
    for (const at of [0, 60, 130, 200]) await show(`group ${at}`, `view=groups&groups.group=${at}`, 'main h2')
    for (const panel of ['limits', 'loss', 'policy', 'repair'])
      await show(panel, `view=lab&lab.panel=${panel}`, 'main h2')
    await show('rollout to pin', 'view=rollout&rollout=1', '.token')
    await page.keyboard.press('i')
    await page.getByRole('dialog').waitFor()
    await witness.look('pin')
    await page.keyboard.press('Escape')
    for (const entry of ['files', 'tokenizer', 'policy', 'limits', 'without', String(ALL_HOSTILE.length - 1)]) {
      await page
        .getByRole('button', { name: new RegExp(`^${entry}`) })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      await unfold(page)
      await witness.look(entry)
      await page.keyboard.press('Escape')
    }
    for (const words of ['open rollout ', 'alert', 'go to']) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(words)
      await witness.look(`palette: ${words}`)
      await page.keyboard.press('Escape')
    }
    await show('compare', 'view=compare', 'main h2')
    await drop([second])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    for (const tab of ['measures', 'curves', 'pairs', 'rollouts']) {
      await show(`compare ${tab}`, `view=compare&compare.tab=${tab}&compare.all=1`, 'main')
    }
    for (const at of [0, 60, 130, 200]) {
      await show(`pair ${at}`, `view=compare&compare.tab=pairs&compare.pair=${at}`, '.pair-title')
    }
    expect(witness.seen).toEqual([])
    await close()
  })

  test('stays text as names of files, and in what is said of those that cannot be read', {
    timeout: LONG,
  }, async () => {
    const { page, drop, read, close, witness } = await open()
    const record = (await hostileRecords())('plain')
    const run = join(folder.path, 'named')
    mkdirSync(run)
    for (const [at, name] of FILE_NAMES.entries()) {
      writeFileSync(
        join(run, name),
        at % 3 === 0 ? 'no rollouts' : at % 3 === 1 ? `${record}\n` : `{"x": [1]}\n${record}`,
      )
    }
    await drop([run])
    await read()
    await unfold(page)
    await witness.look('verdicts')
    await page.getByRole('button', { name: /^files/ }).click()
    const files = page.getByRole('dialog')
    await unfold(page)
    await witness.look('files')
    const shown = flat(await files.innerText())
    expect(FILE_NAMES.filter((name) => !shown.includes(flat(spelt(name))))).toEqual([])
    expect(witness.seen).toEqual([])
    await close()
  })

  test('stays text in a notebook, and in a folder of Markdown', { timeout: LONG }, async () => {
    const { page, drop, close, witness } = await open()
    await drop([folder.write('notebook <b>\u202e.json', notebookText(hostileNotebook()))])
    await page.getByRole('button', { name: 'Put it in place' }).waitFor()
    await witness.look('question')
    await page.getByRole('button', { name: 'Put it in place' }).click()
    await page.locator('[data-card]').first().waitFor()
    const look = async (where: string, fields: string, ready = 'main h1, main h2') => {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `view=notebook&${fields}`)
      await page.locator(ready).first().waitFor()
      await unfold(page)
      await witness.look(where)
    }
    await witness.look('board')
    const pages = async () => {
      for (const name of ['board', 'roadmap', 'experiments', 'problem', 'folder']) {
        await look(name, `notebook.page=${name}`)
      }
      for (const id of ['H01', 'H02', 'H03', 'H04', 'H05', 'H06-library', 'H06-lora', 'H07', 'H08']) {
        await look(id, `notebook.hypothesis=${id}`)
      }
      for (const at of [0, 60, 130, 200]) {
        await look(`experiment ${at}`, `notebook.page=experiments&notebook.experiment=${'ABCDEFG'[at % 7]}${at + 1}`)
      }
    }
    await pages()
    const directory = join(folder.path, '<b>markdown')
    for (const { path, bytes } of hostileFolder()) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), bytes)
    }
    await drop([directory])
    await page.locator('.notice', { hasText: /read into the notebook$/ }).waitFor({ state: 'attached' })
    await witness.look('folder')
    await pages()
    expect(witness.seen).toEqual([])
    await close()
  })

  test('a line of ten megabytes is shown cut, and its neighbours whole', { timeout: LONG }, async () => {
    const { page, drop, read, show, close, witness } = await open()
    const record = (await hostileRecords())('plain')
    const long = '<img src=x onerror=alert(1)>\u202e'.repeat(350_000)
    const big = JSON.stringify({ ...JSON.parse(record), id: long, group_id: long, finish_reason: long })
    await drop([folder.write('long.jsonl', `${record}\n${big}\n${record}\n`)])
    await read()
    await witness.look('verdicts')
    for (const view of [
      'view=rollouts',
      'view=groups',
      'view=rollout&rollout=1',
      'view=lab',
      'view=rollout&rollout=1&tab=raw',
    ]) {
      await show(view, view, 'main')
      expect(await page.evaluate(() => document.documentElement.outerHTML.length), view).toBeLessThan(2_000_000)
    }
    expect(witness.seen).toEqual([])
    await close()
  })

  test('the witness sees what such text would do if it came alive', async () => {
    const { page, close, witness } = await open()
    await page.evaluate(() => {
      const text =
        '<img src="https://evil.example/x" onerror="alert(1)"><a href="javascript:alert(1)">x</a><p>a \u202eb<i>c</i></p>'
      document.querySelector('main')?.insertAdjacentHTML('beforeend', text)
      alert('seen')
    })
    await expect.poll(() => witness.seen.join('\n')).toContain('policy: img-src https://evil.example/x')
    await witness.look('page')
    for (const what of [
      'dialog: seen',
      'an element img',
      'img. has onerror',
      'a. leads to javascript:',
      'text in p. turns',
    ]) {
      expect(
        witness.seen.some((each) => each.includes(what)),
        what,
      ).toBe(true)
    }
    await close()
  })
})
