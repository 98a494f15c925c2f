import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import { InspectorDatabase, type SavedView } from '../../renderer/data/database.ts'
import { write } from '../../renderer/data/mark-changes.ts'
import { databaseInBucket, keepSecondCopy } from '../../renderer/data/second-copy.ts'

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A window over the files of a browser: those of the page, and those of a bucket; null where it has none. */
function openWindow(files: IDBFactory, bucket: IDBFactory | null) {
  const database = new InspectorDatabase('first', files)
  const copy = bucket === null ? null : new InspectorDatabase('copy', bucket)
  const onRestored = vi.fn()
  const { flush, end } = keepSecondCopy(database, async () => copy, { onRestored, onUnreadable: unexpected })
  const close = () => {
    end()
    database.close()
    copy?.close()
  }
  ends.push(close)
  return { database, copy: copy as InspectorDatabase, onRestored, flush, close }
}

function unexpected(error: unknown): never {
  throw error
}

const view = (name: string): SavedView => ({
  name,
  query: '',
  columns: [],
  sort: 'index',
  descending: false,
  savedAt: '2026-11-22T00:00:00Z',
})

test('what was kept is there again though the files of the page are gone', async () => {
  const bucket = new IDBFactory()
  const before = openWindow(new IDBFactory(), bucket)
  await before.database.views.bulkPut([view('a'), view('b')])
  await expect.poll(() => before.copy.views.count()).toBe(2)
  await before.database.views.delete('a')
  await before.database.preferences.put({ name: 'columns', value: ['id'] })
  await expect.poll(() => before.copy.preferences.count()).toBe(1)
  before.close()
  const after = openWindow(new IDBFactory(), bucket)
  expect(await after.database.views.toArray()).toEqual([view('b')])
  expect(await after.database.preferences.toArray()).toEqual([{ name: 'columns', value: ['id'] }])
  expect(after.onRestored).toHaveBeenCalledTimes(1)
})

test('what is there is the truth, and the copy follows it', async () => {
  const [files, bucket] = [new IDBFactory(), new IDBFactory()]
  const before = openWindow(files, bucket)
  await before.database.views.put(view('a'))
  await expect.poll(() => before.copy.views.count()).toBe(1)
  before.close()
  const alone = openWindow(files, null)
  await alone.database.views.clear()
  await alone.database.views.put(view('b'))
  alone.close()
  const after = openWindow(files, bucket)
  expect(await after.database.views.toArray()).toEqual([view('b')])
  await expect.poll(() => after.copy.views.toArray()).toEqual([view('b')])
  expect(after.onRestored).not.toHaveBeenCalled()
})

test('a copy that cannot be opened costs nothing, and is told', async () => {
  const files = new IDBFactory()
  const database = new InspectorDatabase('first', files)
  const refusal = new DOMException('no', 'SecurityError')
  const onUnreadable = vi.fn()
  const hooks = { onRestored: vi.fn(), onUnreadable }
  ends.push(keepSecondCopy(database, () => Promise.reject(refusal), hooks).end)
  await database.views.put(view('a'))
  expect(await database.views.count()).toBe(1)
  expect(onUnreadable.mock.calls).toEqual([[refusal]])
})

test('where there is no place for a copy, none is missing', async () => {
  const { database, flush } = openWindow(new IDBFactory(), null)
  await database.views.put(view('a'))
  await flush()
  expect(await names(database)).toEqual(['a'])
})

test('what changed is copied at once where a page is about to go', async () => {
  const { database, copy, flush } = openWindow(new IDBFactory(), new IDBFactory())
  await database.open()
  await flush()
  await database.views.put(view('a'))
  await flush()
  expect(await names(copy)).toEqual(['a'])
})

/** A bucket whose copy holds one view. */
async function bucketWith(name: string): Promise<IDBFactory> {
  const bucket = new IDBFactory()
  const copy = new InspectorDatabase('copy', bucket)
  await copy.views.put(view(name))
  copy.close()
  return bucket
}

const names = async (database: InspectorDatabase) => (await database.views.toArray()).map(({ name }) => name)

