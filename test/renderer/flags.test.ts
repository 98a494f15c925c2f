import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, it } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import { loadFlags, toggleFlag } from '../../renderer/data/flags.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { useFlags } from '../../renderer/state/flags.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'

let names = 0
let database: InspectorDatabase

beforeEach(() => {
  database = new InspectorDatabase(`flags-${names++}`)
  useFlags.setState({ flagged: new Set(), here: [] })
  useFiles.setState({ problems: [] })
})

function facts(recordHash: string, part = 0): TrajectoryFacts {
  return { id: `${recordHash}.${part}`, recordHash, place: { source: 0, record: 0, part } } as TrajectoryFacts
}

describe('flags', () => {
  it('are there again after a restart, by content and part', async () => {
    await toggleFlag(3, facts('aa', 1), database)
    await toggleFlag(1, facts('bb'), database)
    expect(useFlags.getState().here).toEqual([1, 3])
    useFlags.setState({ flagged: new Set(), here: [] })
    await loadFlags(new InspectorDatabase(database.name))
    expect([...useFlags.getState().flagged].sort()).toEqual(['aa.1', 'bb.0'])
  })

  it('are gone when taken off', async () => {
    await toggleFlag(3, facts('aa'), database)
    await toggleFlag(3, facts('aa'), database)
    expect(await database.flags.count()).toBe(0)
    expect(useFlags.getState().here).toEqual([])
  })

  it('last until the window is closed, and say so, where nothing can be kept', async () => {
    await database.open()
    database.close()
    await toggleFlag(3, facts('aa'), database)
    expect(useFlags.getState().here).toEqual([3])
    expect(useFiles.getState().problems[0]).toMatch(/could not be saved/)
  })
})
