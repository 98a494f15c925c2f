import type { Span, Turn } from '../../model/tokens.ts'
import { toolName } from '../../model/tool-schema.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { missingPart } from '../truncation/missing-part.ts'
import { tornHeader } from '../truncation/torn-header.ts'
import { tornSchema } from '../truncation/torn-schemas.ts'
import { type AlteredTool, alteredTools, followsPrompt } from './altered-tools.ts'
import { INTERPRETER, isDescribed, isToolOf, nameInCall } from './declared-tools.ts'

/** What a prompt says of the tools that the record has, or that the model calls. */
export interface PromptTools {
  /** Padding left out, up to the model's first turn. */
  readonly prompt: Span
  readonly call: Span | null
  readonly called: string | null
  /** Names of the record's tools. */
  readonly names: readonly string[]
  /** Those of them that the prompt lacks. */
  readonly absent: readonly string[]
  /** Those that the prompt lacks beside others which it describes: where the model calls none of them, only other prompts tell whether that is a choice. */
  readonly leftOut: readonly string[]
  /**
   * `missing`: no tool is described. `others`: not one of the record's. `some`: not one that the model calls. `altered`: the same
   * names, with other words or parameters.
   */
  readonly state: 'described' | 'missing' | 'others' | 'some' | 'altered'
  /** What is altered, in words: `search: another description`. */
  readonly altered: readonly string[]
  /** The altered tools take other parameters, and no call shows that the model saw them so (decision 36). */
  readonly takesOthers: boolean
}

const known = new OfLast<TrajectoryView, PromptTools | null>()

/** Null where there are neither tools nor calls, or no prompt to look at. Found out once for a view. */
export function promptTools(view: TrajectoryView): PromptTools | null {
  let found = known.get(view)
  if (found === undefined) known.set(view, (found = findPromptTools(view)))
  return found
}

/** Characters of names that are kept of a row. */
const MOST_KEPT = 200

/** Facts of the few rollouts whose prompt lacks the tools, or describes them otherwise than the record has them. */
export function toolFacts(
  view: TrajectoryView,
): Pick<TrajectoryFacts, 'toolsDiffer' | 'toolsMissing' | 'toolsLeftOut' | 'calledLeftOut'> | null {
  const found = promptTools(view)
  if (found === null) return null
  const { state, leftOut } = found
  const names = leftOut.join(', ').slice(0, MOST_KEPT)
  if (state === 'described') return names === '' ? null : { toolsLeftOut: names }
  if (state === 'some') return { toolsDiffer: true, calledLeftOut: names }
  return state === 'missing' ? { toolsMissing: true } : { toolsDiffer: true }
}

function findPromptTools(view: TrajectoryView): PromptTools | null {
  const { segmentation, trajectory } = view
  // A prompt that was cut on the left may have lost its schema with its start, which is C01.
  if (segmentation === null || segmentation.cutLeft) return null
  const turns = writtenTurns(segmentation)
  const first = turns[0]
  if (first === undefined) return null
  const call = firstCall(turns)
  const names: string[] = []
  for (const tool of trajectory.tools ?? []) {
    const name = toolName(tool)
    if (name !== null) names.push(name)
  }
  if (call === null && names.length === 0) return null
  const prompt = { start: segmentation.padding.left, end: first.start }
  const text = promptText(view, prompt)
  const called = call === null ? null : calledName(view, call)
  const found: PromptTools = {
    prompt,
    call,
    called,
    names,
    absent: names,
    leftOut: [],
    state: 'described',
    altered: [],
    takesOthers: false,
  }
  // What a cut took away is C02.
  const isCut = () => segmentation.turns.slice(0, first.index).some((turn) => isTurnCut(view, turn))
  if (!isDescribed(text, names, called)) {
    if (isDescribedLater(view, names, call, called)) return { ...found, absent: [] }
    return isCut() ? null : { ...found, state: 'missing' }
  }
  const absent = isWhole(view) ? names.filter((name) => !isToolOf(text, name)) : []
  if (absent.length > 0 && absent.length === names.length) return isCut() ? null : { ...found, state: 'others' }
  // A prompt may offer a choice of many tools: only what the model calls must be in it.
  const lacking = absent.length === 0 ? [] : absent.filter((name) => callsOf(view, turns).has(name))
  if (lacking.length > 0) return { ...found, absent: lacking, leftOut: absent, state: 'some' }
  const tools = alteredTools(text, trajectory.tools ?? [])
  if (tools.length === 0) return { ...found, absent: [], leftOut: absent.length > 0 && isCut() ? [] : absent }
  const altered = tools.flatMap(({ name, differences }) => differences.map((what) => `${name}: ${what}`))
  return { ...found, absent: [], altered, state: 'altered', takesOthers: takeOthers(view, turns, tools) }
}

