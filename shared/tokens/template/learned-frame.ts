import type { TurnOpener } from '../tokenizer.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { learnTemplate } from './learn.ts'
import type { LearnedTemplate } from './learned-template.ts'
import { CALL_ID, WORDS } from './probe.ts'
import { TemplateError } from './template-error.ts'

export interface LearnedFrame {
  readonly openers: readonly TurnOpener[]
  readonly turnEnds: readonly number[]
  readonly unclosed: readonly TurnOpener['role'][]
  readonly separator: boolean
  /** Of a family that ends the model's turns with the token that opens the next one. */
  readonly sharedEnds?: readonly number[]
  /** What a text begins with, where the configuration names no BOS. */
  readonly begins?: readonly number[]
}

/** Added tokens of a vocabulary, as they stand in a text. */
interface Controls {
  readonly pattern: RegExp
  readonly ids: ReadonlyMap<string, number>
  /** Those that take the white space before or behind them. */
  readonly stripLeft: ReadonlySet<string>
  readonly stripRight: ReadonlySet<string>
}

/**
 * The frame of a family that is not known by its tokens, from its chat template. Null where the template cannot be learned,
 * opens turns with ordinary text (Llama 2), or closes the model's turn with no token at all: ids alone then do not tell turns
 * from text.
 */
export function learnFrame(
  vocabulary: Vocabulary,
  template: string,
  names: Readonly<Record<string, string>>,
): LearnedFrame | null {
  const controls = controlsOf(vocabulary)
  if (controls === null) return null
  const learned = learnedOrNull(template, names)
  if (learned === null) return null
  const user = openerOf('user', learned.user.header, controls)
  const assistant = openerOf('assistant', learned.assistant.header, controls)
  const end = firstControl(learned.assistant.end, controls)
  if (user === null || assistant === null) return null
  if (end === null) return sharingFrame(learned, controls)
  const system = learned.system === null ? null : openerOf('system', learned.system.header, controls)
  const others = [
    system,
    learned.tool === null ? null : toolOpener(learned.tool.header, controls, [user, assistant, system]),
    learned.tool !== null && learned.answersToolDirectly
      ? openerOf('assistant', fromFirstControl(learned.tool.end, controls), controls)
      : null,
  ].filter((opener) => opener !== null)
  const openers = [user, assistant, ...others]
  // DeepSeek V3.1 closes a thought that there is none of behind the token, and opens one there when it thinks: the token alone tells whose turn it is.
  if (THINK_TAG.test(decoder.decode(assistant.rest)) && openers.filter(({ id }) => id === assistant.id).length === 1)
    openers.push({ ...assistant, rest: NOTHING })
  const opens = new Set(openers.map(({ id }) => id))
  const ends = [end, firstControl(learned.user.end, controls)].filter((id) => id !== null)
  const closes = (end: string) => {
    const id = firstControl(end, controls)
    return id !== null && !opens.has(id)
  }
  const written = [
    ['system', learned.system],
    ['user', learned.user],
    ['tool', learned.tool],
  ] as const
  return {
    openers: openers.sort((a, b) => b.rest.length - a.rest.length),
    turnEnds: [...new Set(ends)].filter((id) => !opens.has(id)),
    unclosed: written.flatMap(([role, turn]) => (turn === null || closes(turn.end) ? [] : [role])),
    separator: keepsLine(learned, controls),
  }
}

/**
 * The frame of GLM, which ends the model's turns with no token of its own: the model samples the token that opens the turn of whoever speaks next. It is
 * known by its `<|observation|>`, as ChatML is by `<|im_start|>`; other families that leave ends out sample some that their templates do not write.
 */
function sharingFrame(learned: LearnedTemplate, controls: Controls): LearnedFrame | null {
  const { system, user, assistant, tool } = learned
  if (assistant.end !== '' || tool === null) return null
  const written = [
    ['system', system],
    ['user', user],
    ['tool', tool],
    ['assistant', assistant],
  ] as const
  const openers = written.flatMap(([role, turn]) => {
    const opener = turn === null ? null : openerOf(role, turn.header, controls)
    return opener === null ? [] : [{ ...opener, rest: role === 'assistant' ? NOTHING : lineOf(opener.rest) }]
  })
  const idOf = (role: TurnOpener['role']) => openers.find((opener) => opener.role === role)?.id
  const shared = [idOf('user'), idOf('tool')].filter((id) => id !== undefined)
  const isOfGlm = shared.length === 2 && idOf('tool') === controls.ids.get(OBSERVATION)
  if (!isOfGlm || new Set(openers.map(({ id }) => id)).size < openers.length) return null
  const first = firstControl(learned.before, controls)
  // The token alone tells whose turn it is, whatever is written behind it.
  const bare = openers.filter(({ rest }) => rest.length > 0).map((opener) => ({ ...opener, rest: NOTHING }))
  return {
    openers: [...openers, ...bare].sort((a, b) => b.rest.length - a.rest.length),
    turnEnds: [],
    unclosed: ['system', 'user', 'tool'],
    separator: false,
    sharedEnds: shared,
    begins: first === null ? [] : [first],
  }
}

