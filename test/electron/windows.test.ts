import { expect, test } from 'vitest'
import { ServedFiles } from '../../cli/server/served-files.ts'
import type { OfferedCommand } from '../../electron/bridge.ts'
import { OpenFiles } from '../../electron/open-files.ts'
import { besides } from '../../electron/window-place.ts'
import { Windows } from '../../electron/windows.ts'

const command = (id: string): OfferedCommand => ({ id, title: id, menu: 'General', keys: [], isPossible: true })
const opening = () => new OpenFiles({ served: new ServedFiles(), send: () => undefined, remember: () => undefined })

test('the menu shows the commands of the window that was used last', () => {
  const told: string[] = []
  const windows = new Windows<{ name: string; webContents: object }>((commands) => {
    told.push(commands.map(({ id }) => id).join(' '))
  })
  const a = { name: 'a', webContents: {} }
  const b = { name: 'b', webContents: {} }
  windows.add(a, opening())
  windows.offer(a.webContents, [command('a')])
  windows.add(b, opening())
  windows.offer(a.webContents, [command('a'), command('more')])
  windows.offer(b.webContents, [command('b')])
  windows.bringToFront(a)
  windows.remove(a)
  windows.remove(b)
  expect(told).toEqual(['', 'a', '', 'b', 'a more', 'b', ''])
  expect(windows.front()).toBeNull()
})

test('a page is answered for its own window, and for none once that is closed', () => {
  const windows = new Windows<{ webContents: object }>(() => undefined)
  const a = { webContents: {} }
  const ofA = windows.add(a, opening())
  windows.add({ webContents: {} }, opening())
  expect(windows.of(a.webContents)).toBe(ofA)
  windows.remove(a)
  expect(() => windows.of(a.webContents)).toThrow(/closed/)
})

test('a second window stands a little beside the first', () => {
  expect(besides({ x: 10, y: 20, width: 900, height: 600 })).toEqual({
    x: 42,
    y: 52,
    width: 900,
    height: 600,
    maximized: false,
  })
})
