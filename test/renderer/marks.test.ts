import 'fake-indexeddb/auto'
import Dexie from 'dexie'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { flagListed } from '../../renderer/commands/flagging.ts'
import { InspectorDatabase, type Note } from '../../renderer/data/database.ts'
import { flagRecords, toggleFlag } from '../../renderer/data/flags.ts'
import { toggleLabel } from '../../renderer/data/labels.ts'
import { list } from '../../renderer/data/list.ts'
import { applied, inverse, type MarkChange, write } from '../../renderer/data/mark-changes.ts'
import { changeMarks, followOtherWindows, loadMarks, redoMarks, undoMarks } from '../../renderer/data/marks.ts'
import { exportMarks } from '../../renderer/data/marks-file.ts'
import { addNote, changeNote } from '../../renderer/data/notes.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { labelCounts, NO_MARKS, useMarks } from '../../renderer/state/marks.ts'
import { say } from '../../renderer/state/view.ts'
import { facts, kept, problems, said } from './kept-marks.ts'

let names = 0
let database: InspectorDatabase

beforeEach(async () => {
  database = new InspectorDatabase(`marks-${names++}`)
  useMarks.setState(NO_MARKS)
  useFiles.setState({ problems: [] })
  await loadMarks(database)
})

/** What another start of the program finds. */
async function restarted() {
  useMarks.setState(NO_MARKS)
  await loadMarks(new InspectorDatabase(database.name))
  return kept()
}

