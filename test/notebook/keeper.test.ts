import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import { NotebookKeeper } from '../../renderer/data/notebook-keeper.ts'
import { editHypothesis, pinEvidence, unpinEvidence } from '../../shared/notebook/edit.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { evidence } from './edits.ts'
import { fresh, holdCopies, open, rootCause, settled, shown, status, testing, windowOn } from './windows.ts'

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
