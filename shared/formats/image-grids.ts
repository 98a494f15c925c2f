import type { JsonValue } from '../containers/container.ts'
import { isObject, numbersOf } from './fields.ts'

/** Name of the grids, as processors of the Qwen-VL families return them. */
const KEY = 'image_grid_thw'

/**
 * Of what a processor made of the images of a row, their grids: numbers of patches (time, height, width), a list for each image. The pixels beside
 * them are nothing that a person could look at. Empty where there are none.
 */
export function imageGrids(processed: JsonValue): Record<string, number[][]> {
  const grids = isObject(processed) ? processed[KEY] : null
  if (!Array.isArray(grids)) return {}
  const sides = grids.map((grid) => numbersOf(grid))
  return sides.every((grid) => grid !== null) ? { [KEY]: sides.map((grid) => Array.from(grid)) } : {}
}
