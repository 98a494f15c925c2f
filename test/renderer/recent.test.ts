import 'fake-indexeddb/auto'
import Dexie from 'dexie'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import type { DumpThen } from '../../renderer/data/grown.ts'
import { type Opened, recentOpens, rememberOpened } from '../../renderer/data/recent.ts'

let database: InspectorDatabase

beforeEach(() => {
  database = new InspectorDatabase('recent')
})
afterEach(() => database.delete())

let clock = 0
const opened = (dumpHash: string, names: readonly string[], served?: Opened['served']): Opened => ({
  dumpHash,
  names,
  size: 1,
  openedAt: new Date(++clock * 1000).toISOString(),
  ...(served && { served }),
})
const remember = async (...all: readonly Opened[]) => {
  for (const one of all) await rememberOpened(one, database)
  return (await recentOpens(database)).map(({ names, dumpHashes }) => [names.join(' '), ...dumpHashes])
}

test('two files of equal bytes are two entries, and one file that is opened again is one', async () => {
  const kept = await remember(opened('aa', ['one.jsonl']), opened('aa', ['other.jsonl']), opened('aa', ['one.jsonl']))
  expect(kept).toEqual([
    ['one.jsonl', 'aa'],
    ['other.jsonl', 'aa'],
  ])
})

test('a served run that grows is one entry, found by each hash that it had; that of another folder is another', async () => {
  const [here, there] = ['here', 'there'].map((key) => ({ key, folder: null }))
  const kept = await remember(
    opened('aa', ['run.jsonl'], here),
    opened('bb', ['run.jsonl'], there),
    opened('cc', ['run.jsonl'], here),
  )
  expect(kept).toEqual([
    ['run.jsonl', 'cc', 'aa'],
    ['run.jsonl', 'bb'],
  ])
})

test('of two runs that were dropped under one name each is kept', async () => {
  expect(await remember(opened('aa', ['run.jsonl']), opened('bb', ['run.jsonl']))).toEqual([
    ['run.jsonl', 'bb'],
    ['run.jsonl', 'aa'],
  ])
})

test('a dropped run that has grown is one entry, and stays it when it is opened again or grows once more', async () => {
  const sized = (dumpHash: string, size: number) => ({
    ...opened(dumpHash, ['run.jsonl']),
    files: [{ name: 'run.jsonl', size }],
  })
  const grows = async ({ dumpHash }: DumpThen) => dumpHash === 'aa' || dumpHash === 'bb'
  await rememberOpened(sized('aa', 1), database)
  await rememberOpened(sized('bb', 2), database, grows)
  await rememberOpened(sized('bb', 2), database)
  await rememberOpened(sized('cc', 3), database, grows)
  await rememberOpened(sized('dd', 9), database, async () => false)
  expect((await recentOpens(database)).map(({ dumpHashes }) => dumpHashes)).toEqual([['dd'], ['cc', 'bb', 'aa']])
})

test('only the last eight are kept', async () => {
  const kept = await remember(...Array.from({ length: 9 }, (_, at) => opened(`a${at}`, [`${at}.jsonl`])))
  expect(kept.map(([name]) => name)).toEqual([8, 7, 6, 5, 4, 3, 2, 1].map((at) => `${at}.jsonl`))
})

test('what an earlier version kept is still there', async () => {
  const earlier = new Dexie('recent')
  earlier.version(6).stores({ recent: 'dumpHash, openedAt' })
  const served = { key: 'here', folder: 'steps/' }
  await earlier.table('recent').bulkPut([opened('aa', ['dropped.jsonl']), opened('bb', ['served.jsonl'], served)])
  earlier.close()
  expect(await recentOpens(database)).toMatchObject([
    { names: ['served.jsonl'], dumpHashes: ['bb'], served },
    { names: ['dropped.jsonl'], dumpHashes: ['aa'] },
  ])
  expect(await remember(opened('aa', ['dropped.jsonl']))).toHaveLength(2)
})
