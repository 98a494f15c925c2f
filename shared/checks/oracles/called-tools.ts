import type { Segmentation } from '../../model/tokens.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'

/** A name stands near the beginning of a call, whatever the family writes before it. */
const NAME_TOKENS = 48
const NAME = /"name"\s*:\s*"([^"\\\s]{1,80})"/
const PYTHON_CALL = /^\s*(?:<\|python_tag\|>\s*)?([A-Za-z_][\w.]{0,79})\s*(?:\.call)?\(/

/** Tools that are kept of a rollout; a model that names more invents them. */
const MOST_KEPT = 16

const found = new OfLast<Segmentation, readonly string[]>()

/** The name of the tool of each call in a rollout, in order, as its ids spell it; empty where they do not tell. */
export function calledTools(segmentation: Segmentation, text: PreparedTokens['text']): readonly string[] {
  let names = found.get(segmentation)
  if (names === undefined) found.set(segmentation, (names = namesOf(segmentation, text)))
  return names
}

function namesOf({ turns }: Segmentation, text: PreparedTokens['text']): string[] {
  const names: string[] = []
  for (const { kind, spans } of turns) {
    if (kind !== 'assistant') continue
    for (const { part, start, end } of spans) {
      if (part === 'tool_call') names.push(nameOf(text({ start, end: Math.min(end, start + NAME_TOKENS) })))
    }
  }
  return names
}

function nameOf(call: string): string {
  return NAME.exec(call)?.[1] ?? PYTHON_CALL.exec(call)?.[1] ?? ''
}

/** By which rollouts are told apart that code may treat otherwise: the tools that they call, and whether a turn calls several. */
export function callFacts({
  segmentation,
  text,
}: PreparedTokens): Pick<TrajectoryFacts, 'calledTools' | 'parallelCalls'> | null {
  if (segmentation === null) return null
  const names = calledTools(segmentation, text)
  if (names.length === 0) return null
  const tools = [...new Set(names)].filter((name) => name !== '').sort()
  return {
    ...(tools.length === 0 ? null : { calledTools: tools.slice(0, MOST_KEPT).join(' ') }),
    ...(callsAtOnce(segmentation) ? { parallelCalls: true } : null),
  }
}

function callsAtOnce({ turns }: Segmentation): boolean {
  return turns.some(
    ({ kind, spans }) => kind === 'assistant' && spans.filter(({ part }) => part === 'tool_call').length > 1,
  )
}
