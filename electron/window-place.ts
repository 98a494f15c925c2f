import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Rectangle } from 'electron'
import * as z from 'zod'

/** Where a window stood, in the operating system's screen points, and whether it filled the screen. */
export interface WindowPlace extends Rectangle {
  readonly maximized: boolean
}

const FURTHEST = 1_000_000
const coordinate = z.number().int().min(-FURTHEST).max(FURTHEST)
const extent = z.number().int().min(1).max(FURTHEST)
const PLACE = z.object({ x: coordinate, y: coordinate, width: extent, height: extent, maximized: z.boolean() })

/** This much of a window must lie on a screen, so that it can be taken hold of. */
const LEAST_WIDTH_SEEN = 120
const LEAST_HEIGHT_SEEN = 60

/** The place that was kept in a file; null where none is, or none that can be read: the window then stands as at first. */
export function readPlace(storePath: string): WindowPlace | null {
  try {
    return PLACE.safeParse(JSON.parse(readFileSync(storePath, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

/** Keeps a place. That it cannot be written is no reason to keep a window from closing. */
export function keepPlace(storePath: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(storePath), { recursive: true })
    writeFileSync(`${storePath}.new`, JSON.stringify(place))
    renameSync(`${storePath}.new`, storePath)
  } catch (error) {
    console.error(`The window's place could not be kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The highest title bar, with the border beside it. */
const THICKEST_FRAME = 80

/**
 * How much further right and down a window says that it stands than it was told to: on Linux it is told where its frame goes, and says where
 * what is in the frame is. Kept as it says, it would open lower each time. Nothing, where something else has moved it.
 *
 * @param told where it was told to stand
 * @param says where it said that it stands, before anybody moved it
 */
export function frameOffset(told: Partial<Rectangle>, says: Rectangle): Pick<Rectangle, 'x' | 'y'> {
  const x = says.x - (told.x ?? says.x)
  const y = says.y - (told.y ?? says.y)
  const isFrame = Math.min(x, y) >= 0 && Math.max(x, y) <= THICKEST_FRAME
  return isFrame ? { x, y } : { x: 0, y: 0 }
}

const STEP = 32

/** The place for another window: over the one in front, which can still be seen to be there. */
export function besides(front: Rectangle): WindowPlace {
  return { ...front, x: front.x + STEP, y: front.y + STEP, maximized: false }
}

/**
 * Size and place for a new window: the kept ones where its upper edge can still be reached on one of the screens, the
 * size alone where that screen is gone.
 *
 * @param workAreas the screens without the system's bars
 */
export function boundsOn(place: WindowPlace | null, workAreas: readonly Rectangle[]): Partial<Rectangle> {
  if (place === null) return {}
  const { x, y, width, height } = place
  const screen = workAreas.find(
    (area) =>
      Math.min(x + width, area.x + area.width) - Math.max(x, area.x) >= LEAST_WIDTH_SEEN &&
      y >= area.y &&
      y <= area.y + area.height - LEAST_HEIGHT_SEEN,
  )
  if (screen !== undefined) return { x, y, width, height }
  const largest = Math.max(0, ...workAreas.map((area) => area.width))
  const highest = Math.max(0, ...workAreas.map((area) => area.height))
  return { width: Math.min(width, largest || width), height: Math.min(height, highest || height) }
}