describe('marks', () => {
  it('are said to be kept once they stand in the second copy too, and show before', async () => {
    let copied = () => {}
    database.copied = () =>
      new Promise((done) => {
        copied = done
      })
    say('')
    const flagging = toggleFlag(3, facts('aa'), database)
    await expect.poll(() => kept().flagged).toEqual(['aa.0'])
    expect(said()).toBe('')
    copied()
    await flagging
    expect(said()).toMatch(/flagged/)
  })

  it('are there again after a restart, by content and part', async () => {
    await toggleFlag(3, facts('aa', 1), database)
    await toggleFlag(1, facts('bb'), database)
    await toggleLabel(1, facts('bb'), ' end  of turn ', database)
    await toggleLabel(1, facts('bb'), 'bad call', database)
    await addNote(3, facts('aa', 1), { text: ' lost ', tokens: [4, 9] }, database)
    expect(useMarks.getState().here).toEqual([1, 3])
    const before = kept()
    expect(before).toMatchObject({
      flagged: ['aa.1', 'bb.0'],
      labels: [['bb.0', ['bad call', 'end of turn']]],
      notes: [['aa.1', [{ text: 'lost', tokens: [4, 9], trajectory: 'aa.1' }]]],
    })
    expect(await restarted()).toEqual(before)
    expect(problems()).toEqual([])
  })

  it('that could not be read are not said to be none', async () => {
    await exportMarks('all')
    expect(problems()).toEqual(['Nothing is marked yet.'])
    const shut = new InspectorDatabase(database.name)
    shut.close({ disableAutoOpen: true })
    await loadMarks(shut)
    for (const which of ['all', 'here'] as const) {
      useFiles.setState({ problems: [] })
      await exportMarks(which)
      expect(problems()).toEqual([expect.stringMatching(/^Marks could not be read: the browser refused .*Reload/)])
    }
  })

  it('are gone when taken off', async () => {
    await toggleFlag(3, facts('aa'), database)
    await toggleLabel(3, facts('aa'), 'x', database)
    await toggleFlag(3, facts('aa'), database)
    await toggleLabel(3, facts('aa'), 'x', database)
    expect(useMarks.getState()).toMatchObject({ here: [], labels: new Map() })
    expect([await database.flags.count(), await database.labels.count()]).toEqual([0, 0])
  })

  it('pressed twice in a hurry end where they began', async () => {
    await Promise.all([toggleFlag(3, facts('aa'), database), toggleFlag(3, facts('aa'), database)])
    expect(kept().flagged).toEqual([])
    expect(await database.flags.count()).toBe(0)
  })

  it('of many rollouts at once are one step, leave earlier ones as they were, and come off where all have them', async () => {
    const records = Array.from({ length: 500 }, (_, at) => ({ recordHash: `h${at}`, part: 0, id: `r${at}` }))
    await toggleFlag(7, facts('h7'), database)
    // The same record in two places is one.
    await flagRecords([...records, records[3]!], database)
    expect(said()).toBe('499 rollouts flagged; one was already')
    expect(useMarks.getState().flagged.size).toBe(500)
    expect((await restarted()).flagged).toHaveLength(500)
    await flagRecords(records, database)
    expect(said()).toBe('Flags taken off 500 rollouts')
    expect((await restarted()).flagged).toEqual([])
  })

  it('of many rollouts are taken back together', async () => {
    await toggleFlag(7, facts('b'), database)
    await flagRecords(
      ['a', 'b', 'c'].map((recordHash) => ({ recordHash, part: 0, id: recordHash })),
      database,
    )
    await undoMarks(database)
    expect(said()).toBe('Undone: flags of 2 rollouts')
    expect(kept().flagged).toEqual(['b.0'])
    await redoMarks(database)
    expect(await restarted()).toMatchObject({ flagged: ['a.0', 'b.0', 'c.0'] })
  })

  it('that are taken off and taken back are of the day and the dump that they were made in', async () => {
    const old = { recordHash: 'a', part: 0, dumpHash: 'old', trajectory: 'was', flaggedAt: '2020-01-01T00:00:00.000Z' }
    const record = { recordHash: 'a', part: 0, id: 'a' }
    for (const take of [() => flagRecords([record], database), () => toggleFlag(1, facts('a'), database)]) {
      await database.flags.put(old)
      await loadMarks(database)
      await take()
      expect(await database.flags.count()).toBe(0)
      await undoMarks(database)
      expect(await database.flags.toArray()).toEqual([old])
    }
  })

  it('are not given to a whole list that may have moved, nor to one too long to be looked at', () => {
    useFiles.setState({ following: true })
    list.set(Int32Array.of(0, 1))
    flagListed()
    expect(said()).toMatch(/^Rollouts move while a run is followed/)
    useFiles.setState({ following: false })
    list.set(new Int32Array(20_001))
    flagListed()
    expect(said()).toBe(
      'The table lists 20,001 rollouts, and 20,000 can be flagged at once: ask for fewer, or export what it lists',
    )
    list.set(new Int32Array(0))
    expect(useMarks.getState().flagged.size).toBe(0)
  })

  it('of spaces alone are none', async () => {
    await toggleLabel(3, facts('aa'), ' \u200B ', database)
    await addNote(3, facts('aa'), { text: '\n', tokens: null }, database)
    expect(kept()).toEqual({ flagged: [], labels: [], notes: [] })
    await undoMarks(database)
    expect(said()).toBe('There is nothing to undo')
  })

  it('last until the window is closed, and say so, where nothing can be kept', async () => {
    await database.open()
    database.close()
    await toggleFlag(3, facts('aa'), database)
    expect(useMarks.getState().here).toEqual([3])
    expect(said()).not.toBe('Rollout aa.0 flagged')
    expect(problems()[0]).toMatch(/^Marks could not be saved: the browser refused \(.*\)\. They last until this window/)
  })

  it('say that the storage is full where it is, and keep nothing by halves', async () => {
    const full = new Dexie.QuotaExceededError('full')
    database.notes.hook('creating', () => {
      throw full
    })
    const changes: MarkChange[] = [
      { kind: 'flag', on: true, flag: { recordHash: 'aa', part: 0, dumpHash: '', trajectory: 'aa', flaggedAt: 'now' } },
      {
        kind: 'note',
        before: null,
        after: {
          id: '1',
          recordHash: 'aa',
          part: 0,
          dumpHash: '',
          trajectory: 'aa',
          tokens: null,
          text: 'x',
          writtenAt: '',
        },
      },
    ]
    await changeMarks('both', () => changes, 'Both kept', database)
    expect(problems()[0]).toMatch(/the storage of this browser is full\. They last until/)
    expect(said()).not.toBe('Both kept')
    expect(await database.flags.count()).toBe(0)
  })

  it('of a database of the version before are all there', async () => {
    const before = new Dexie(`old-${names}`)
    before.version(2).stores({ flags: '[recordHash+part], dumpHash', recent: 'dumpHash, openedAt', mappings: 'shape' })
    await before.table('flags').put({ recordHash: 'aa', part: 2, dumpHash: 'd', trajectory: 't', flaggedAt: 'x' })
    before.close()
    await loadMarks(new InspectorDatabase(`old-${names}`))
    expect(kept().flagged).toEqual(['aa.2'])
    expect(problems()).toEqual([])
  })
})

