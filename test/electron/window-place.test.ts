import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { windowOptions } from '../../electron/window.ts'
import { boundsOn, frameOffset, keepPlace, readPlace } from '../../electron/window-place.ts'

const PLACE = { x: 100, y: 50, width: 1000, height: 700, maximized: false }
const LAPTOP = { x: 0, y: 25, width: 1440, height: 875 }
const LEFT_SCREEN = { x: -1920, y: 0, width: 1920, height: 1080 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-place-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a place that was kept', () => {
  test('is there after a restart', () => {
    const store = join(folder, 'user-data', 'window.json')
    expect(readPlace(store)).toBeNull()
    keepPlace(store, { ...PLACE, maximized: true })
    expect(readPlace(store)).toEqual({ ...PLACE, maximized: true })
  })

  test.each([
    '',
    '[]',
    'null',
    '{"x":0,"y":0,"width":0,"height":5,"maximized":false}',
    '{"x":1e300,"y":0,"width":9,"height":9,"maximized":false}',
    '{"x":"0","y":0,"width":9,"height":9,"maximized":false}',
  ])('that was torn (%j) is none', (text) => {
    writeFileSync(join(folder, 'window.json'), text)
    expect(readPlace(join(folder, 'window.json'))).toBeNull()
  })

  test('that cannot be written stops nothing', () => {
    mkdirSync(join(folder, 'taken'))
    expect(() => keepPlace(join(folder, 'taken'), PLACE)).not.toThrow()
  })
})

test.each([
  ['on its screen, as it was', PLACE, [LAPTOP], { x: 100, y: 50, width: 1000, height: 700 }],
  ['on a second screen', { ...PLACE, x: -1800 }, [LAPTOP, LEFT_SCREEN], { x: -1800, y: 50, width: 1000, height: 700 }],
  ['that screen unplugged: size only', { ...PLACE, x: -1800 }, [LAPTOP], { width: 1000, height: 700 }],
  ['its title under the system bar: size only', { ...PLACE, y: 0 }, [LAPTOP], { width: 1000, height: 700 }],
  ['below the screen: size only', { ...PLACE, y: 890 }, [LAPTOP], { width: 1000, height: 700 }],
  [
    'larger than what is left',
    { ...PLACE, x: -1900, width: 1900, height: 1000 },
    [LAPTOP],
    { width: 1440, height: 875 },
  ],
  ['none kept', null, [LAPTOP], {}],
])('a window stands %s', (_name, place, screens, bounds) => {
  expect(boundsOn(place, screens)).toEqual(bounds)
})

test('a kept size goes before the first one, and the least size stays', () => {
  expect(windowOptions('/preload.cjs', true, { width: 900, height: 600 })).toMatchObject({
    width: 900,
    height: 600,
    minWidth: 720,
  })
  expect(windowOptions('/preload.cjs', true, {})).toMatchObject({ width: 1440, height: 920 })
})

test('a window that is kept where it says opens no lower each time: the frame around it is taken off', () => {
  const told = { x: 100, y: 150, width: 1000, height: 700 }
  expect(frameOffset(told, { ...told, x: 101, y: 170 })).toEqual({ x: 1, y: 20 })
  expect(frameOffset(told, told)).toEqual({ x: 0, y: 0 })
  // Something else has put it there.
  expect(frameOffset(told, { ...told, x: 0, y: 0 })).toEqual({ x: 0, y: 0 })
  expect(frameOffset(told, { ...told, x: 100, y: 500 })).toEqual({ x: 0, y: 0 })
  expect(frameOffset({}, told)).toEqual({ x: 0, y: 0 })
})
