import { liveQuery, type Subscription } from 'dexie'
import { clipped } from '../../shared/model/clipped.ts'
import { applied, type Delta, difference, inverse } from '../../shared/notebook/delta.ts'
import { checkNotebook, type Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { createNotebookState } from '../state/notebook.ts'
import { askToKeep, type InspectorDatabase, type KeptNotebook } from './database.ts'
import {
  keepLeft,
  type LeavingPlace,
  type LeftChanges,
  leaveChanges,
  leftChanges,
  type NamedChange,
} from './left-changes.ts'
import { newId } from './new-id.ts'

/** A change of the notebook at a moment (ISO 8601). */
export type NotebookEdit = (notebook: Notebook, at: string) => Notebook

interface Step {
  /** What was done, for people: `Status of H02`. */
  readonly words: string
  readonly delta: Delta
}

/** The row under which the notebook is kept. */
const ROW = 'notebook'
const MOST_STEPS = 200
/** Changes whose names are kept: more than a window leaves. */
const MOST_NAMES = 500
/** The notebook in words of errors. */
const STORED = 'The notebook of this browser'
const UNREAD =
  'A window left changes of the notebook that this version of the program cannot read. They stay in the storage of this browser for a version that can.'

/**
 * Keeps the notebook: every change goes to storage at once, can be taken back, and is seen by other windows. What another
 * window wrote stays: a change is stored as what it changes, on top of what is there.
 */
export class NotebookKeeper {
  readonly state = createNotebookState()
  private done: Step[] = []
  private undone: Step[] = []
  /** What is not in storage yet, oldest first. */
  private pending: NamedChange[] = []
  private writing: Promise<void> = Promise.resolve()
  private revision = 0
  /** What is stored cannot be read and is never written over. */
  private locked = false
  /** Storage did not take the last change. */
  private refused = false
  private following: Subscription | null = null
  private readonly window = newId()
  /** Texts that windows left and of which nothing can be taken. */
  private readonly unread = new Set<string>()

  /**
   * @param leaving where changes are left that the page has no time to store; null where there is no such place
   * @param tell takes a sentence for the person about something that does not keep the notebook from being written
   */
  constructor(
    private readonly database: InspectorDatabase,
    private readonly leaving: LeavingPlace | null = null,
    private readonly tell: (sentence: string) => void = () => undefined,
  ) {}

  /** Reads the notebook; without storage a new one lasts until the window is closed, and that is said. */
  async load(): Promise<void> {
    try {
      const row = await this.newest()
      const notebook = row === undefined ? newNotebook() : checkNotebook(row.notebook, STORED)
      this.revision = row?.revision ?? 0
      this.state.setState({ notebook, keeping: 'saved', savedAt: row?.savedAt ?? null })
      this.follow()
    } catch (error) {
      this.locked = (error as Error).name === 'NotebookError'
      this.refused = true
      const problem = this.locked
        ? `${(error as Error).message} It is left as it is; what you write now is not kept.`
        : notKept(error)
      this.state.setState({ notebook: newNotebook(), keeping: 'failed', problem })
    }
  }

  /** Changes the notebook at once; storage follows. `words` name it for undo. */
  change(words: string, edit: NotebookEdit): void {
    const { notebook } = this.state.getState()
    if (notebook === null) return
    const next = edit(notebook, new Date().toISOString())
    const delta = difference(notebook, next)
    if (delta === null) return
    this.done = [...this.done, { words, delta }].slice(-MOST_STEPS)
    this.undone = []
    this.put(delta)
  }

  undo(): string | null {
    const step = this.done.pop()
    if (step === undefined) return null
    this.undone.push(step)
    this.put(inverse(step.delta))
    return step.words
  }

  redo(): string | null {
    const step = this.undone.pop()
    if (step === undefined) return null
    this.done.push(step)
    this.put(step.delta)
    return step.words
  }

  /** Puts everything that is not stored yet into storage; resolves when that is done or has failed. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write())
    return this.writing
  }

  /** Whether something on screen is not in the database. */
  get isUnsaved(): boolean {
    return this.pending.length > 0
  }

  /**
   * To be called as the page goes: what is not stored yet is left for the window that comes next. May be called again, and the page may
   * live on after it: no change is taken twice.
   *
   * @returns false where something is not stored and cannot be left
   */
  leave(): boolean {
    if (this.pending.length === 0) return true
    if (this.locked || this.refused || this.leaving === null) return false
    return leaveChanges(this.leaving, this.window, this.pending, new Date().toISOString())
  }

  stop(): void {
    this.following?.unsubscribe()
  }

  private put(delta: Delta): void {
    const { notebook } = this.state.getState()
    if (notebook === null) return
    this.pending.push({ id: newId(), delta })
    this.state.setState({
      notebook: applied(notebook, delta),
      keeping: this.locked ? 'failed' : 'saving',
      undoable: this.done.at(-1)?.words ?? null,
      redoable: this.undone.at(-1)?.words ?? null,
    })
    void this.flush()
  }

  private async write(): Promise<void> {
    if (this.locked || (this.pending.length === 0 && this.left().length === 0)) return
    const taken = [...this.pending]
    const { revision: before } = this
    try {
      const row = await this.store(taken)
      if (row === null) return
      askToKeep()
      await this.database.copied()
      // Only what was committed is let go; what came meanwhile goes on top.
      this.pending = this.pending.slice(taken.length)
      // Another window may have written on top of it while the copy was waited for. In emptied storage revisions begin anew.
      if (this.revision === before || row.revision > this.revision) this.show(row, row.notebook as Notebook)
      this.refused = false
      this.state.setState({ keeping: this.pending.length === 0 ? 'saved' : 'saving', problem: null })
    } catch (error) {
      this.refused = true
      this.state.setState({ keeping: 'failed', problem: notKept(error) })
    }
  }

  private left(): LeftChanges[] {
    return this.leaving === null ? [] : leftChanges(this.leaving).filter(({ text }) => !this.unread.has(text))
  }

  /** Puts changes on top of what is stored, and below them what windows left as they went. Null where that changes nothing. */
  private async store(changes: readonly NamedChange[]): Promise<KeptNotebook | null> {
    const { notebooks } = this.database
    const lost: string[] = []
    const { row, looked } = await this.database.transaction('rw', notebooks, async () => {
      const there = await notebooks.get(ROW)
      let notebook = there === undefined ? newNotebook() : checkNotebook(there.notebook, STORED)
      const took = new Set(there?.took)
      const looked: { readonly left: LeftChanges; readonly rest: readonly unknown[] }[] = []
      let isNew = changes.length > 0
      for (const left of this.left()) {
        const fresh = newOf(left.changes, took)
        const { next, unfit } = withLeft(notebook, fresh)
        notebook = next
        isNew ||= unfit.length < fresh.length
        for (const change of fresh) if (!unfit.includes(change)) took.add(change.id)
        looked.push({ left, rest: [...left.others, ...unfit] })
      }
      if (!isNew) return { row: null, looked }
      notebook = onTop(notebook, newOf(changes, took), (text) => lost.push(text))
      for (const { id } of changes) took.add(id)
      const row: KeptNotebook = {
        id: ROW,
        notebook,
        revision: (there?.revision ?? 0) + 1,
        savedAt: new Date().toISOString(),
        took: [...took].slice(-MOST_NAMES),
      }
      await notebooks.put(row)
      return { row, looked }
    })
    for (const { left, rest } of looked) this.letGo(left, rest)
    for (const text of lost) this.tell(overwritten(text))
    return row
  }

  /** Of what a window left, `rest` is what could not be taken. */
  private letGo(left: LeftChanges, rest: readonly unknown[]): void {
    if (this.leaving === null) return
    if (rest.length < left.changes.length + left.others.length || rest.length === 0) {
      try {
        keepLeft(this.leaving, left, rest)
      } catch {
        // What was taken is known by its name, and is not taken again.
      }
    } else {
      if (this.unread.size === 0) this.tell(UNREAD)
      this.unread.add(left.text)
    }
  }

  /** What is stored, with what windows left; without that where storage takes nothing. */
  private async newest(): Promise<KeptNotebook | undefined> {
    try {
      const row = this.left().length > 0 ? await this.store([]) : null
      if (row !== null) return row
    } catch {
      // Why storage takes nothing is said at the first change.
    }
    return this.database.notebooks.get(ROW)
  }

  /** Shows what is stored, and on top of it what is not in it yet: a change may be in it that still waits for its second copy. */
  private show({ revision, savedAt, took }: KeptNotebook, notebook: Notebook): void {
    this.revision = revision
    this.state.setState({ notebook: onTop(notebook, newOf(this.pending, new Set(took))), savedAt })
  }

  /** Takes over what other windows write. */
  private follow(): void {
    this.following = liveQuery(() => this.database.notebooks.get(ROW)).subscribe({
      next: (row) => {
        if (row === undefined || row.revision <= this.revision) return
        try {
          this.show(row, checkNotebook(row.notebook, STORED))
        } catch (error) {
          this.locked = true
          this.state.setState({ keeping: 'failed', problem: `${(error as Error).message} Reload this window.` })
        }
      },
      error: (error: unknown) => this.state.setState({ keeping: 'failed', problem: notKept(error) }),
    })
  }
}

function onTop(notebook: Notebook, changes: readonly NamedChange[], lost?: (text: string) => void): Notebook {
  return changes.reduce((before, { delta }) => applied(before, delta, lost), notebook)
}

/** More of a text (characters) is no sentence. */
const MOST_TOLD = 500

/** Said of what another window wrote in the same place at the same time. */
export function overwritten(text: string): string {
  return `Another window wrote in the same place of the notebook: “${clipped(text, MOST_TOLD)}”. What you wrote here stands in its place.`
}

/** With the changes that fit on top; another version may have left some that do not. */
function withLeft(
  notebook: Notebook,
  changes: readonly NamedChange[],
): { readonly next: Notebook; readonly unfit: readonly NamedChange[] } {
  const all = fitting(notebook, changes)
  if (all !== null) return { next: all, unfit: [] }
  let next = notebook
  const unfit = changes.filter((change) => {
    const more = fitting(next, [change])
    next = more ?? next
    return more === null
  })
  return { next, unfit }
}

function fitting(notebook: Notebook, changes: readonly NamedChange[]): Notebook | null {
  try {
    return checkNotebook(onTop(notebook, changes))
  } catch {
    return null
  }
}

function newOf(changes: readonly NamedChange[], took: ReadonlySet<string>): readonly NamedChange[] {
  return changes.filter(({ id }) => !took.has(id))
}

function notKept(error: unknown): string {
  const { name, message, inner } = error as { name?: string; message?: string; inner?: { name?: string } }
  const names = [name, inner?.name]
  if (names.includes('QuotaExceededError')) {
    return 'The browser’s storage is full: your last changes are on screen only. Save the notebook as a file now, then free space and try again.'
  }
  if (names.includes('NotebookError')) return `${message} Your changes are on screen only: save the notebook as a file.`
  return `This window may not keep anything (${name ?? 'unknown error'}): the notebook lasts until it is closed. Save it as a file.`
}
