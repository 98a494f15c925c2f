import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { placesOf, useMarks } from '../state/marks.ts'
import { during } from '../state/under-way.ts'
import { say } from '../state/view.ts'
import { askToKeep, database, type InspectorDatabase, type Label, type Note } from './database.ts'
import {
  applied,
  byTime,
  inverse,
  keyOf,
  type MarkChange,
  type MarkRows,
  rowsAfter,
  stillStands,
  write,
} from './mark-changes.ts'

/** Steps that can be taken back. */
const MOST_STEPS = 500
const CHANNEL = 'rollout-inspector.marks'

interface Step {
  /** What it did, as it is said when it is taken back: `flag on rollout q1`. */
  readonly words: string
  readonly changes: readonly MarkChange[]
}

let done: Step[] = []
let undone: Step[] = []
/** What storage refused, oldest first. It goes there before the next change that it takes. */
let unkept: readonly MarkChange[] = []
/** Why what was marked before could not be read, as a sentence; null where it was. */
let unread: string | null = null
let channel: BroadcastChannel | null = null
/** Changes are made one after the other: a second press of a key sees what the first one did. */
let queue: Promise<unknown> = Promise.resolve()
/** Changes in it that are not through. */
let underWay = 0

/** Reads what was marked before. Without storage (a private window) marks live until the page is closed, and that is said. */
export async function loadMarks(from: InspectorDatabase = database): Promise<void> {
  done = []
  undone = []
  unkept = []
  unread = null
  try {
    const [flags, labels, notes] = await Promise.all([
      from.flags.toArray(),
      from.labels.toArray(),
      from.notes.toArray(),
    ])
    useMarks.setState({
      flagged: new Set(flags.map((flag) => `${flag.recordHash}.${flag.part}`)),
      labels: byKey(
        labels,
        ({ label }: Label) => label,
        (a, b) => (a < b ? -1 : 1),
      ),
      notes: byKey(notes, (note: Note) => note, byTime),
    })
  } catch (error) {
    unread = whyNot(error)
    addProblem(`Flags, labels and notes cannot be kept in this window: ${unread} They last until it is closed.`)
  }
}

/** Why there may be marks that are not on screen, as a sentence; null where all were read. */
export function whyUnread(): string | null {
  return unread
}

/** Takes in what other windows of this browser change. Returns the unsubscriber. */
export function followOtherWindows(): () => void {
  const own = new BroadcastChannel(CHANNEL)
  channel = own
  own.onmessage = (event: MessageEvent<readonly MarkChange[]>) => take(event.data)
  return () => {
    own.close()
    if (channel === own) channel = null
  }
}

/**
 * While marks are being stored, and once storage refused them, the browser asks before the page is left. Who stays finds them tried once
 * more. Returns the unregisterer.
 */
export function guardLeavingMarks(into: InspectorDatabase = database): () => void {
  const ask = (event: Event) => {
    if (unkept.length === 0 && underWay === 0) return
    event.preventDefault()
    void inTurn(async () => {
      await keep([], into)
    })
  }
  globalThis.addEventListener('beforeunload', ask)
  return () => globalThis.removeEventListener('beforeunload', ask)
}

/**
 * Makes changes, keeps them, and says so once they are written; `said` is that sentence. They can be taken back as one step.
 * `make` sees the marks as every earlier change has left them; where it makes nothing, nothing happens.
 */
export function changeMarks(
  words: string | (() => string),
  make: () => readonly MarkChange[] | Promise<readonly MarkChange[]>,
  said: string | (() => string),
  into: InspectorDatabase = database,
): Promise<void> {
  return inTurn(async () => {
    const changes = await make()
    if (changes.length === 0) return
    done = [...done.slice(1 - MOST_STEPS), { words: typeof words === 'string' ? words : words(), changes }]
    undone = []
    if (await keep(changes, into)) say(typeof said === 'string' ? said : said())
  })
}

export function undoMarks(into: InspectorDatabase = database): Promise<void> {
  return inTurn(async () => {
    const step = done.at(-1)
    if (step === undefined) return say('There is nothing to undo')
    done = done.slice(0, -1)
    undone = [...undone, step]
    const back = standing(step.changes).map(inverse).reverse()
    if (back.length === 0) return say(`Not undone, for another window changed it since: ${step.words}`)
    if (await keep(back, into)) say(`Undone: ${step.words}`)
  })
}

export function redoMarks(into: InspectorDatabase = database): Promise<void> {
  return inTurn(async () => {
    const step = undone.at(-1)
    if (step === undefined) return say('There is nothing to do again')
    undone = undone.slice(0, -1)
    done = [...done, step]
    const again = standing(step.changes.map(inverse)).map(inverse)
    if (again.length === 0) return say(`Not done again, for another window changed it since: ${step.words}`)
    if (await keep(again, into)) say(`Done again: ${step.words}`)
  })
}