const THINK_TAG = /^\s*<\/?think>\s*$/
const OBSERVATION = '<|observation|>'
const NOTHING = new Uint8Array()
const NEWLINE = 0x0a

/** The newlines with which the rest of a header begins: what comes behind them is how a text is written, `<tool_response>` say. */
function lineOf(rest: Uint8Array): Uint8Array {
  const end = rest.findIndex((byte) => byte !== NEWLINE)
  return end < 0 ? rest : rest.subarray(0, end)
}

function learnedOrNull(template: string, names: Readonly<Record<string, string>>): LearnedTemplate | null {
  try {
    return learnTemplate(template, names)
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

function controlsOf({ added }: Vocabulary): Controls | null {
  const named = added.filter(({ content }) => content.trim() !== '')
  const ids = new Map(named.map(({ content, id }) => [content, id]))
  const contents = (tokens: typeof named) => new Set(tokens.map(({ content }) => content))
  if (ids.size === 0) return null
  const literals = [...ids.keys()]
    .sort((a, b) => b.length - a.length)
    .map((content) => content.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return {
    pattern: new RegExp(literals.join('|'), 'gu'),
    ids,
    stripLeft: contents(named.filter(({ leftStrip }) => leftStrip)),
    stripRight: contents(named.filter(({ rightStrip }) => rightStrip)),
  }
}

/** A text without the white space that control tokens take when it is encoded: Phi-3's take the newline behind them. */
function asEncoded(text: string, { pattern, stripLeft, stripRight }: Controls): string {
  if (stripLeft.size === 0 && stripRight.size === 0) return text
  let encoded = ''
  let at = 0
  let takes = false
  const append = (piece: string) => {
    encoded += takes ? piece.trimStart() : piece
  }
  for (const { 0: control, index } of text.matchAll(pattern)) {
    const before = text.slice(at, index)
    append(stripLeft.has(control) ? before.trimEnd() : before)
    encoded += control
    takes = stripRight.has(control)
    at = index + control.length
  }
  append(text.slice(at))
  return encoded
}

/** Whether the ids have the line that the template writes between the model's end token and the next header. */
function keepsLine({ assistant, separator, user }: LearnedTemplate, controls: Controls): boolean {
  if (!separator.startsWith('\n')) return false
  const { stripLeft, stripRight } = controls
  if (stripLeft.size === 0 && stripRight.size === 0) return true
  const end = assistant.end.trim()
  return asEncoded(end + separator + user.header, controls).startsWith(`${end}\n`)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Null where the header does not begin with a control token. */
function openerOf(role: TurnOpener['role'], header: string, controls: Controls): TurnOpener | null {
  const { pattern, ids } = controls
  const text = asEncoded(header.trimStart().replace(/(?<! ) +$/, ''), controls)
  const first = text.matchAll(pattern).next().value
  if (first === undefined || first.index !== 0) return null
  const id = ids.get(first[0])
  return id === undefined ? null : { role, id, rest: encoder.encode(text.slice(first[0].length)) }
}

/**
 * Kimi K2 writes a line with the id of the call behind the header of a reply: the header is what stands before anything that differs from reply to
 * reply. Null where that is no more than a token with which turns of others begin.
 */
function toolOpener(header: string, controls: Controls, others: readonly (TurnOpener | null)[]): TurnOpener | null {
  const differs = [CALL_ID, WORDS.tool].map((word) => header.indexOf(word)).filter((at) => at >= 0)
  const constant = header.slice(0, Math.min(header.length, ...differs))
  const opener = openerOf('tool', throughLastControl(constant, controls), controls)
  const isBare = opener !== null && opener.rest.length === 0 && differs.length > 0
  return isBare && others.some((other) => other?.id === opener.id) ? null : opener
}

function firstControl(text: string, { pattern, ids }: Controls): number | null {
  const first = text.matchAll(pattern).next().value
  return first === undefined ? null : (ids.get(first[0]) ?? null)
}

function fromFirstControl(text: string, { pattern }: Controls): string {
  return text.slice(text.matchAll(pattern).next().value?.index ?? text.length)
}

/** What stands after the last control token of a reply's header is how the reply is written, JSON say. */
function throughLastControl(text: string, { pattern }: Controls): string {
  const last = [...text.matchAll(pattern)].at(-1)
  if (last === undefined) return text
  const end = last.index + last[0].length
  const line = /^[^\n{}["]*\n+/.exec(text.slice(end))?.[0] ?? ''
  return text.slice(0, end) + line
}
