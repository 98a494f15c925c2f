import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type RunningServer, startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { startMortalChromium } from '../helpers/chromium.ts'

const ROLLOUTS_A_ROUND = 200

/** What the page has said is kept: flags, labels and notes by the rollout's id, and hypotheses that were added. */
interface Acknowledged {
  readonly flags: Set<string>
  readonly labels: Set<string>
  readonly notes: Set<string>
  readonly hypotheses: Set<string>
}

export interface KillRounds {
  /** Things that were said to be kept and are not there after the browser was killed: there should be none. */
  readonly lost: readonly string[]
  /** What the browser said of storage that it found damaged and emptied, and where the profile is that something is missing in. */
  readonly evidence: readonly string[]
  /** What was acknowledged in all rounds together. */
  readonly acknowledged: {
    readonly flags: number
    readonly labels: number
    readonly notes: number
    readonly hypotheses: number
  }
}

/**
 * Marks rollouts or writes in the notebook as fast as a page takes it, kills every process of the browser after a time that `random`
 * gives (0 to 1), starts it again on the same profile, and looks what is there; so many times.
 */
export async function killWhileWriting(rounds: number, random: () => number): Promise<KillRounds> {
  const folder = mkdtempSync(join(tmpdir(), 'inspector-killed-'))
  const server = await serveRollouts(join(folder, 'run.jsonl'), (rounds + 1) * ROLLOUTS_A_ROUND)
  const said: Acknowledged = { flags: new Set(), labels: new Set(), notes: new Set(), hypotheses: new Set() }
  const lost: string[] = []
  const evidence: string[] = []
  try {
    for (let round = 0; round <= rounds; round++) {
      const chromium = await startMortalChromium(join(folder, 'profile'))
      try {
        const context = chromium.browser.contexts()[0]!
        await context.exposeFunction('tellKept', (kind: keyof Acknowledged, id: string) => void said[kind].add(id))
        await context.exposeFunction('tellEmptied', (why: string) => void evidence.push(`at start ${round}: ${why}`))
        await context.addInitScript(tellWhatIsKept)
        await context.addInitScript(tellWhatIsEmptied)
        const page = await context.newPage()
        await page.goto(server.url)
        await page.getByText(/^read [\d,]+ rollouts?$/).waitFor()
        lost.push(...missing(said, await stored(page)).map((what) => `after kill ${round}: ${what}`))
        if (lost.length > 0) evidence.push(`the profile is in ${keepProfile(join(folder, 'profile'))}`)
        if (round === rounds || lost.length > 0) break
        const before = total(said)
        const writing = Promise.allSettled([round % 3 === 2 ? write(page) : mark(page, round)])
        while (total(said) === before) await new Promise((done) => setTimeout(done, 5))
        await new Promise((done) => setTimeout(done, random() * 1500))
        await chromium.kill()
        await writing
      } finally {
        await chromium.kill().catch(() => undefined)
      }
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const { flags, labels, notes, hypotheses } = said
  return {
    lost,
    evidence,
    acknowledged: { flags: flags.size, labels: labels.size, notes: notes.size, hypotheses: hypotheses.size },
  }
}

const idOf = (at: number) => createHash('sha256').update(`rollout ${at}`).digest('hex').slice(0, 8)

function serveRollouts(path: string, count: number): Promise<RunningServer> {
  const lines = Array.from({ length: count }, (_, at) => {
    const record = { id: idOf(at), input_ids: [151644, 77091, 198, 9707 + at, 151645], loss_mask: [0, 0, 0, 1, 1] }
    return `${JSON.stringify(record)}\n`
  })
  const text = lines.join('')
  writeFileSync(path, text)
  const served = new ServedFiles()
  const file = served.add(path, 'run.jsonl', Buffer.byteLength(text))
  const site = createSite({
    places: findPlaces(),
    served,
    session: async () => ({ files: [file], sample: null, notice: null }),
  })
  return startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
}

/** Runs in the page: hands on every sentence that says something is kept, as soon as it stands in the page. */
function tellWhatIsKept(): void {
  const { tellKept } = globalThis as unknown as { tellKept(kind: string, id: string): void }
  const look = () => {
    const notice = document.querySelector('.notice')?.textContent ?? ''
    const flagged = /^Rollout (\w+) flagged$/.exec(notice)?.[1]
    const labelled = /^Rollout (\w+) labelled/.exec(notice)?.[1]
    const noted = /^Note on rollout (\w+) kept$/.exec(notice)?.[1]
    if (flagged !== undefined) tellKept('flags', flagged)
    if (labelled !== undefined) tellKept('labels', labelled)
    if (noted !== undefined) tellKept('notes', noted)
    const isSaved = /^Saved /.test(document.querySelector('.notebook-kept')?.textContent ?? '')
    const added = /^H\d+/.exec(document.querySelector('.note-page h2')?.textContent ?? '')?.[0]
    if (isSaved && added !== undefined) tellKept('hypotheses', added)
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
}

/** Runs in the page: hands on what Chromium says of a database whose files it found damaged and emptied. */
function tellWhatIsEmptied(): void {
  const { tellEmptied } = globalThis as unknown as { tellEmptied(why: string): void }
  const open = IDBFactory.prototype.open
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given)
    request.addEventListener('upgradeneeded', (event) => {
      const { dataLoss, dataLossMessage } = event as Event & { dataLoss?: string; dataLossMessage?: string }
      if (dataLoss === 'total') tellEmptied(`${given[0]} was emptied: ${dataLossMessage}`)
    })
    return request
  }
}

function keepProfile(profile: string): string {
  const kept = mkdtempSync(join(tmpdir(), 'inspector-lost-'))
  cpSync(profile, kept, { recursive: true })
  return kept
}

async function mark(page: Page, round: number): Promise<void> {
  const { keyboard } = page
  // Every round has rollouts of its own: what is said of one stays true.
  await page.evaluate((at) => {
    location.hash = `${location.hash.split('&')[0]}&view=rollout&rollout=${at}`
  }, round * ROLLOUTS_A_ROUND)
  await page.locator('.token').first().waitFor()
  await keyboard.press('Escape')
  await page.locator('.row-open').first().waitFor()
  for (let step = 0; ; step++) {
    await keyboard.press('j')
    await keyboard.press('f')
    if (step % 5 === 1) {
      await keyboard.press('t')
      await page.getByRole('combobox', { name: 'Label' }).fill('kept')
      await keyboard.press('Enter')
      await keyboard.press('Escape')
    }
    if (step % 5 === 3) {
      await keyboard.press('N')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill(`written ${step}`)
      await keyboard.press('Control+Enter')
      await keyboard.press('Escape')
    }
  }
}

async function write(page: Page): Promise<void> {
  await page.keyboard.press('6')
  await page.locator('[data-card]').first().waitFor()
  while (true) {
    await page.keyboard.press('n')
    await page.getByText('Saving…').waitFor()
    await page.getByText(/^Saved /).waitFor()
  }
}

interface Stored {
  readonly flags: readonly string[]
  readonly labels: readonly string[]
  readonly notes: readonly string[]
  readonly hypotheses: readonly string[]
}

/** What is in the page's storage, read past the page. */
function stored(page: Page): Promise<Stored> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await done(indexedDB.open('rollout-inspector'))
    const all = (store: string) => done(database.transaction(store).objectStore(store).getAll())
    const ids = async (store: string) => (await all(store)).map((row: { trajectory: string }) => row.trajectory)
    const [row] = (await all('notebooks')) as { notebook: { hypotheses: { id: string }[] } }[]
    const read = {
      flags: await ids('flags'),
      labels: await ids('labels'),
      notes: await ids('notes'),
      hypotheses: row?.notebook.hypotheses.map(({ id }) => id) ?? [],
    }
    database.close()
    return read
  })
}

function missing(said: Acknowledged, there: Stored): string[] {
  return (['flags', 'labels', 'notes', 'hypotheses'] as const).flatMap((kind) => {
    const found = new Set(there[kind])
    return [...said[kind]].filter((id) => !found.has(id)).map((id) => `${kind}: ${id}`)
  })
}

function total({ flags, labels, notes, hypotheses }: Acknowledged): number {
  return flags.size + labels.size + notes.size + hypotheses.size
}
