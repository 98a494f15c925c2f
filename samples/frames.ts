import type { ModelTurn } from './conversation.ts'
import { pythonJson } from './python-json.ts'

/**
 * What a piece of a rendered conversation is. `sampled` is what the model wrote, its end token included; `generation` is the
 * header that the template puts before it; `separator` is what the template puts after the end token.
 */
export type PieceKind = 'prompt' | 'generation' | 'sampled' | 'separator' | 'reply'

export interface Piece {
  readonly kind: PieceKind
  readonly text: string
  /** 1-based number of the model's turn; 0 in the prompt. */
  readonly turn: number
}

/** What is rendered: a system text, a question, the model's turns and, where there are any, the tools. */
export interface Rendered {
  readonly system: string
  readonly user: string
  readonly turns: readonly ModelTurn[]
  readonly tools: readonly unknown[]
}

export type FamilyName = 'qwen2.5' | 'qwen3' | 'llama3'

/** A family's chat template, as far as the samples need it. Joined, the pieces are what the real template renders. */
export interface Family {
  readonly name: FamilyName
  /** System turn and question, with nothing of the model's turn; `bos` is part of it. */
  prompt(conversation: Rendered): string
  readonly generation: string
  /** What the model writes in one turn, without its end token. */
  sampled(turn: ModelTurn): string
  readonly endToken: string
  readonly separator: string
  reply(text: string): string
}

const TOOLS_BEFORE =
  '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>'
const TOOLS_AFTER =
  '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'

function qwenPrompt({ system, user, tools }: Rendered): string {
  const list = tools.map((tool) => `\n${pythonJson(tool)}`).join('')
  const block = tools.length > 0 ? `\n\n${TOOLS_BEFORE}${list}${TOOLS_AFTER}` : ''
  return `<|im_start|>system\n${system}${block}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n`
}

function qwenCall(query: string): string {
  return `<tool_call>\n${pythonJson({ name: 'retrieve', arguments: { query } })}\n</tool_call>`
}

const QWEN = {
  prompt: qwenPrompt,
  generation: '<|im_start|>assistant\n',
  endToken: '<|im_end|>',
  separator: '\n',
  reply: (text: string) => `<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n`,
}

export const QWEN25: Family = {
  ...QWEN,
  name: 'qwen2.5',
  sampled: ({ thought, call, text }) =>
    [thought && `<think>${thought}</think>`, call ? qwenCall(call.query) : text].filter(Boolean).join('\n'),
}

/** Thinking on: after the last question every turn keeps its think block, closed by an empty line. */
export const QWEN3: Family = {
  ...QWEN,
  name: 'qwen3',
  sampled: ({ thought, call, text }) => `<think>\n${thought}\n</think>\n\n${call ? qwenCall(call.query) : text}`,
}

/** With custom tools in the first question, and the date that the 3.1 template falls back to. */
export const LLAMA31: Family = {
  name: 'llama3',
  prompt: ({ system, user, tools }) => {
    const environment = tools.length > 0 ? 'Environment: ipython\n' : ''
    const list = tools.map((tool) => `${pythonJson(tool, 4)}\n\n`).join('')
    const guidance =
      tools.length > 0
        ? `Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n${list}`
        : ''
    return [
      '<|begin_of_text|>',
      llamaTurn('system', `${environment}Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n${system}`),
      llamaTurn('user', `${guidance}${user}`),
    ].join('')
  },
  generation: llamaHeader('assistant'),
  sampled: ({ thought, call, text }) =>
    call
      ? pythonJson({ name: 'retrieve', parameters: { query: call.query } })
      : [thought && `<think>${thought}</think>`, text].filter(Boolean).join('\n'),
  endToken: '<|eot_id|>',
  separator: '',
  reply: (text) => llamaTurn('ipython', pythonJson(text)),
}

function llamaHeader(role: string): string {
  return `<|start_header_id|>${role}<|end_header_id|>\n\n`
}

function llamaTurn(role: string, content: string): string {
  return `${llamaHeader(role)}${content}<|eot_id|>`
}

/** The whole conversation in pieces, up to and with the separator after the last turn. */
export function renderPieces(family: Family, conversation: Rendered): Piece[] {
  const pieces: Piece[] = [{ kind: 'prompt', text: family.prompt(conversation), turn: 0 }]
  conversation.turns.forEach((turn, index) => {
    const number = index + 1
    pieces.push({ kind: 'generation', text: family.generation, turn: number })
    pieces.push({ kind: 'sampled', text: family.sampled(turn) + family.endToken, turn: number })
    if (family.separator) pieces.push({ kind: 'separator', text: family.separator, turn: number })
    if (turn.call) pieces.push({ kind: 'reply', text: family.reply(turn.reply), turn: number })
  })
  return pieces
}