describe('undo and redo', () => {
  it('go back and forth through flags, labels and notes, in storage too', async () => {
    await toggleFlag(0, facts('aa'), database)
    await toggleLabel(0, facts('aa'), 'x', database)
    await addNote(0, facts('aa'), { text: 'first', tokens: null }, database)
    const [note] = useMarks.getState().notes.get('aa.0') ?? []
    if (note === undefined) throw new Error('no note')
    await changeNote(note, { text: 'second' }, database)
    await changeNote({ ...note, text: 'second' }, null, database)
    const states = [kept()]
    for (let steps = 0; steps < 5; steps++) {
      await undoMarks(database)
      states.push(kept())
      expect(await restartedKeepingSteps()).toEqual(states.at(-1))
    }
    expect(states.map(({ notes }) => notes[0]?.[1].map(({ text }) => text) ?? [])).toEqual([
      [],
      ['second'],
      ['first'],
      [],
      [],
      [],
    ])
    expect(states.at(-1)).toEqual({ flagged: [], labels: [], notes: [] })
    expect(said()).toBe('Undone: flag of rollout aa.0')
    for (const state of states.slice(0, -1).reverse()) {
      await redoMarks(database)
      expect(kept()).toEqual(state)
    }
    await redoMarks(database)
    expect(said()).toBe('There is nothing to do again')
  })

  it('forget what was undone once something new is done', async () => {
    await toggleLabel(0, facts('aa'), 'x', database)
    await undoMarks(database)
    await toggleLabel(0, facts('aa'), 'y', database)
    await redoMarks(database)
    expect(kept().labels).toEqual([['aa.0', ['y']]])
  })

  /** What is in storage, read past the steps that this window could take back. */
  async function restartedKeepingSteps() {
    const from = new InspectorDatabase(database.name)
    const flagged = (await from.flags.toArray()).map(({ recordHash, part }) => `${recordHash}.${part}`).sort()
    const labels = (await from.labels.toArray()).map(({ recordHash, part, label }) => [
      `${recordHash}.${part}`,
      [label],
    ])
    const notes = (await from.notes.toArray()).map((note) => [`${note.recordHash}.${note.part}`, [note]])
    from.close()
    return { flagged, labels, notes }
  }

  it('any change and its inverse leave the marks as they were', () => {
    const mark = {
      recordHash: fc.constantFrom('aa', 'bb'),
      part: fc.nat(1),
      dumpHash: fc.constant(''),
      trajectory: fc.constant('t'),
    }
    const note = fc.record({
      ...mark,
      id: fc.constantFrom('1', '2', '3'),
      tokens: fc.constant(null),
      text: fc.string(),
      writtenAt: fc.constantFrom('1', '2'),
    })
    const change: fc.Arbitrary<MarkChange> = fc.oneof(
      fc.record({
        kind: fc.constant('flag' as const),
        on: fc.boolean(),
        flag: fc.record({ ...mark, flaggedAt: fc.constant('') }),
      }),
      fc.record({
        kind: fc.constant('label' as const),
        on: fc.boolean(),
        label: fc.record({ ...mark, label: fc.constantFrom('x', 'y'), labelledAt: fc.constant('') }),
      }),
      note.map((after) => ({ kind: 'note' as const, before: null, after })),
    )
    const changesSomething = (state: Parameters<typeof applied>[0], one: MarkChange) => {
      if (one.kind === 'flag') return one.on !== state.flagged.has(`${one.flag.recordHash}.${one.flag.part}`)
      if (one.kind === 'label') {
        const own = state.labels.get(`${one.label.recordHash}.${one.label.part}`) ?? []
        return one.on !== own.includes(one.label.label)
      }
      return ![...state.notes.values()].flat().some(({ id }) => id === one.after?.id)
    }
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const states = [applied(NO_MARKS, [])]
        const done: MarkChange[] = []
        for (const one of changes) {
          const state = states.at(-1) ?? NO_MARKS
          if (!changesSomething(state, one)) continue
          done.push(one)
          states.push(applied(state, [one]))
          expect(applied(states.at(-1) ?? NO_MARKS, [one])).toEqual(states.at(-1))
        }
        let state = states.at(-1) ?? NO_MARKS
        for (const [at, one] of [...done.entries()].reverse()) {
          state = applied(state, [inverse(one)])
          expect(state).toEqual(states[at])
        }
      }),
    )
  })
})

