import 'fake-indexeddb/auto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import type { LeavingPlace } from '../../renderer/data/left-changes.ts'
import { NotebookKeeper } from '../../renderer/data/notebook-keeper.ts'
import { editHypothesis, pinEvidence, unpinEvidence } from '../../shared/notebook/edit.ts'
import type { Notebook, Status } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { evidence } from './edits.ts'

let names = 0
const open: { stop(): void }[] = []

afterEach(() => {
  for (const each of open.splice(0)) each.stop()
})

/** As `localStorage` keeps texts, for the windows of one browser. */
class TextPlace implements LeavingPlace {
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
async function windowOn(
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

const fresh = () => `notebook-${names++}`

function shown(keeper: NotebookKeeper): Notebook {
  return keeper.state.getState().notebook!
}

function status(keeper: NotebookKeeper, id = 'H02'): string | undefined {
  return shown(keeper).hypotheses.find((each) => each.id === id)?.status
}

function rootCause(keeper: NotebookKeeper): string | undefined {
  return shown(keeper).hypotheses.find(({ id }) => id === 'H02')?.rootCause
}

/** Holds up the second copy, as a slow disk does. */
function holdCopies(database: InspectorDatabase): { readonly begun: Promise<void>; end(): void } {
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
const settled = () => new Promise((done) => setTimeout(done, 50))

const testing = (id: string) => (notebook: Notebook, at: string) =>
  editHypothesis(notebook, id, { status: 'testing' }, { at })

describe('the notebook', () => {
  test('is there again after a restart', async () => {
    const name = fresh()
    const { keeper } = await windowOn(name)
    expect(shown(keeper)).toEqual(newNotebook())
    keeper.change('Status of H02', testing('H02'))
    expect(keeper.state.getState().keeping).toBe('saving')
    await keeper.flush()
    expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', problem: null })
    const { keeper: later } = await windowOn(name)
    expect(status(later)).toBe('testing')
    expect(shown(later).history).toHaveLength(1)
  })

  test('is said to be saved once it stands in the second copy too', async () => {
    const { keeper, database } = await windowOn(fresh())
    let copied = () => {}
    database.copied = () =>
      new Promise((done) => {
        copied = done
      })
    keeper.change('Status of H02', testing('H02'))
    await expect.poll(() => database.notebooks.count()).toBe(1)
    expect(keeper.state.getState().keeping).toBe('saving')
    await expect
      .poll(() => {
        copied()
        return keeper.state.getState().keeping
      })
      .toBe('saved')
  })

  test('shows a change once while its second copy is waited for', async () => {
    const name = fresh()
    const { keeper } = await windowOn(name)
    keeper.change('Root cause of H02', (notebook, at) =>
      editHypothesis(notebook, 'H02', { rootCause: 'Masks.\n' }, { at }),
    )
    await keeper.flush()
    const { keeper: other } = await windowOn(name)
    const { keeper: late, database } = await windowOn(name)
    const holding = holdCopies(database)
    other.change('Root cause of H02', (notebook, at) =>
      editHypothesis(notebook, 'H02', { rootCause: 'Chat template.\n\nMasks.\n' }, { at }),
    )
    late.change('Root cause of H02', (notebook, at) =>
      editHypothesis(notebook, 'H02', { rootCause: 'Masks.\n\nTool replies.\n' }, { at }),
    )
    await other.flush()
    await holding.begun
    const both = 'Chat template.\n\nMasks.\n\nTool replies.\n'
    await expect.poll(() => rootCause(other)).toBe(both)
    await settled()
    expect(rootCause(late)).toBe(both)
    holding.end()
    await late.flush()
    expect(rootCause(late)).toBe(both)
  })

  test('shows what another window changes while the second copy is waited for', async () => {
    const name = fresh()
    const { keeper, database } = await windowOn(name)
    const { keeper: other } = await windowOn(name)
    const holding = holdCopies(database)
    keeper.change('Status of H02', testing('H02'))
    await holding.begun
    await expect.poll(() => status(other, 'H02')).toBe('testing')
    other.change('Status of H04', testing('H04'))
    await expect.poll(() => status(keeper, 'H04')).toBe('testing')
    holding.end()
    await keeper.flush()
    expect([status(keeper, 'H02'), status(keeper, 'H04')]).toEqual(['testing', 'testing'])
    expect(keeper.state.getState().keeping).toBe('saved')
  })

  test('is stored by itself', async () => {
    const name = fresh()
    const { keeper, database } = await windowOn(name)
    keeper.change('Status of H02', testing('H02'))
    await expect.poll(() => database.notebooks.count()).toBe(1)
    await expect.poll(() => keeper.isUnsaved).toBe(false)
  })

  test('keeps what is changed while the change before is being stored', async () => {
    const name = fresh()
    const { keeper, database } = await windowOn(name)
    keeper.change('Status of H02', testing('H02'))
    let meanwhile = () => keeper.change('Status of H04', testing('H04'))
    database.notebooks.hook('creating', () => {
      meanwhile()
      meanwhile = () => undefined
    })
    await keeper.flush()
    expect([status(keeper, 'H02'), status(keeper, 'H04')]).toEqual(['testing', 'testing'])
    await keeper.flush()
    expect(keeper.isUnsaved).toBe(false)
    const { keeper: later } = await windowOn(name)
    expect([status(later, 'H02'), status(later, 'H04')]).toEqual(['testing', 'testing'])
  })

  test('takes back one change after the other, and does them again', async () => {
    const name = fresh()
    const { keeper } = await windowOn(name)
    const start = shown(keeper)
    keeper.change('Status of H02', testing('H02'))
    keeper.change('Status of H04', testing('H04'))
    const end = shown(keeper)
    expect(keeper.undo()).toBe('Status of H04')
    expect([status(keeper, 'H02'), status(keeper, 'H04')]).toEqual(['testing', 'pending'])
    expect(keeper.state.getState()).toMatchObject({ undoable: 'Status of H02', redoable: 'Status of H04' })
    keeper.undo()
    expect(shown(keeper)).toEqual(start)
    expect(keeper.undo()).toBeNull()
    keeper.redo()
    keeper.redo()
    expect(shown(keeper)).toEqual(end)
    await keeper.flush()
    const { keeper: later } = await windowOn(name)
    expect(shown(later)).toEqual(end)
  })

  test('shows what another window changed, and undo takes back one’s own change alone', async () => {
    const name = fresh()
    const { keeper: one } = await windowOn(name)
    const { keeper: other } = await windowOn(name)
    one.change('Evidence', (notebook, at) => pinEvidence(notebook, 'H02', evidence('mine'), { at }))
    await one.flush()
    await expect.poll(() => shown(other).hypotheses[1]?.evidence).toHaveLength(1)
    other.change('Status of H02', testing('H02'))
    await other.flush()
    await expect.poll(() => status(one)).toBe('testing')
    one.undo()
    await one.flush()
    await expect.poll(() => shown(other).hypotheses[1]?.evidence).toEqual([])
    expect([status(one), status(other)]).toEqual(['testing', 'testing'])
  })

  test('keeps both where two windows write at the same time', async () => {
    const name = fresh()
    const { keeper: one } = await windowOn(name)
    const { keeper: other } = await windowOn(name)
    one.change('Status of H02', testing('H02'))
    other.change('Status of H04', testing('H04'))
    await Promise.all([one.flush(), other.flush()])
    const { keeper: later } = await windowOn(name)
    expect([status(later, 'H02'), status(later, 'H04')]).toEqual(['testing', 'testing'])
  })

  test('keeps the words of both where two windows write in one text, and says what it cannot keep', async () => {
    const name = fresh()
    const told: string[] = []
    const { keeper: one } = await windowOn(name)
    const { keeper: two } = await windowOn(name, null, (sentence) => told.push(sentence))
    const notes = (keeper: NotebookKeeper) => shown(keeper).hypotheses[0]?.notes
    const write = (keeper: NotebookKeeper, notes: string) =>
      keeper.change('Notes', (notebook, at) => editHypothesis(notebook, notebook.hypotheses[0]!.id, { notes }, { at }))
    const bothHave = (words: string) =>
      expect.poll(() => [notes(one), notes(two)], { interval: 5 }).toEqual([words, words])
    write(one, 'Seen in turn 2.')
    await bothHave('Seen in turn 2.')
    write(one, 'Seen in turn 2. Not in turn 1.')
    write(two, 'Today: Seen in turn 2.')
    await bothHave('Today: Seen in turn 2. Not in turn 1.')
    expect(told).toEqual([])
    two.undo()
    await bothHave('Seen in turn 2. Not in turn 1.')
    write(one, 'Never seen.')
    write(two, 'Always seen.')
    await bothHave('Always seen.')
    expect(told).toEqual([expect.stringContaining('“Never seen.”')])
  })

  test('says that storage is full, loses nothing, and stores it once there is room', async () => {
    const name = fresh()
    const { keeper, database } = await windowOn(name)
    keeper.change('Status of H04', testing('H04'))
    await keeper.flush()
    let isFull = true
    database.notebooks.hook('updating', () => {
      if (isFull) throw new DOMException('no room', 'QuotaExceededError')
    })
    keeper.change('Status of H02', testing('H02'))
    await keeper.flush()
    expect(keeper.state.getState().keeping).toBe('failed')
    expect(keeper.state.getState().problem).toMatch(/storage is full.*Save the notebook as a file/)
    expect([status(keeper), keeper.isUnsaved]).toEqual(['testing', true])
    const { keeper: meanwhile } = await windowOn(name)
    expect([status(meanwhile, 'H04'), status(meanwhile, 'H02')]).toEqual(['testing', 'pending'])
    isFull = false
    await keeper.flush()
    expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', problem: null })
    const { keeper: later } = await windowOn(name)
    expect(status(later)).toBe('testing')
  })

  test('is stored while its window is left, and never later over what another window has stored since', async () => {
    const name = fresh()
    const { keeper: other } = await windowOn(name)
    const { keeper: left, database } = await windowOn(name)
    left.change('Status of H02', testing('H02'))
    left.change('Evidence', (notebook, at) =>
      pinEvidence(notebook, 'H02', evidence('of the one that was left'), { at }),
    )
    left.stop()
    expect(left.isUnsaved).toBe(true)
    await expect.poll(() => left.isUnsaved).toBe(false)
    database.close()
    await expect.poll(() => shown(other).hypotheses[1]?.evidence).toHaveLength(1)
    other.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'partial' }, { at }))
    other.change('Evidence', (notebook, at) =>
      unpinEvidence(notebook, 'H02', shown(other).hypotheses[1]!.evidence[0]!.id, { at }),
    )
    await other.flush()
    const { keeper: later } = await windowOn(name)
    await later.flush()
    expect(shown(later)).toEqual(shown(other))
    expect([status(later), shown(later).hypotheses[1]?.evidence]).toEqual(['partial', []])
  })

  describe('that a window leaves before it has stored its last change', () => {
    /** A window that changes the notebook and is gone before it can store that, and what another does on top. */
    async function leaveBehind(place: LeavingPlace, name: string) {
      const { keeper, database } = await windowOn(name, place)
      keeper.change('Status of H02', testing('H02'))
      expect(keeper.leave()).toBe(true)
      keeper.stop()
      database.close({ disableAutoOpen: true })
      await keeper.flush()
      expect(keeper.isUnsaved).toBe(true)
    }

    test('has it for the next window', async () => {
      const [place, name] = [new TextPlace(), fresh()]
      await leaveBehind(place, name)
      const { keeper } = await windowOn(name, place)
      expect([status(keeper), place.length]).toEqual(['testing', 0])
      const { keeper: later } = await windowOn(name, place)
      expect(shown(later)).toEqual(shown(keeper))
    })

    test('has it below what the other window changes next', async () => {
      const [place, name] = [new TextPlace(), fresh()]
      const { keeper: other } = await windowOn(name, place)
      await leaveBehind(place, name)
      other.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'partial' }, { at }))
      other.change('Status of H04', testing('H04'))
      await other.flush()
      const { keeper: later } = await windowOn(name, place)
      expect([status(later), status(later, 'H04'), place.length]).toEqual(['partial', 'testing', 0])
    })