test('two windows that find the files gone do not undo what the first of them wrote meanwhile', async () => {
  const files = new IDBFactory()
  const bucket = await bucketWith('old')
  const one = openWindow(files, bucket)
  const openTheCopy = vi.fn<(copy: InspectorDatabase) => void>()
  const database = new InspectorDatabase('first', files)
  const copy = new InspectorDatabase('copy', bucket)
  const onRestored = vi.fn()
  const opensLate = () => new Promise<InspectorDatabase>((resolve) => openTheCopy.mockImplementation(resolve))
  ends.push(keepSecondCopy(database, opensLate, { onRestored, onUnreadable: unexpected }).end)
  const opening = database.open()
  await expect.poll(() => openTheCopy.getMockImplementation()).toBeDefined()
  expect(await names(one.database)).toEqual(['old'])
  await one.database.views.put(view('new'))
  await one.database.views.delete('old')
  openTheCopy(copy)
  await opening
  expect(await names(database)).toEqual(['new'])
  expect([one.onRestored.mock.calls.length, onRestored.mock.calls.length]).toEqual([1, 0])
  await expect.poll(() => names(copy)).toEqual(['new'])
})

test('the last thing that was deleted stays deleted, however soon the window was closed', async () => {
  const [files, bucket] = [new IDBFactory(), new IDBFactory()]
  const before = openWindow(files, bucket)
  await before.database.views.put(view('a'))
  await expect.poll(() => names(before.copy)).toEqual(['a'])
  await before.database.views.delete('a')
  before.close()
  const after = openWindow(files, bucket)
  expect(await names(after.database)).toEqual([])
  expect(after.onRestored).not.toHaveBeenCalled()
  await expect.poll(() => names(after.copy)).toEqual([])
})

test.each([
  [
    'cannot be read',
    async (copy: InspectorDatabase) => {
      copy.views.hook('reading', () => {
        throw new DOMException('torn', 'DataError')
      })
      return copy
    },
  ],
  ['never opens', () => new Promise<InspectorDatabase>(() => undefined)],
  [
    'breaks off',
    async (copy: InspectorDatabase) => {
      copy.close({ disableAutoOpen: true })
      return copy
    },
  ],
])('a copy that %s holds up nothing, is told, is left as it is, and comes back beside what was made since', async (_name, broken) => {
  const files = new IDBFactory()
  const bucket = await bucketWith('old')
  const database = new InspectorDatabase('first', files)
  const copy = new InspectorDatabase('copy', bucket)
  const replaced = vi.spyOn(copy, 'transaction')
  const onRestored = vi.fn()
  const onUnreadable = vi.fn()
  const { flush, end } = keepSecondCopy(database, () => broken(copy), { onRestored, onUnreadable }, 50)
  await database.views.put(view('new'))
  expect(await names(database)).toEqual(['new'])
  await flush()
  expect([onRestored, onUnreadable, replaced].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0])
  end()
  database.close()
  copy.close()
  const after = openWindow(files, bucket)
  expect(await names(after.database)).toEqual(['new', 'old'])
  expect(after.onRestored).toHaveBeenCalledTimes(1)
  await expect.poll(() => names(after.copy)).toEqual(['new', 'old'])
})

test('what the copy refused goes into it with the next change', async () => {
  const { database, copy, flush } = openWindow(new IDBFactory(), new IDBFactory())
  await database.open()
  await flush()
  let refusals = 0
  copy.views.hook('creating', () => {
    if (refusals++ === 0) throw new DOMException('no room', 'QuotaExceededError')
  })
  await database.views.put(view('a'))
  await expect.poll(() => refusals).toBe(1)
  await database.preferences.put({ name: 'columns', value: [] })
  await expect.poll(() => names(copy)).toEqual(['a'])
})

test('who waits for the copy has what it wrote twice, however fast one change comes after the other', async () => {
  const { database, copy } = openWindow(new IDBFactory(), new IDBFactory())
  for (let at = 0; at < 20; at++) {
    await database.views.put(view(`v${at}`))
    await database.copied()
    expect(await copy.views.get(`v${at}`), `v${at}`).toEqual(view(`v${at}`))
  }
  await database.views.bulkDelete(['v1', 'v3'])
  await database.copied()
  expect(await names(copy)).toEqual(await names(database))
})

