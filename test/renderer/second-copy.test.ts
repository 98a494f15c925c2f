import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import { InspectorDatabase, type SavedView } from '../../renderer/data/database.ts'
import { keepSecondCopy } from '../../renderer/data/second-copy.ts'

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A window over the files of a browser: those of the page, and those of a bucket; null where it has none. */
function openWindow(files: IDBFactory, bucket: IDBFactory | null) {
  const database = new InspectorDatabase('first', files)
  const copy = bucket === null ? null : new InspectorDatabase('copy', bucket)
  const onRestored = vi.fn()
  const end = keepSecondCopy(database, async () => copy, onRestored)
  const close = () => {
    end()
    database.close()
    copy?.close()
  }
  ends.push(close)
  return { database, copy: copy as InspectorDatabase, onRestored, close }
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
  await vi.waitFor(async () => expect(await before.copy.views.count()).toBe(2))
  await before.database.views.delete('a')
  await before.database.preferences.put({ name: 'columns', value: ['id'] })
  await vi.waitFor(async () => expect(await before.copy.preferences.count()).toBe(1))
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
  await vi.waitFor(async () => expect(await before.copy.views.count()).toBe(1))
  before.close()
  const alone = openWindow(files, null)
  await alone.database.views.clear()
  await alone.database.views.put(view('b'))
  alone.close()
  const after = openWindow(files, bucket)
  expect(await after.database.views.toArray()).toEqual([view('b')])
  await vi.waitFor(async () => expect(await after.copy.views.toArray()).toEqual([view('b')]))
  expect(after.onRestored).not.toHaveBeenCalled()
})

test('a copy that cannot be opened costs nothing', async () => {
  const files = new IDBFactory()
  const database = new InspectorDatabase('first', files)
  const end = keepSecondCopy(database, () => Promise.reject(new DOMException('no', 'SecurityError')), vi.fn())
  ends.push(end)
  await database.views.put(view('a'))
  expect(await database.views.count()).toBe(1)
})
