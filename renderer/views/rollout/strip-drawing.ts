import { TOKEN_STATE_NAMES, TokenState } from '../../../shared/model/tokens.ts'
import type { FaultMap } from './faults.ts'

/** Colours of the strip, read from the style sheet so that both palettes stay in one place. */
export interface StripColours {
  readonly trained: string
  readonly masked: string
  readonly padding: string
  readonly unknown: string
  readonly error: string
  readonly warning: string
  readonly info: string
  readonly lost: string
  readonly window: string
  readonly selected: string
  readonly turn: string
}

export function stripColours(element: Element): StripColours {
  const style = getComputedStyle(element)
  const of = (name: string) => style.getPropertyValue(`--strip-${name}`).trim()
  return {
    trained: of('trained'),
    masked: of('masked'),
    padding: of('padding'),
    unknown: of('unknown'),
    error: of('error'),
    warning: of('warning'),
    info: of('info'),
    lost: of('lost'),
    window: of('window'),
    selected: of('selected'),
    turn: of('turn'),
  }
}

/** Tokens `[start, end)` that a column of pixels stands for: at least one, so that a short rollout fills the width. */
export function tokensOfColumn(column: number, width: number, length: number): readonly [number, number] {
  const start = Math.floor((column / width) * length)
  return [start, Math.max(start + 1, Math.floor(((column + 1) / width) * length))]
}

/**
 * What each of `width` columns of pixels shows: the state of most of its tokens, but trained where at least a quarter is,
 * so that a short trained turn in a long rollout is not lost. One `TokenState` per column.
 */
export function columnStates(states: Uint8Array, width: number): Uint8Array {
  const columns = new Uint8Array(width)
  const counts = new Uint32Array(TOKEN_STATE_NAMES.length)
  for (let column = 0; column < width; column++) {
    const [start, end] = tokensOfColumn(column, width, states.length)
    counts.fill(0)
    for (let token = start; token < end && token < states.length; token++) {
      const state = states[token] as number
      counts[state] = (counts[state] ?? 0) + 1
    }
    let best = 0
    for (let state = 1; state < counts.length; state++) {
      if ((counts[state] as number) > (counts[best] as number)) best = state
    }
    columns[column] = (counts[TokenState.trained] as number) * 4 >= end - start ? TokenState.trained : best
  }
  return columns
}

/** Worst severity of the findings in each of `width` columns, an index into `FAULT_NAMES`. A rollout has far fewer findings than tokens. */
export function columnFaults({ marked }: Pick<FaultMap, 'marked'>, length: number, width: number): Uint8Array {
  const columns = new Uint8Array(width)
  const columnOf = (token: number) => Math.floor((token / length) * width)
  for (const { span, rank } of marked) {
    const [from, to] = [span[0], Math.min(span[1], length)]
    if (to > from) columns.fill(rank, columnOf(from), columnOf(to - 1) + 1)
  }
  return columns
}

/** Columns from the first to below the second that show the same, in order: each run of them is drawn at once. */
export function runsOf(columns: Uint8Array): (readonly [from: number, to: number])[] {
  const runs: (readonly [number, number])[] = []
  for (let from = 0, to = 0; from < columns.length; from = to) {
    while (to < columns.length && columns[to] === columns[from]) to++
    runs.push([from, to])
  }
  return runs
}

/** Share of the height each state's bar takes, so that states differ by height as well as by colour. */
export const STATE_HEIGHT = { trained: 1, masked: 0.35, padding: 0.15, unknown: 0.6 } as const

/** Share of the height that marks of findings have, so that severities differ by height as well as by colour. */
export const SEVERITY_HEIGHT = { error: 1, warning: 0.6, info: 0.3 } as const
