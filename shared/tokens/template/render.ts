import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja'
import type { Message } from '../../model/trajectory.ts'
import { EXTRA_FILTERS, rewriteFilters } from './filters.ts'
import { TemplateError } from './template-error.ts'

/** A message the way templates read it. */
export interface TemplateMessage {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id?: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: unknown }
  }[]
  readonly tool_call_id?: string
}

export interface RenderOptions {
  /** Schemas; null and absent both mean that none were given (an empty list is something else to some templates). */
  readonly tools?: readonly unknown[] | null
  readonly generationPrompt?: boolean
  /** What `strftime_now` gives, whatever the format; a rendering must not depend on the day it is made. */
  readonly date?: string
  /** Any other variable: `enable_thinking`. */
  readonly variables?: Readonly<Record<string, unknown>>
}

export interface ChatTemplate {
  /** The text of a conversation. Throws `TemplateError` where the template refuses it, or cannot be run. */
  render(messages: readonly TemplateMessage[], options?: RenderOptions): string
}

/** The date that Llama's template falls back to. */
const FIXED_DATE = '26 Jul 2024'

/**
 * A chat template from its Jinja source. `names` are the texts of special tokens that templates write (`bos_token`).
 * Throws `TemplateError` where the source cannot be parsed.
 */
export function chatTemplate(source: string, names: Readonly<Record<string, string>> = {}): ChatTemplate {
  const program = attempt('The chat template cannot be read', () => {
    // As the Hub's own renderer reads templates.
    const parsed = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }))
    rewriteFilters(parsed.body)
    return parsed
  })
  return {
    render(messages, { tools = null, generationPrompt = false, date = FIXED_DATE, variables } = {}) {
      return attempt('The chat template does not render this conversation', () => {
        // An environment of our own: the library's has today's date in it, and a variable can be set only once.
        const environment = new Environment()
        const given = {
          ...CONSTANTS,
          ...EXTRA_FILTERS,
          range,
          ...names,
          messages,
          tools,
          documents: null,
          add_generation_prompt: generationPrompt,
          strftime_now: () => date,
          raise_exception: (why: unknown) => {
            throw new Error(String(why))
          },
          ...variables,
        }
        for (const [name, value] of Object.entries(given)) environment.set(name, value)
        return String(new Interpreter(environment).run(program).value)
      })
    },
  }
}

const CONSTANTS = { true: true, false: false, none: null, True: true, False: false, None: null }

/** Python's `range`, for the counts that a template may loop over. */
function range(first: number, last?: number, step = 1): number[] {
  const [start, stop] = last === undefined ? [0, first] : [first, last]
  const length = Math.min(Math.max(0, Math.ceil((stop - start) / (step || 1))), 100_000)
  return Array.from({ length }, (_, i) => start + i * step)
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TemplateError(`${what}: ${why.replace(/(?<![.!\s])[.!\s]+$/, '')}.`)
  }
}

/**
 * Messages of a dump as templates take them: `content` null is an empty text, and the arguments of a call are an object where
 * they are JSON of one. With `argumentsAsText` they stay the text they are, as an API hands them over.
 */
export function templateMessages(
  messages: readonly Message[],
  { argumentsAsText = false }: { readonly argumentsAsText?: boolean } = {},
): TemplateMessage[] {
  return messages.map(({ role, content, reasoning, toolCalls, toolCallId, name }) => ({
    role,
    content: content ?? '',
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls && toolCalls.length > 0
      ? {
          tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
            ...(id === null ? {} : { id }),
            type: 'function' as const,
            function: { name, arguments: argumentsAsText ? text : parsedObject(text) },
          })),
        }
      : {}),
    ...(toolCallId ? { tool_call_id: toolCallId } : {}),
    ...(name ? { name } : {}),
  }))
}

function parsedObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}
