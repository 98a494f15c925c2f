import type { TrajectoryView } from '../../checks/check.ts'
import { PART, type Part } from '../../model/tokens.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { DifferenceCause, IdComparison } from '../requests/rollout.ts'

/** Two stretches of ids that differ, with what they spell. */
export interface Differing {
  readonly kind: IdComparison['kind']
  /** Half-open, in the recorded ids. */
  readonly at: readonly [start: number, end: number]
  readonly recorded: string
  readonly other: string
  /** The same with a few tokens on either side. */
  readonly around: readonly [recorded: string, other: string]
  /** How many tokens each has. */
  readonly sizes: readonly [recorded: number, other: number]
  /** The other row goes on, and this is all that is left of it. */
  readonly isEnd: boolean
  /** The system text that the template writes where none is given; null where it writes none. */
  readonly defaultSystem: string | null
}

const LONGEST_QUOTE = 60
const DATE = /\b\d{1,2} [A-Z][a-z]{2} \d{4}\b|\b\d{4}-\d{2}-\d{2}\b/
const TOOLS = /# Tools|<\/?tools>|Environment: ipython|"type": ?"function"/
const THINK = /<\/?think>/

/** Why two stretches differ, and the sentence that says so. The first that fits, from the surest on. */
export function nameDifference(
  difference: Differing,
  view: Pick<TrajectoryView, 'segmentation'>,
  tokenizer: Tokenizer,
): { readonly cause: DifferenceCause; readonly words: string } {
  const { recorded, other, kind, at } = difference
  const [own, others] = difference.sizes
  const made = kind === 'render' ? 'the rendering' : 'the tokenizer'
  const both = `recorded ${quoted(recorded)}, ${made} gives ${quoted(other)}`
  if (own > 0 && others > 0 && recorded === other) {
    return isMarkerSpelt(recorded, tokenizer)
      ? {
          cause: 'marker-spelt',
          words: `Ordinary tokens spell a control token here; encoded again it is the control token itself: ${quoted(recorded)}`,
        }
      : {
          cause: 'token-split',
          words: `The same text in ${own} tokens here and in ${others} there: ${quoted(recorded)}`,
        }
  }
  const part = mainPart(view, at)
  const words = wordsOf(difference, part, made, both, tokenizer)
  return words ?? { cause: 'text', words: `Other text: ${both}` }
}