/**
 * Whether a later system turn before the call describes the tools: a message that came with them, or the start of another document of a packed row,
 * whose call is not of the prompt that the row begins with (S01).
 */
function isDescribedLater(
  { segmentation, text }: TrajectoryView,
  names: readonly string[],
  call: Span | null,
  called: string | null,
): boolean {
  return (segmentation?.turns ?? []).some(
    ({ kind, header, index, contentStart, contentEnd }) =>
      kind === 'system' &&
      header === 'present' &&
      index > 0 &&
      contentEnd <= (call?.start ?? Number.POSITIVE_INFINITY) &&
      isDescribed(text({ start: contentStart, end: contentEnd }), names, called),
  )
}

/** The prompt that was decoded last by a vocabulary: rollouts of a group have one, and its ids are sooner compared than decoded. */
const lastPrompts = new WeakMap<TokenTable, { readonly ids: Int32Array; readonly text: string }>()

export function promptText(view: TrajectoryView, prompt: Span): string {
  const { ids, tokenizer } = view
  const length = prompt.end - prompt.start
  if (tokenizer === null || length > LONGEST_PROMPT) return view.text(prompt)
  const last = lastPrompts.get(tokenizer.table)
  if (last?.ids.length === length && standsAt(ids, prompt.start, last.ids)) return last.text
  const text = view.text(prompt)
  lastPrompts.set(tokenizer.table, { ids: ids.slice(prompt.start, prompt.end), text })
  return text
}

/** Tokens; a prompt that is longer is not kept. */
const LONGEST_PROMPT = 1 << 13

function standsAt(ids: Int32Array, start: number, others: Int32Array): boolean {
  for (let i = 0; i < others.length; i++) if (ids[start + i] !== others[i]) return false
  return true
}

function firstCall(turns: readonly Turn[]): Span | null {
  for (const { spans } of turns) for (const span of spans) if (span.part === 'tool_call') return span
  return null
}

/** Names that the model's calls have. */
function callsOf(view: TrajectoryView, turns: readonly Turn[]): Set<string> {
  const names = new Set<string>()
  for (const { spans } of turns) {
    for (const span of spans) {
      const name = span.part === 'tool_call' ? calledName(view, span) : null
      if (name !== null) names.add(name)
    }
  }
  return names
}

function isTurnCut(view: TrajectoryView, turn: Turn): boolean {
  return missingPart(view, turn) !== null || tornHeader(view, turn) !== null || tornSchema(view, turn) !== null
}

/** Whether a tool takes other parameters than the record says, and is not called by those that only the prompt has. */
function takeOthers(view: TrajectoryView, turns: readonly Turn[], tools: readonly AlteredTool[]): boolean {
  const others = tools.filter(({ takesOthers }) => takesOthers)
  const calls = turns.flatMap(({ spans }) => spans.filter(({ part }) => part === 'tool_call'))
  return others.some((tool) => {
    const own = calls.filter((call) => calledName(view, call) === tool.name)
    return !own.some((call) => followsPrompt(view.text(call), tool))
  })
}

/** Every turn of the prompt is closed. Of a prompt that was cut nothing can be said to be absent. */
function isWhole({ segmentation }: TrajectoryView): boolean {
  return (segmentation?.turns ?? []).every(({ kind, endToken }, i, turns) => {
    return endToken >= 0 || kind === 'assistant' || turns.slice(0, i).some((turn) => turn.kind === 'assistant')
  })
}

function calledName(view: TrajectoryView, call: Span): string | null {
  const text = view.text(call)
  if (view.ids[call.start] === view.tokenizer?.frame?.pythonTag) {
    const code = text.replace(/^<\|python_tag\|>\s*/, '')
    if (!code.startsWith('{')) return /^(\w+)\.call\(/.exec(code)?.[1] ?? INTERPRETER
  }
  return nameInCall(text)
}
