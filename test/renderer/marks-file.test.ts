import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, it } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import { toggleFlag } from '../../renderer/data/flags.ts'
import { toggleLabel } from '../../renderer/data/labels.ts'
import { loadMarks, undoMarks } from '../../renderer/data/marks.ts'
import { importMarks, marksText } from '../../renderer/data/marks-file.ts'
import { addNote } from '../../renderer/data/notes.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { markedHere, NO_MARKS, useMarks } from '../../renderer/state/marks.ts'
import { formatMarks, parseMarks } from '../../shared/model/marks.ts'
import { facts, kept, problems, said } from './kept-marks.ts'

let names = 0
let database: InspectorDatabase

beforeEach(async () => {
  database = new InspectorDatabase(`marks-file-${names++}`)
  useMarks.setState(NO_MARKS)
  useFiles.setState({ problems: [] })
  await loadMarks(database)
})

describe('a file of marks', () => {
  it('brings everything to another browser, once', async () => {
    await toggleFlag(0, facts('00aa00aa'), database)
    await toggleLabel(0, facts('00aa00aa'), 'x', database)
    await addNote(1, facts('00bb00bb', 3), { text: 'why?', tokens: [1, 2] }, database)
    const before = kept()
    const text = (await marksText('all', database)) as string
    useMarks.setState(NO_MARKS)
    const other = new InspectorDatabase(`other-${names}`)
    await importMarks(text, 'marks.json', other)
    expect(said()).toBe('3 marks taken from marks.json')
    expect(kept()).toMatchObject({ ...before, notes: [['00bb00bb.3', [{ text: 'why?', tokens: [1, 2] }]]] })
    expect(await marksText('all', other)).toBe(text)
    await importMarks(text, 'marks.json', other)
    expect(said()).toBe('All marks of marks.json are here already')
    await undoMarks(other)
    expect(await marksText('all', other)).toBeNull()
  })

  it('holds what stands in the open dump alone where that is asked for', async () => {
    await toggleFlag(0, facts('00aa00aa'), database)
    await toggleFlag(1, facts('00bb00bb'), database)
    useMarks.setState({ places: new Map([['00bb00bb.0', [4, 9]]]) })
    const { rollouts } = parseMarks((await marksText('here', database)) as string, 'marks.json')
    expect(rollouts.map(({ record }) => record)).toEqual(['00bb00bb'])
    expect(markedHere(useMarks.getState()).flagged).toEqual([4, 9])
  })

  it('leaves the newer of two versions of a note', async () => {
    await addNote(0, facts('00aa00aa'), { text: 'here', tokens: null }, database)
    const { rollouts } = parseMarks((await marksText('all', database)) as string, 'marks.json')
    const dated = (text: string, written_at: string) =>
      formatMarks(
        rollouts.map((each) => ({ ...each, notes: each.notes.map((note) => ({ ...note, text, written_at })) })),
      )
    await importMarks(dated('older', '2001-01-01T00:00:00Z'), 'old.json', database)
    expect(kept().notes).toMatchObject([['00aa00aa.0', [{ text: 'here' }]]])
    await importMarks(dated('newer', '2901-01-01T00:00:00Z'), 'new.json', database)
    expect(kept().notes).toMatchObject([['00aa00aa.0', [{ text: 'newer' }]]])
  })

  it('that is none is told and changes nothing', async () => {
    await importMarks('{"format": 3}', 'other.json', database)
    expect(problems()).toEqual([
      'other.json holds no marks: it has no field “format”, “rollout-inspector.marks/1” is expected.',
    ])
    expect(kept()).toEqual({ flagged: [], labels: [], notes: [] })
  })
})
