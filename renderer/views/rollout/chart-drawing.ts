import { TokenState } from '../../../shared/model/tokens.ts'
import type { OverlayScale } from '../../../shared/session/requests/rollout.ts'
import { placeOn } from '../../../shared/session/rollout/overlay-scale.ts'
import { tokensOfColumn } from './strip-drawing.ts'

/** What each column of pixels stands for: the least, the greatest and the mean of its numbers, NaN where it has none. Length = width. */
export interface ColumnNumbers {
  readonly least: Float32Array
  readonly greatest: Float32Array
  readonly mean: Float32Array
}

export function columnNumbers(values: Float32Array, width: number): ColumnNumbers {
  const least = new Float32Array(width).fill(Number.NaN)
  const greatest = new Float32Array(width).fill(Number.NaN)
  const mean = new Float32Array(width).fill(Number.NaN)
  for (let column = 0; column < width; column++) {
    const [start, end] = tokensOfColumn(column, width, values.length)
    let low = Number.POSITIVE_INFINITY
    let high = Number.NEGATIVE_INFINITY
    let sum = 0
    let count = 0
    for (let token = start; token < end && token < values.length; token++) {
      const value = values[token] as number
      if (Number.isNaN(value)) continue
      if (value < low) low = value
      if (value > high) high = value
      sum += value
      count++
    }
    if (count === 0) continue
    least[column] = low
    greatest[column] = high
    mean[column] = sum / count
  }
  return { least, greatest, mean }
}

/** Height of a value over the foot of a chart of this height; what lies off the scale stands at its edge. */
export function heightOf(scale: OverlayScale, value: number, height: number): number {
  const place = Math.max(-1, Math.min(1, placeOn(scale, value)))
  // Logprobs grow downwards from 0, and are drawn so.
  if (scale.kind === 'sequential') return (scale.to < 0 ? 1 - Math.max(0, place) : Math.max(0, place)) * height
  return ((place + 1) / 2) * height
}

/** Runs of columns that are shaded alike: `prompt` before the model's first word, `masked`, `padding`. */
export interface Band {
  readonly kind: 'prompt' | 'masked' | 'padding'
  readonly from: number
  readonly to: number
}

/** @param columns one `TokenState` per column of pixels */
export function bandsOf(columns: Uint8Array, promptEnd: number, length: number): Band[] {
  const bands: { kind: Band['kind']; from: number; to: number }[] = []
  const promptColumns = (promptEnd / Math.max(1, length)) * columns.length
  for (let column = 0; column < columns.length; column++) {
    const state = columns[column]
    const kind =
      state === TokenState.padding
        ? 'padding'
        : state === TokenState.trained
          ? null
          : column + 1 <= promptColumns
            ? 'prompt'
            : state === TokenState.masked
              ? 'masked'
              : null
    if (kind === null) continue
    const last = bands.at(-1)
    if (last !== undefined && last.kind === kind && last.to === column) last.to = column + 1
    else bands.push({ kind, from: column, to: column + 1 })
  }
  return bands
}
