import type { TrajectoryView } from '../../checks/check.ts'
import { calledTools } from '../../checks/oracles/called-tools.ts'
import { runEnd } from '../../checks/oracles/spans.ts'
import type { Report } from '../../model/report.ts'
import { PART, type Span, TokenState } from '../../model/tokens.ts'
import type { TokenSums } from '../../model/trained-share.ts'

/** What a tool's calls take: their number, their tokens, the trained ones and those without a mask; then the same of its replies. */
export type ToolSums = [number, number, number, number, number, number, number, number]

/** By name; the empty name is for calls and replies whose tool the ids do not tell. */
export type ToolTotals = Map<string, ToolSums>

/** Where the numbers of replies begin. */
const REPLIES = 4

/** Adds the calls and replies of one rollout. The i-th reply after an assistant turn answers its i-th call. */
export function countTools({ segmentation, states, text }: TrajectoryView, into: ToolTotals): void {
  if (segmentation === null) return
  const { parts, turns } = segmentation
  const names = calledTools(segmentation, text)
  let call = 0
  let asked: string[] = []
  for (const turn of turns) {
    if (turn.kind === 'assistant') {
      asked = []
      for (const span of turn.spans) {
        if (span.part !== 'tool_call') continue
        const name = names[call++] as string
        asked.push(name)
        add(into, name, 0, span, PART.tool_call, parts, states)
      }
    }
    let replies = 0
    for (const span of turn.spans) {
      if (span.part !== 'tool') continue
      add(into, asked.shift() ?? '', REPLIES, span, PART.tool, parts, states)
      replies++
    }
    if (replies === 0 && turn.kind === 'tool') {
      const whole = { start: turn.contentStart, end: turn.contentEnd }
      add(into, asked.shift() ?? '', REPLIES, whole, PART.tool, parts, states)
    }
  }
}

export function addTools(into: ToolTotals, from: ToolTotals): void {
  for (const [name, sums] of from) {
    const known = into.get(name)
    if (known === undefined) into.set(name, [...sums])
    else for (let i = 0; i < sums.length; i++) known[i] = (known[i] as number) + (sums[i] as number)
  }
}

/** As the report has them: what has no mask is named only where something else has one. */
export function tokenSums(total: number, trained: number, unknown: number, maskKnown: boolean): TokenSums {
  return maskKnown ? { total, trained, ...(unknown > 0 ? { unknown } : {}) } : { total, trained: null }
}

/** More names than that are a model's inventions. */
const MOST_TOOLS = 32

/** What the report says of tools: those that take most tokens by name, the others together. */
export function toolRows(totals: ToolTotals, maskKnown: boolean): Report['totals']['by_tool'] {
  const tokens = (sums: ToolSums) => sums[1] + sums[5]
  const named = [...totals]
    .filter(([name]) => name !== '')
    .sort(([a, left], [b, right]) => tokens(right) - tokens(left) || (a < b ? -1 : 1))
  const rest: ToolTotals = new Map()
  for (const [, sums] of named.slice(MOST_TOOLS)) addTools(rest, new Map([['', sums]]))
  const unnamed = totals.get('')
  if (unnamed !== undefined) addTools(rest, new Map([['', unnamed]]))
  const part = (count: number, total: number, trained: number, unknown: number) => ({
    count,
    ...tokenSums(total, trained, unknown, maskKnown),
  })
  return [...named.slice(0, MOST_TOOLS), ...rest].map(([name, sums]) => ({
    tool: name === '' ? null : name,
    calls: part(sums[0], sums[1], sums[2], sums[3]),
    replies: part(sums[4], sums[5], sums[6], sums[7]),
  }))
}

function add(
  into: ToolTotals,
  name: string,
  at: 0 | typeof REPLIES,
  { start, end }: Span,
  part: number,
  parts: Uint8Array,
  states: Uint8Array,
): void {
  let sums = into.get(name)
  if (sums === undefined) into.set(name, (sums = [0, 0, 0, 0, 0, 0, 0, 0]))
  sums[at]++
  let total = 0
  let trained = 0
  let unknown = 0
  // Nearly every span is one run of its part in one state, and a run is counted at once.
  for (let token = start, to = start; token < end; token = to) {
    to = runEnd(parts, token, end)
    if (parts[token] !== part) continue
    total += to - token
    for (let at = token, next = token; at < to; at = next) {
      next = runEnd(states, at, to)
      if (states[at] === TokenState.trained) trained += next - at
      else if (states[at] === TokenState.unknown) unknown += next - at
    }
  }
  sums[at + 1] = (sums[at + 1] as number) + total
  sums[at + 2] = (sums[at + 2] as number) + trained
  sums[at + 3] = (sums[at + 3] as number) + unknown
}