test('of a large table only the rows that changed are written again', async () => {
  const { database, copy } = openWindow(new IDBFactory(), new IDBFactory())
  await database.views.bulkPut(Array.from({ length: 1000 }, (_, at) => view(`v${at}`)))
  await database.copied()
  const written: string[] = []
  copy.views.hook('creating', (name) => void written.push(name))
  await database.views.put({ ...view('v500'), query: 'turn>=2' })
  await database.copied()
  expect(written).toEqual(['v500'])
  expect(await copy.views.count()).toBe(1000)
  expect((await copy.views.get('v500'))?.query).toBe('turn>=2')
})

test('a copy that does not end is waited for once', async () => {
  const { database, copy, flush } = openWindow(new IDBFactory(), new IDBFactory())
  await database.open()
  await flush()
  vi.spyOn(copy, 'transaction').mockReturnValue(new Promise(() => undefined) as never)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await database.views.put(view('a'))
    const first = database.copied()
    await vi.advanceTimersByTimeAsync(1000)
    await first
    await database.views.put(view('b'))
    await database.copied()
  } finally {
    vi.useRealTimers()
  }
  expect(await names(database)).toEqual(['a', 'b'])
})

test('each kind of mark is copied by itself, and writing nothing holds up no copy', async () => {
  const { database, copy, flush } = openWindow(new IDBFactory(), new IDBFactory())
  await database.open()
  await flush()
  const of = { recordHash: 'aa', part: 0, dumpHash: 'dump', trajectory: '1' }
  const note = { ...of, id: 'n', tokens: null, text: 'why', writtenAt: '2026-11-22T00:00:00Z' }
  await write(database, [{ kind: 'note', before: null, after: note }])
  await database.copied()
  expect(await copy.notes.toArray()).toEqual([note])
  await database.views.bulkPut([])
  await database.views.bulkDelete([])
  await database.preferences.put({ name: 'columns', value: [] })
  await database.copied()
  expect(await copy.preferences.count()).toBe(1)
  await write(database, [{ kind: 'note', before: note, after: null }])
  await database.copied()
  expect(await copy.notes.count()).toBe(0)
})

test('what a copy could not take is tried again by itself', async () => {
  const { database, copy, flush } = openWindow(new IDBFactory(), new IDBFactory())
  await database.open()
  await flush()
  let refusals = 0
  copy.views.hook('creating', () => {
    if (refusals++ === 0) throw new DOMException('busy', 'UnknownError')
  })
  await database.views.put(view('a'))
  await expect.poll(() => names(copy)).toEqual(['a'])
})

test('every write waits for the disk, that of the copy as well', async () => {
  const asked: (readonly [mode: unknown, durability: unknown])[] = []
  const spied = vi.spyOn(IDBDatabase.prototype, 'transaction')
  const { database, copy } = openWindow(new IDBFactory(), new IDBFactory())
  await database.views.put(view('a'))
  await database.transaction('rw', [database.views, database.preferences], () =>
    database.preferences.put({ name: 'columns', value: ['id'] }),
  )
  await database.copied()
  await expect.poll(() => copy.preferences.count()).toBe(1)
  for (const [, mode, options] of spied.mock.calls) asked.push([mode, options?.durability])
  spied.mockRestore()
  const writes = asked.filter(([mode]) => mode === 'readwrite')
  expect(writes.length).toBeGreaterThanOrEqual(3)
  for (const [, durability] of writes) expect(durability).toBe('strict')
})

test('the bucket of the copy waits for the disk', async () => {
  const open = vi.fn(async () => ({ indexedDB: new IDBFactory() }))
  vi.stubGlobal('navigator', { storageBuckets: { open } })
  ends.push(() => vi.unstubAllGlobals())
  expect(await databaseInBucket()).toBeInstanceOf(InspectorDatabase)
  expect(open).toHaveBeenCalledWith('second-copy', { durability: 'strict' })
})
