import type { ModelTurn, SampleConversation } from '../../samples/conversation.ts'
import { RETRIEVE_TOOL } from '../../samples/conversation.ts'
import { pythonJson } from '../../samples/python-json.ts'
import { twoHopConversations } from '../../samples/two-hop.ts'
import { wordProblemConversations } from '../../samples/word-problems.ts'
import type { FamilyName } from './families.ts'

export interface PlannedCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** One turn of the model and what the environment answered. */
export interface PlannedTurn {
  /** Null where the model does not think. */
  readonly thought: string | null
  /** What stands before the calls, or the whole text of a turn without one. */
  readonly text: string
  readonly calls: readonly PlannedCall[]
  /** One for each call. */
  readonly replies: readonly string[]
  /** What the user says next. */
  readonly followUp: string | null
  /** What the environment writes into the middle of this turn, and how the model goes on, in order; for tagged replies. */
  readonly spliced: readonly { readonly reply: string; readonly goesOn: string }[]
}

/** One rollout as the environment saw it, before a template or a tokenizer touched it. */
export interface PlannedConversation {
  readonly id: string
  readonly group: string
  readonly system: string | null
  readonly user: string
  readonly turns: readonly PlannedTurn[]
  readonly tools: readonly unknown[] | null
  readonly documents: readonly { id: string; title: string; text: string; supporting: boolean }[]
  readonly answer: string
  readonly reward: number
  readonly rewards: Readonly<Record<string, number>>
  /** The last turn does not come to an end by itself. */
  readonly endless: boolean
  /** What the template writes after each header of the model's turns, and the model did not. */
  readonly prefill: string
  /** Where a turn of the model ends without an end token of its own: a stop string does it, and the framework closes the turn. */
  readonly stopsOnString: boolean
}

export const PLAIN_TURN: PlannedTurn = { thought: null, text: '', calls: [], replies: [], followUp: null, spliced: [] }

function turnOf({ thought, call, text, reply }: ModelTurn): PlannedTurn {
  return {
    ...PLAIN_TURN,
    thought: thought === '' ? null : thought,
    text,
    calls: call === null ? [] : [{ id: call.id, name: 'retrieve', arguments: { query: call.query } }],
    replies: call === null ? [] : [reply],
  }
}

function planned(one: SampleConversation, tools: readonly unknown[] | null): PlannedConversation {
  return { ...one, turns: one.turns.map(turnOf), tools, prefill: '', stopsOnString: false }
}

/** Questions that take facts from two documents, with a tool to find them: groups of eight, three to five of them right. */
export function searchConversations(
  family: FamilyName,
  seed: string,
  groups: number,
  endless = 0,
): PlannedConversation[] {
  const run = {
    seed,
    groups,
    endless,
    // The template of Llama drops what the model says before a call.
    thoughtBeforeCall: family !== 'llama3',
    deliberates: family === 'qwen3',
  }
  return twoHopConversations(run).map((one) => planned(one, [RETRIEVE_TOOL]))
}

/** Word problems of one turn, without tools: groups of eight. */
export function singleTurnConversations(seed: string, groups: number): PlannedConversation[] {
  return wordProblemConversations(seed)
    .slice(0, groups * 8)
    .map((one) => planned(one, null))
}

/** What the model writes in one turn, without its end token, in the family's own syntax. */
export function writtenText(family: FamilyName, { thought, text, calls }: PlannedTurn): string {
  const called = calls.map(({ name, arguments: args }) => callText(family, name, args))
  const rest = [text, ...called].filter((piece) => piece !== '').join('\n')
  if (thought === null) return rest
  if (family === 'qwen3') return `<think>\n${thought}\n</think>\n\n${rest}`
  return [`<think>${thought}</think>`, rest].filter((piece) => piece !== '').join('\n')
}

function callText(family: FamilyName, name: string, args: Readonly<Record<string, unknown>>): string {
  if (family === 'llama3') return pythonJson({ name, parameters: args })
  return `<tool_call>\n${pythonJson({ name, arguments: args })}\n</tool_call>`
}
