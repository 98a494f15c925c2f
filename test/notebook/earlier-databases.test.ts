import 'fake-indexeddb/auto'
import Dexie from 'dexie'
import { describe, expect, test } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import { NotebookKeeper } from '../../renderer/data/notebook-keeper.ts'
import { editHypothesis } from '../../shared/notebook/edit.ts'

describe('a database of an earlier version', () => {
  const STORES: readonly Record<string, string>[] = [
    { flags: '[recordHash+part], dumpHash', recent: 'dumpHash, openedAt' },
    { mappings: 'shape' },
    {
      labels: '[recordHash+part+label], dumpHash',
      notes: 'id, [recordHash+part], dumpHash',
      views: 'name',
      queries: 'text, askedAt',
      preferences: 'name',
    },
  ]

  test.each([1, 2, 3])('%i keeps what is in it and takes the notebook', async (version) => {
    const name = `earlier-${version}`
    const old = new Dexie(name)
    STORES.slice(0, version).forEach((stores, at) => void old.version(at + 1).stores(stores))
    const flag = { recordHash: 'aa', part: 0, dumpHash: 'bb', trajectory: 'x', flaggedAt: '2026-01-05' }
    await old.table('flags').put(flag)
    if (version >= 2) await old.table('mappings').put({ shape: 'ids,mask', map: {}, mappedAt: '2026-01-05' })
    old.close()
    const database = new InspectorDatabase(name)
    const keeper = new NotebookKeeper(database, null)
    await keeper.load()
    keeper.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'testing' }, { at }))
    await keeper.flush()
    keeper.stop()
    expect(keeper.state.getState().keeping).toBe('saved')
    expect(await database.flags.toArray()).toEqual([flag])
    expect(await database.mappings.count()).toBe(version >= 2 ? 1 : 0)
  })
})