function wordsOf(
  { recorded, other, around, sizes, isEnd, defaultSystem }: Differing,
  part: Part | null,
  made: string,
  both: string,
  tokenizer: Tokenizer,
): { readonly cause: DifferenceCause; readonly words: string } | null {
  const [own, others] = sizes
  if (isEnd && own === 0 && isBlank(other)) {
    return {
      cause: 'newline',
      words:
        'The template writes white space after the last turn; a rollout that ends where the model stopped does not have it, and need not',
    }
  }
  if (isEnd && others > own && other.startsWith(recorded)) {
    return { cause: 'cut', words: `The recorded ids end here; ${made} goes on for ${others} tokens: ${quoted(other)}` }
  }
  if (defaultSystem !== null && other.includes(defaultSystem) !== recorded.includes(defaultSystem)) {
    const has = other.includes(defaultSystem)
      ? 'The template puts its default system prompt here; the ids have none'
      : 'The ids hold the template’s default system prompt; the messages have another or none'
    return { cause: 'default-system-prompt', words: `${has}: ${quoted(defaultSystem)}` }
  }
  if (TOOLS.test(recorded) !== TOOLS.test(other)) {
    return TOOLS.test(recorded)
      ? {
          cause: 'tools',
          words: `The ids hold tool schemas here that ${made} does not: ${quoted(recorded)}`,
        }
      : {
          cause: 'tools',
          words: `${made === 'the rendering' ? 'The rendering' : 'The tokenizer'} writes tool schemas here that the ids do not have: ${quoted(other)}`,
        }
  }
  const dates = around.map((text) => DATE.exec(text)?.[0] ?? null)
  if (dates[0] !== dates[1] && undated(around[0]) === undated(around[1])) {
    return {
      cause: 'date',
      words: `Another date: recorded ${dates[0] ?? 'none'}, ${made} writes ${dates[1] ?? 'none'}`,
    }
  }
  const [ownCore, otherCore] = cores(recorded, other)
  if (isBlank(ownCore) && isBlank(otherCore)) {
    const what =
      ownCore === ''
        ? 'White space is missing from the ids'
        : otherCore === ''
          ? 'The ids have more white space'
          : 'Other white space'
    return { cause: 'newline', words: `${what}: ${both}` }
  }
  const openings = (tokenizer.frame?.bos ?? []).flatMap((id) => tokenizer.raw(id) ?? [])
  for (const [core, words] of [
    [ownCore, `The ids have a BOS here that ${made} does not`],
    [otherCore, `The ids lack a BOS that ${made} writes`],
  ] as const) {
    if (openings.includes(core) && (core === ownCore ? otherCore : ownCore) === '') return { cause: 'bos', words }
  }
  const endings = new Set((tokenizer.frame?.turnEnds ?? []).map((id) => tokenizer.raw(id)))
  if (isBlank(ownCore) && endings.has(otherCore.trim())) {
    return { cause: 'end-of-turn', words: `The end of the turn is not in the ids: ${both}` }
  }
  if (isBlank(otherCore) && endings.has(ownCore.trim())) {
    return { cause: 'end-of-turn', words: `The ids end a turn where ${made} does not: ${both}` }
  }
  const start = tokenizer.frame === null ? null : tokenizer.raw(tokenizer.frame.turnStart)
  if (
    start !== null &&
    start !== '' &&
    recorded.includes(start) !== other.includes(start) &&
    !THINK.test(recorded + other)
  ) {
    return {
      cause: 'header',
      words: recorded.includes(start)
        ? `The ids open a turn that ${made} does not have: ${both}`
        : `The header of a turn is missing from the ids: ${both}`,
    }
  }
  if ((THINK.test(recorded) && !THINK.test(other)) || (others === 0 && part === 'think')) {
    return {
      cause: 'thinking-stripped',
      words: `A thought of ${own} tokens is recorded, and ${made} leaves it out: ${quoted(recorded)}`,
    }
  }
  if (THINK.test(other) && !THINK.test(recorded)) {
    const empty = /<think>\s*<\/think>/.test(other)
    return {
      cause: 'thinking-added',
      words: `${empty ? 'An empty think block' : 'A thought'} that the ids do not have: ${made} writes ${quoted(other)}`,
    }
  }
  if (part === 'tool_call' || /<\/?tool_call>/.test(recorded)) {
    return { cause: 'call-reserialised', words: `The call is written otherwise: ${both}` }
  }
  return null
}

/** The text of a control token in ordinary pieces. */
function isMarkerSpelt(text: string, { frame, raw }: Tokenizer): boolean {
  if (frame === null) return false
  const markers = [frame.turnStart, frame.headerEnd, ...frame.turnEnds, ...frame.textEnds].flatMap(
    (id) => raw(id) ?? [],
  )
  return markers.some((marker) => marker !== '' && text.includes(marker))
}

/** The part that most tokens of a stretch belong to; of an empty one, that of the token it stands before. */
function mainPart(
  { segmentation }: Pick<TrajectoryView, 'segmentation'>,
  [start, end]: readonly [number, number],
): Part | null {
  if (segmentation === null) return null
  const counts = new Map<number, number>()
  for (let token = start; token < Math.max(end, start + 1); token++) {
    const part = segmentation.parts[token]
    if (part !== undefined) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  const most = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
  return (Object.keys(PART) as Part[]).find((name) => PART[name] === most) ?? null
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** What is left of two texts without what both begin and end with. */
function cores(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let tail = 0
  while (tail < shorter - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return [a.slice(start, a.length - tail), b.slice(start, b.length - tail)]
}

function undated(text: string): string {
  return text.replace(DATE, '')
}

/** On one line, cut in the middle. */
function quoted(text: string): string {
  if (text === '') return 'nothing'
  const line = text.replaceAll('\n', '⏎')
  if (line.length <= LONGEST_QUOTE) return `“${line}”`
  const half = LONGEST_QUOTE / 2
  return `“${line.slice(0, half)} … ${line.slice(-half)}”`
}
