import 'fake-indexeddb/auto'
import { afterEach } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import type { LeavingPlace } from '../../renderer/data/left-changes.ts'
import { NotebookKeeper } from '../../renderer/data/notebook-keeper.ts'
import { editHypothesis } from '../../shared/notebook/edit.ts'
import type { Notebook } from '../../shared/notebook/model.ts'

let names = 0
/** Stopped after each test. */
export const open: { stop(): void }[] = []

afterEach(() => {
  for (const each of open.splice(0)) each.stop()
})

/** As `localStorage` keeps texts, for the windows of one browser. */
export class TextPlace implements LeavingPlace {
  private readonly texts = new Map<string, string>()
  get length() {
    return this.texts.size
  }
  key = (at: number) => [...this.texts.keys()][at] ?? null
  getItem = (key: string) => this.texts.get(key) ?? null
  setItem = (key: string, text: string) => void this.texts.set(key, text)
  removeItem = (key: string) => void this.texts.delete(key)
}

/** A window on the notebook of a browser. */
export async function windowOn(
  name: string,
  leaving: LeavingPlace | null = null,
  tell?: (sentence: string) => void,
): Promise<{ keeper: NotebookKeeper; database: InspectorDatabase }> {
  const database = new InspectorDatabase(name)
  const keeper = new NotebookKeeper(database, leaving, tell)
  open.push(keeper)
  await keeper.load()
  return { keeper, database }
}

export const fresh = () => `notebook-${names++}`

export function shown(keeper: NotebookKeeper): Notebook {
  return keeper.state.getState().notebook!
}

export function status(keeper: NotebookKeeper, id = 'H02'): string | undefined {
  return shown(keeper).hypotheses.find((each) => each.id === id)?.status
}

export function rootCause(keeper: NotebookKeeper): string | undefined {
  return shown(keeper).hypotheses.find(({ id }) => id === 'H02')?.rootCause
}

/** Holds up the second copy, as a slow disk does. */
export function holdCopies(database: InspectorDatabase): { readonly begun: Promise<void>; end(): void } {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun = new Promise<void>((resolve) => {
    database.copied = () => {
      resolve()
      return ended
    }
  })
  return { begun, end }
}

/** What is told of storage has come by then. */
export const settled = () => new Promise((done) => setTimeout(done, 50))

export const testing = (id: string) => (notebook: Notebook, at: string) =>
  editHypothesis(notebook, id, { status: 'testing' }, { at })
