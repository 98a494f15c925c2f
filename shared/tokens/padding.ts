import { roleKind } from '../model/roles.ts'
import type { Segmentation } from '../model/tokens.ts'
import type { DeclaredPadding } from '../model/trajectory.ts'
import { type FrameLookup, Mark, turnStarts } from './frame-lookup.ts'
import { readHeader } from './header.ts'

/**
 * From this length on, a trailing run of end tokens is padding although the tokenizer names another pad, and one of pads although the dump
 * counts it into the row: of fewer, one may close the turn and one be how the model went on.
 */
const END_RUN = 3

/** The first of a run of end tokens at the end of a row is said not to be the model's. */
export type IsCut = (at: number) => boolean

/**
 * Padding as declared, with what the dump counts into the row although it is a run of pads behind the last turn; else a leading and a trailing run of one pad id. Where the pad's id also ends turns, the first of
 * a trailing run is the end token of the turn before it, if that turn is open; unless it is the model's, of which the dump says
 * that it did not end it (`isCut` of that token).
 */
export function findPadding(
  ids: Int32Array,
  lookup: FrameLookup,
  declared: DeclaredPadding | null,
  isCut: IsCut = () => false,
): Segmentation['padding'] {
  const length = ids.length
  if (declared !== null) {
    const left = Math.min(Math.max(declared.left, 0), length)
    const right = Math.min(Math.max(declared.right, 0), length - left)
    const end = length - right - 1
    if (declared.leavesEnd && right > 0 && isCut(end) && isOfModel(ids, lookup, left, end))
      return { left, right: right + 1 }
    return { left, right: right + countedRun(ids.subarray(0, length - right), lookup, left, isCut) }
  }
  const left = leadingRun(ids, lookup)
  return { left, right: left === length ? 0 : trailingRun(ids, lookup, left, isCut) }
}

function leadingRun(ids: Int32Array, lookup: FrameLookup): number {
  const { frame, marks } = lookup
  const first = ids[0] ?? -1
  const isEnd = ((marks[first] ?? 0) & Mark.turnEnd) !== 0
  if (!isEnd && !frame.pad.includes(first)) return 0
  const run = runLength(ids, 0, 1)
  // A lone end token at the start is what a left cut leaves of a turn.
  return isEnd && run === 1 && !isFirstTurnAt(ids, lookup, 1) ? 0 : run
}

/** What begins here begins the sequence: a turn is not followed by BOS, by the system turn, or without what separates turns. */
function isFirstTurnAt(ids: Int32Array, lookup: FrameLookup, at: number): boolean {
  const { frame, marks } = lookup
  const mark = marks[ids[at] as number] ?? 0
  if (mark & Mark.bos) return true
  if (!(mark & Mark.turnStart)) return false
  return frame.separator || roleKind(readHeader(lookup, ids, at, ids.length).role) === 'system'
}

function trailingRun(ids: Int32Array, lookup: FrameLookup, from: number, isCut: IsCut): number {
  const last = ids[ids.length - 1] as number
  const mark = lookup.marks[last] ?? 0
  const isPad = lookup.frame.pad.includes(last)
  const run = runLength(ids, ids.length - 1, -1)
  const runStart = ids.length - run
  if (mark & Mark.turnEnd) {
    if (run > 1 && isCut(runStart) && isOfModel(ids, lookup, from, runStart)) return run
    if (!isPad && run < END_RUN) return 0
    return lastTurn(ids, lookup, from, runStart) === 'none' ? run : run - 1
  }
  if (!isPad) return 0
  // A single `<|endoftext|>` is how a base model ends its text. A run of them is padding, and what it pads was cut.
  const endsText = run === 1 && (mark & Mark.textEnd) !== 0 && lastTurn(ids, lookup, from, runStart) === 'text'
  return endsText ? 0 : run
}

/**
 * Padding at the end of a row that its declared length takes in. More is asked of it than of a row that declares nothing: turns before it,
 * and a run of which the first may be the end of the last of them.
 */
function countedRun(ids: Int32Array, lookup: FrameLookup, from: number, isCut: IsCut): number {
  if (ids.length <= from || !turnStarts(lookup.frame).some((id) => ids.includes(id, from))) return 0
  const run = runLength(ids, ids.length - 1, -1)
  if (run < END_RUN) return 0
  const padding = trailingRun(ids, lookup, from, isCut)
  const endsText = ((lookup.marks[ids[ids.length - 1] as number] ?? 0) & Mark.textEnd) !== 0
  return endsText && padding === run && lastTurn(ids, lookup, from, ids.length - run) === 'text' ? run - 1 : padding
}

/** The turn before token `end` is the model's. */
function isOfModel(ids: Int32Array, lookup: FrameLookup, from: number, end: number): boolean {
  let start = end - 1
  while (start >= from && !((lookup.marks[ids[start] as number] ?? 0) & Mark.turnStart)) start--
  return start >= from && roleKind(readHeader(lookup, ids, start, end).role) === 'assistant'
}

/** What of the last turn is still open before token `end`: nothing, only its header, or text. */
function lastTurn(ids: Int32Array, lookup: FrameLookup, from: number, end: number): 'none' | 'header' | 'text' {
  const { marks } = lookup
  let isText = false
  for (let at = end - 1; at >= from; at--) {
    const mark = marks[ids[at] as number] ?? 0
    if (mark & Mark.turnStart) return readHeader(lookup, ids, at, end).end < end ? 'text' : 'header'
    if (mark & Mark.turnEnd) return isText ? 'text' : 'none'
    if (!(mark & Mark.blank)) isText = true
  }
  return isText ? 'text' : 'none'
}

function runLength(ids: Int32Array, from: number, step: 1 | -1): number {
  const id = ids[from]
  let length = 0
  for (let i = from; i >= 0 && i < ids.length && ids[i] === id; i += step) length++
  return length
}
