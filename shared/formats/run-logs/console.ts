import type { RunLogKind } from './run-log-kind.ts'
import { numberOf, SeriesBuilder } from './series.ts'
import { textLines } from './text-lines.ts'

/** `'reward': 0.5`, `"kl": np.float64(0.01)`, `'loss': '0.1'` inside a dictionary. */
const PAIR =
  /['"]([^'"\n]{1,120})['"]\s*:\s*(?:np\.float\d+\(|tensor\()?['"]?([+-]?(?:\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf))\b/gi
/** `step:12 - critic/score/mean:0.5 - …` (verl). */
const DASHED = /\bstep:\s*(\d+)\s+-\s+(\S.*)$/s
/** `Step 12 | Reward: 0.51 | …` (prime-rl). */
const PIPED = /\bStep\s+(\d+)\s*\|\s*(\S.*)$/is
/** `========== Step 3/100 ==========` (NeMo-RL). */
const HEADING = /(?<!=)={3,}\s*Step\s+(\d+)(?:\s*\/\s*\d+)?\s*={3,}/i
/** `• Avg Reward: 0.5` under such a heading. */
const BULLET = /^\s*[•*-]\s*([^:]{2,60}):\s*([+-]?[\d.]+(?:e[+-]?\d+)?)/i
/** `step 12: {…}`, `rollout 12: {…}`, `perf 12: {…}` with the rollouts' lengths and times (slime). */
const LABELLED = /\b(?:step|rollout|iteration|perf)\s*(?:[#:]\s*)?(\d+)\s*[:\-|]/i

/** A dump that is no log may hold dictionaries, too. */
const JSON_TEXT = /^\s*(\{\s*"|\[\s*[{["])/

/**
 * A script, by its first line that is no comment: it has dictionaries of numbers, too. Further on a training may print such lines, in samples
 * of the code that its model wrote.
 */
const PROGRAM_TEXT =
  /^(?:[ \t\r]*(?:#(?!!)[^\n]*)?\n)*(?:#!\/|"""|'''|import [\w.]+(?:,| as |[ \t\r]*(?:\n|$))|from [\w.]+ import \w|(?:async )?def \w+\(|class \w+[(:]|(?:const |function )\w+)/

/** What a training printed, as `tee` keeps it: dictionaries of metrics, and the lines of trainers that print otherwise. */
export const console_: RunLogKind = {
  id: 'console',
  title: 'printed output of a training',
  recognise({ text }) {
    if (text === null || JSON_TEXT.test(text) || PROGRAM_TEXT.test(text)) return null
    let lines = 0
    for (const line of text.split(/[\r\n]/)) if (readLine(line, { heading: null }) !== null) lines++
    return lines > 0 ? `${lines} lines with metrics at its beginning` : laterMetrics(text)
  },
  async read(source, evidence, signal) {
    const builder = new SeriesBuilder()
    const state: PrintState = { heading: null }
    const uncounted: Map<string, number>[] = []
    for await (const line of textLines(source, signal)) {
      const found = readLine(line, state)
      if (found === null) continue
      if (found.step !== null) builder.add(found.step, found.numbers)
      else uncounted.push(found.numbers)
    }
    // Where some lines name their step, a dictionary that names none is a setting.
    const counts = builder.isEmpty
    if (counts) countLines(uncounted, builder)
    // One line that names no step is no curve.
    if (builder.isEmpty || (counts && uncounted.length < 2)) return null
    const { series, notes } = builder.finish()
    if (counts)
      notes.push(
        `Its ${uncounted.length} lines name no step: they are counted instead, so that step 2 is the second line of its kind.`,
      )
    return { kind: this.id, title: this.title, evidence, series, notes }
  },
}

/** A training prints a few; a file that holds more is no log. */
const MOST_KINDS = 64

/**
 * Transformers prints no step. What it prints together has mostly the same names, some of which come and go (a metric of tools where one was
 * called), so that the lines of each kind are counted: those that share more than half of their names.
 */
function countLines(lines: readonly ReadonlyMap<string, number>[], builder: SeriesBuilder): void {
  const kinds: { readonly names: ReadonlySet<string>; lines: number }[] = []
  for (const numbers of lines) {
    const names = new Set(numbers.keys())
    const known = kinds.find((kind) => sharedNames(kind.names, names) * 2 > Math.max(kind.names.size, names.size))
    const kind = known ?? { names, lines: 0 }
    if (known === undefined && kinds.length < MOST_KINDS) kinds.push(kind)
    kind.lines++
    builder.add(kind.lines, numbers)
  }
}

function sharedNames(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const name of one) if (other.has(name)) shared++
  return shared
}

interface PrintState {
  /** Step of the heading that the lines stand under. */
  heading: number | null
}

interface PrintedNumbers {
  readonly step: number | null
  readonly numbers: Map<string, number>
}

function readLine(line: string, state: PrintState): PrintedNumbers | null {
  const dashed = DASHED.exec(line)
  if (dashed !== null) return found(Number(dashed[1]), pairs((dashed[2] as string).split(' - ')))
  const piped = PIPED.exec(line)
  if (piped !== null) return found(Number(piped[1]), pairs((piped[2] as string).split('|')))
  const heading = HEADING.exec(line)
  if (heading !== null) {
    state.heading = Number(heading[1])
    return null
  }
  const bullet = state.heading === null ? null : BULLET.exec(line)
  if (bullet !== null) return found(state.heading, pairs([`${bullet[1]}: ${bullet[2]}`]))
  const open = line.indexOf('{')
  if (open < 0) return null
  const numbers = new Map<string, number>()
  for (const [, name, value] of line.slice(open).matchAll(PAIR)) {
    const number = numberOf((value as string).replaceAll('_', ''))
    if (number !== null) numbers.set(name as string, number)
  }
  // One number in braces is a setting, or a part of some message.
  if (numbers.size < 2) return null
  const label = LABELLED.exec(line.slice(0, open))
  return found(SeriesBuilder.stepOf(numbers) ?? (label === null ? null : Number(label[1])), numbers)
}

function found(step: number | null, numbers: Map<string, number>): PrintedNumbers | null {
  return numbers.size === 0 ? null : { step, numbers }
}

/** `Name: 0.51 unit` pieces; names in the small letters and slashes that other logs have. */
function pairs(pieces: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const piece of pieces) {
    const at = piece.lastIndexOf(':')
    const value = /^\s*(?:np\.float\d+\()?([+-]?[\d.]+(?:e[+-]?\d+)?|nan|inf)/i.exec(piece.slice(at + 1))?.[1]
    const number = at > 0 && value !== undefined ? numberOf(value) : null
    const name = piece.slice(0, at).trim()
    if (number === null || name === '') continue
    numbers.set(name.includes('/') ? name : name.toLowerCase().replace(/[\s.]+/g, '_'), number)
  }
  return numbers
}

/** A training says much before its first step. */
function laterMetrics(text: string): string | null {
  return /\b(Trainer|training|epoch|GRPO|vllm|torch|cuda)\b/i.test(text) && /\n.*\n/.test(text)
    ? 'the words of a training'
    : null
}