describe('another window', () => {
  it('sees a change once it is written', async () => {
    const stop = followOtherWindows()
    const other = new BroadcastChannel('rollout-inspector.marks')
    try {
      const told = new Promise<MarkChange[]>((done) => {
        other.onmessage = (event) => done(event.data as MarkChange[])
      })
      await toggleFlag(0, facts('aa'), database)
      const changes = await told
      expect(changes).toMatchObject([{ kind: 'flag', on: true, flag: { recordHash: 'aa' } }])
      other.postMessage([{ ...changes[0], on: false }])
      await expect.poll(() => kept().flagged).toEqual([])
    } finally {
      stop()
      other.close()
    }
  })
})

describe('a note that two windows change', () => {
  const note = () => useMarks.getState().notes.get('aa.0')?.[0]
  /** What the other window does, as this one hears of it. */
  const elsewhere = async (text: string | null) => {
    const before = note() as Note
    const after = text === null ? null : { ...before, text }
    await write(database, [{ kind: 'note', before, after }])
    useMarks.setState((state) => applied(state, [{ kind: 'note', before, after }]))
  }
  beforeEach(() => addNote(0, facts('aa'), { text: 'first', tokens: null }, database))

  it('is not set back over what the other wrote', async () => {
    await changeNote(note() as Note, { text: 'mine' }, database)
    await elsewhere('theirs')
    await undoMarks(database)
    expect(said()).toBe('Not undone, for another window changed it since: change of a note on rollout aa.0')
    expect(note()?.text).toBe('theirs')
    expect((await restarted()).notes).toMatchObject([['aa.0', [{ text: 'theirs' }]]])
  })

  it('goes back to what the other wrote, where this window knowingly replaced it', async () => {
    const shown = note() as Note
    await elsewhere('theirs')
    await changeNote(shown, { text: 'mine' }, database)
    await undoMarks(database)
    expect(note()?.text).toBe('theirs')
  })

  it('that the other removed is written again, and not removed twice', async () => {
    const shown = note() as Note
    await elsewhere(null)
    await changeNote(shown, null, database)
    expect(note()).toBeUndefined()
    await changeNote(shown, { text: 'mine' }, database)
    expect(note()?.text).toBe('mine')
    await undoMarks(database)
    expect(note()).toBeUndefined()
  })
})

it('labels are counted over all records, sorted', () => {
  expect(
    labelCounts(
      new Map([
        ['a', ['y']],
        ['b', ['x', 'y']],
      ]),
    ),
  ).toEqual([
    ['x', 1],
    ['y', 2],
  ])
})