    test('takes it once, whoever stored it and whatever came after', async () => {
      const [place, name] = [new TextPlace(), fresh()]
      const { keeper } = await windowOn(name, place)
      keeper.change('Status of H02', testing('H02'))
      expect(keeper.leave()).toBe(true)
      // A copy of what it left, as it is found where the window that took it ended before it could take it away.
      const left = [place.key(0) as string, place.getItem(place.key(0) as string) as string] as const
      await keeper.flush()
      expect([keeper.isUnsaved, place.length]).toEqual([false, 0])
      keeper.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'partial' }, { at }))
      await keeper.flush()
      place.setItem(...left)
      const { keeper: later } = await windowOn(name, place)
      expect([status(later), place.length]).toEqual(['partial', 0])
    })

    test.each([
      '',
      '{',
      '[{"id":1}]',
      '[{"id":"a","delta":{"kind":"fields"}}]',
      '[{"id":"a","delta":{"kind":"set","after":3}}]',
    ])('loses nothing to a text that is none of it: %s', async (text) => {
      const [place, name] = [new TextPlace(), fresh()]
      place.setItem('rollout-inspector.notebook-left.x', text)
      await leaveBehind(place, name)
      const { keeper } = await windowOn(name, place)
      keeper.change('Status of H04', testing('H04'))
      await keeper.flush()
      expect([status(keeper), status(keeper, 'H04')]).toEqual(['testing', 'testing'])
      expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', problem: null })
      expect(place.getItem('rollout-inspector.notebook-left.x')).toBe(text)
    })

    test('writes nothing for a text that cannot be taken, and says once that it is there', async () => {
      const [place, name, told] = [new TextPlace(), fresh(), vi.fn()]
      place.setItem('rollout-inspector.notebook-left.x', '[{"id":"a","delta":{"kind":"set","after":3}}]')
      place.setItem('rollout-inspector.notebook-left.y', '{')
      const { keeper, database } = await windowOn(name, place, told)
      await keeper.flush()
      await keeper.flush()
      expect(await database.notebooks.get('notebook')).toBeUndefined()
      expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', savedAt: null })
      expect(told.mock.calls).toEqual([[expect.stringMatching(/cannot read.*stay/)]])
    })

    test('has what fits of it, beside what does not', async () => {
      const [place, name] = [new TextPlace(), fresh()]
      await leaveBehind(place, name)
      const key = place.key(0) as string
      const { leftAt, changes } = JSON.parse(place.getItem(key) as string)
      expect(leftAt).toMatch(/^20\d\d-.*Z$/)
      const strange = [{ id: 'a', delta: { kind: 'set', after: 3 } }, { of: 'a later version' }]
      place.setItem(key, JSON.stringify({ leftAt, changes: [strange[0], ...changes, strange[1]] }))
      const { keeper, database } = await windowOn(name, place)
      expect(status(keeper)).toBe('testing')
      const rest = JSON.parse(place.getItem(key) as string).changes
      expect(rest).toHaveLength(2)
      expect(rest).toEqual(expect.arrayContaining(strange))
      await keeper.flush()
      expect((await database.notebooks.get('notebook'))?.revision).toBe(1)
    })

    test.each([
      ['a', 'b'],
      ['b', 'a'],
    ])('comes in the order in which windows went, however storage orders them: %s, %s', async (first, last) => {
      const [place, name] = [new TextPlace(), fresh()]
      const left = async (went: string, second: number, to: Status) => {
        const own = new TextPlace()
        const { keeper } = await windowOn(fresh(), own)
        keeper.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: to }, { at }))
        expect(keeper.leave()).toBe(true)
        const { changes } = JSON.parse(own.getItem(own.key(0) as string) as string)
        return [went, JSON.stringify({ leftAt: `2026-01-05T00:00:0${second}.000Z`, changes })] as const
      }
      const texts = [await left(first, 1, 'testing'), await left(last, 2, 'partial')]
      for (const [key, text] of texts.sort()) place.setItem(`rollout-inspector.notebook-left.${key}`, text)
      const { keeper } = await windowOn(name, place)
      expect([status(keeper), place.length]).toEqual(['partial', 0])
    })

    test('is still read as it was left without a time', async () => {
      const [place, name] = [new TextPlace(), fresh()]
      await leaveBehind(place, name)
      const key = place.key(0) as string
      place.setItem(key, JSON.stringify(JSON.parse(place.getItem(key) as string).changes))
      const { keeper } = await windowOn(name, place)
      expect([status(keeper), place.length]).toEqual(['testing', 0])
    })

    test('says so where there is no room to leave it, or storage refuses', async () => {
      const full = new TextPlace()
      full.setItem = () => {
        throw new DOMException('no room', 'QuotaExceededError')
      }
      const { keeper } = await windowOn(fresh(), full)
      expect(keeper.leave()).toBe(true)
      keeper.change('Status of H02', testing('H02'))
      expect(keeper.leave()).toBe(false)
      const { keeper: refused, database } = await windowOn(fresh(), new TextPlace())
      database.close({ disableAutoOpen: true })
      refused.change('Status of H02', testing('H02'))
      await refused.flush()
      expect(refused.leave()).toBe(false)
    })
  })

  test('can be written where nothing is kept, and says so', async () => {
    const database = new InspectorDatabase(fresh())
    await database.open()
    database.close()
    const keeper = new NotebookKeeper(database)
    open.push(keeper)
    await keeper.load()
    expect(keeper.state.getState().problem).toMatch(/may not keep anything.*Save it as a file/)
    keeper.change('Status of H02', testing('H02'))
    await keeper.flush()
    expect(status(keeper)).toBe('testing')
    expect(keeper.isUnsaved).toBe(true)
  })

  test('that another version wrote is left as it is', async () => {
    const name = fresh()
    const database = new InspectorDatabase(name)
    const stored = { id: 'notebook', notebook: { schema: 'rollout-inspector.notebook/9' }, revision: 7, savedAt: '' }
    await database.notebooks.put(stored)
    const { keeper } = await windowOn(name)
    expect(keeper.state.getState().problem).toMatch(/another version.*left as it is/)
    keeper.change('Status of H02', testing('H02'))
    await keeper.flush()
    expect(await database.notebooks.get('notebook')).toEqual(stored)
  })
})