function standing(changes: readonly MarkChange[]): readonly MarkChange[] {
  return changes.filter((change) => stillStands(useMarks.getState(), change))
}

/** Finds marked rollouts in the open dump: all of them, or those of `keys`. */
export async function findMarksHere(keys?: readonly string[]): Promise<void> {
  const { flagged, labels, notes } = useMarks.getState()
  const wanted = keys ?? [...new Set([...flagged, ...labels.keys(), ...notes.keys()])]
  const { phase, dumpHash } = useFiles.getState()
  if (wanted.length === 0 || phase === 'empty' || phase === 'opening') return
  try {
    const { indices, positions } = await ask('findRecords', { keys: wanted })
    if (useFiles.getState().dumpHash !== dumpHash) return
    const places = new Map(useMarks.getState().places)
    for (const key of wanted) places.delete(key)
    positions.forEach((position, at) => {
      const key = wanted[position] as string
      places.set(key, [...(places.get(key) ?? []), indices[at] as number])
    })
    useMarks.setState(({ flagged: now }) => ({ places, here: placesOf(now, places) }))
  } catch (error) {
    // What is no longer open has no places.
    if (!(error instanceof Cancelled) && useFiles.getState().dumpHash === dumpHash) addProblem(sentenceOf(error))
  }
}

/** Another dump has other places. */
export function forgetPlacesOfMarks(): void {
  useMarks.setState({ places: new Map(), here: [] })
}

/** A rollout that is on screen is known to stand here before the engine is asked for others like it. */
export function standsHere(key: string, index: number): void {
  useMarks.setState(({ places }) => {
    const known = places.get(key) ?? []
    return known.includes(index)
      ? {}
      : {
          places: new Map(places).set(
            key,
            [...known, index].sort((a, b) => a - b),
          ),
        }
  })
}

/**
 * True where the changes were written. They take effect in either case, for losing them at once would be worse than losing them later, and
 * before: the next key finds them.
 */
async function keep(changes: readonly MarkChange[], into: InspectorDatabase): Promise<boolean> {
  const due = [...unkept, ...changes]
  let isKept = true
  take(changes)
  try {
    await write(into, due)
    unkept = []
    askToKeep()
  } catch (error) {
    isKept = false
    unkept = due
    addProblem(
      `Marks could not be saved: ${whyNot(error)} They last until this window is closed; export them to keep them.`,
    )
  }
  if (isKept) {
    channel?.postMessage(due)
    await into.copied()
  }
  return isKept
}

/** Every mark: what is in storage, and what it refused on top. Rejects where storage cannot be read and nothing was refused. */
export async function allMarks(from: InspectorDatabase): Promise<MarkRows> {
  const rows = Promise.all([from.flags.toArray(), from.labels.toArray(), from.notes.toArray()])
  const [flags, labels, notes] = await rows.catch((error: unknown) => {
    if (unkept.length === 0) throw error
    return [[], [], []]
  })
  return rowsAfter({ flags, labels, notes }, unkept)
}

function take(changes: readonly MarkChange[]): void {
  useMarks.setState((state) => {
    const next = applied(state, changes)
    return { ...next, here: placesOf(next.flagged, state.places) }
  })
  void findMarksHere([...new Set(changes.map(keyOf))])
}

function inTurn(work: () => Promise<void> | void): Promise<void> {
  underWay++
  const mine = during('Keeping flags, labels and notes', () => queue.then(work)).finally(() => underWay--)
  queue = mine.catch(() => undefined)
  return mine
}

/** Why a browser refused to keep something, as a sentence. Dexie wraps the browser's own error. */
export function whyNot(error: unknown): string {
  const { name, inner, message } = (error ?? {}) as { name?: string; inner?: { name?: string }; message?: string }
  if (name === 'QuotaExceededError' || inner?.name === 'QuotaExceededError')
    return 'the storage of this browser is full.'
  // Behind the first line Dexie says the same again.
  const [reason = ''] = (message || name || 'no reason given').trim().split('\n')
  return `the browser refused (${reason.slice(0, 200)}).`
}

function byKey<Row extends { readonly recordHash: string; readonly part: number }, Value>(
  rows: readonly Row[],
  read: (row: Row) => Value,
  order: (a: Value, b: Value) => number,
): Map<string, Value[]> {
  const map = new Map<string, Value[]>()
  for (const row of rows) {
    const key = `${row.recordHash}.${row.part}`
    const values = map.get(key)
    if (values === undefined) map.set(key, [read(row)])
    else values.push(read(row))
  }
  for (const values of map.values()) values.sort(order)
  return map
}
