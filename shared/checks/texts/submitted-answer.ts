import type { Span, Turn } from '../../model/tokens.ts'

/** What a rollout hands in as its answer, and where the call stands that does. */
export interface SubmittedAnswer {
  readonly text: string
  readonly at: number
}

/** Names of arguments that are an answer, whatever the tool is called. */
const ANSWER = /^(?:final_?)?answer$/i
/** Names of arguments that are one where the tool is called so. A query or a program is none: its result is. */
const TEXT = /^(?:text|value|content|message|output|response|(?:final_?)?result)$/i
const SUBMITS = /^(?:finish|(?:submit|give|final)_?(?:final_?)?(?:answer|result)?|answer)$/i

/**
 * The answer that an environment takes where it is handed in by a call (`finish(answer=…)`): that of the last call, in the model's last turn. Null where
 * there is none, and where the call gives no answer, as one that hands in files.
 */
export function submittedAnswer(turns: readonly Turn[], text: (span: Span) => string): SubmittedAnswer | null {
  const last = turns.findLast(({ kind }) => kind === 'assistant')
  const call = last?.spans.findLast(({ part }) => part === 'tool_call')
  if (call === undefined) return null
  const spelt = text(call)
  const answer = answerIn(spelt.slice(spelt.indexOf('{'), spelt.lastIndexOf('}') + 1))
  return answer === null ? null : { text: answer, at: call.start }
}

function answerIn(json: string): string | null {
  const call = objectIn(json)
  const given = call?.arguments ?? call?.parameters
  const values = typeof given === 'string' ? objectIn(given) : isObject(given) ? given : null
  if (call === null || values === null) return null
  const isTaken = typeof call.name === 'string' && SUBMITS.test(call.name)
  const keys = Object.keys(values)
  const key = keys.find((each) => ANSWER.test(each)) ?? (isTaken ? keys.find((each) => TEXT.test(each)) : undefined)
  const value = key === undefined ? null : values[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

function objectIn(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
