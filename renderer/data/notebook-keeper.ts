import { liveQuery, type Subscription } from 'dexie'
import { applied, type Delta, difference, inverse } from '../../shared/notebook/delta.ts'
import { checkNotebook, type Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { createNotebookState } from '../state/notebook.ts'
import { askToKeep, type InspectorDatabase, type KeptNotebook } from './database.ts'

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

/**
 * Keeps the notebook: every change goes to storage at once, can be taken back, and is seen by other windows. What another
 * window wrote stays: a change is stored as what it changes, on top of what is there.
 */
export class NotebookKeeper {
  readonly state = createNotebookState()
  private done: Step[] = []
  private undone: Step[] = []
  /** What is not in storage yet, oldest first. */
  private pending: Delta[] = []
  private writing: Promise<void> = Promise.resolve()
  private revision = 0
  /** What is stored cannot be read and is never written over. */
  private locked = false
  private following: Subscription | null = null

  constructor(private readonly database: InspectorDatabase) {}

  /** Reads the notebook; without storage a new one lasts until the window is closed, and that is said. */
  async load(): Promise<void> {
    try {
      const row = await this.database.notebooks.get(ROW)
      const notebook = row === undefined ? newNotebook() : checkNotebook(row.notebook, 'The notebook of this browser')
      this.revision = row?.revision ?? 0
      this.state.setState({ notebook, keeping: 'saved', savedAt: row?.savedAt ?? null })
      this.follow()
    } catch (error) {
      this.locked = (error as Error).name === 'NotebookError'
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

  stop(): void {
    this.following?.unsubscribe()
  }

  private put(delta: Delta): void {
    const { notebook } = this.state.getState()
    if (notebook === null) return
    this.pending.push(delta)
    this.state.setState({
      notebook: applied(notebook, delta),
      keeping: this.locked ? 'failed' : 'saving',
      undoable: this.done.at(-1)?.words ?? null,
      redoable: this.undone.at(-1)?.words ?? null,
    })
    void this.flush()
  }

  private async write(): Promise<void> {
    if (this.locked || this.pending.length === 0) return
    const taken = [...this.pending]
    const savedAt = new Date().toISOString()
    try {
      const row = await this.database.transaction('rw', this.database.notebooks, async () => {
        const there = await this.database.notebooks.get(ROW)
        const before =
          there === undefined ? newNotebook() : checkNotebook(there.notebook, 'The notebook of this browser')
        const notebook = taken.reduce(applied, before)
        const next: KeptNotebook = { id: ROW, notebook, revision: (there?.revision ?? 0) + 1, savedAt }
        await this.database.notebooks.put(next)
        return next
      })
      askToKeep()
      // Only what was committed is let go; what came meanwhile goes on top.
      this.pending = this.pending.slice(taken.length)
      this.revision = row.revision
      this.state.setState({
        notebook: this.pending.reduce(applied, row.notebook as Notebook),
        keeping: this.pending.length === 0 ? 'saved' : 'saving',
        savedAt,
        problem: null,
      })
    } catch (error) {
      this.state.setState({ keeping: 'failed', problem: notKept(error) })
    }
  }

  /** Takes over what other windows write. */
  private follow(): void {
    this.following = liveQuery(() => this.database.notebooks.get(ROW)).subscribe({
      next: (row) => {
        if (row === undefined || row.revision <= this.revision) return
        try {
          const notebook = checkNotebook(row.notebook, 'The notebook of this browser')
          this.revision = row.revision
          this.state.setState({ notebook: this.pending.reduce(applied, notebook), savedAt: row.savedAt })
        } catch (error) {
          this.locked = true
          this.state.setState({ keeping: 'failed', problem: `${(error as Error).message} Reload this window.` })
        }
      },
      error: (error: unknown) => this.state.setState({ keeping: 'failed', problem: notKept(error) }),
    })
  }
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
