import { normalised } from '../../checks/texts/normalised-text.ts'
import { firstQuestion } from '../../checks/texts/pairing.ts'
import { toolSchema } from '../../model/tool-schema.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { PromptDifference } from '../requests/compare.ts'

/** Text of a prompt that is shown; the rest is named by its length. */
const MOST_CHARACTERS = 20_000

const RUNS = { here: 'open', there: 'second' } as const

interface Prompt {
  readonly system: string | null
  readonly question: string | null
  readonly tools: ReadonlyMap<string, { readonly parameters: readonly string[]; readonly text: string }> | null
}

/**
 * How either run puts a question, and in what that differs: system text (T09), tools (T07) and, where its words differ, the question itself.
 * @param withoutTools the run whose prompts lost its tools: its ids differ by these, so that system texts are compared as the messages have them
 */
export function promptDifferences(
  here: { readonly loaded: LoadedTrajectory; readonly tokenizer: Tokenizer | null },
  there: { readonly loaded: LoadedTrajectory; readonly tokenizer: Tokenizer | null },
  withoutTools: 'here' | 'there' | null,
): PromptDifference[] {
  const asStated = withoutTools !== null
  const [a, b] = [promptOf(here.loaded, here.tokenizer, asStated), promptOf(there.loaded, there.tokenizer, asStated)]
  const found: PromptDifference[] = []
  if (a.system !== null || b.system !== null) {
    found.push({
      what: 'system',
      says: textsSay('system text', a.system, b.system),
      here: cut(a.system),
      there: cut(b.system),
    })
  }
  if (a.tools !== null || b.tools !== null) {
    const lost = withoutTools === null ? [] : [`The prompts of the ${RUNS[withoutTools]} run lack its tools (T07).`]
    const says = [...lost, ...toolsSay(a.tools, b.tools)]
    found.push({ what: 'tools', says, here: toolText(a.tools), there: toolText(b.tools) })
  }
  if (a.question !== null && b.question !== null && wordsOf(a.question) !== wordsOf(b.question)) {
    const says = textsSay('first message', a.question, b.question)
    found.push({ what: 'question', says, here: cut(a.question), there: cut(b.question) })
  }
  return found
}

/** As questions are told from each other when they are paired. */
function wordsOf(question: string): string {
  return normalised(question).toLowerCase()
}

/** The system text as the ids have it, else as messages do, or the other way round; an empty text where messages have none. */
function promptOf({ trajectory, view }: LoadedTrajectory, tokenizer: Tokenizer | null, asStated: boolean): Prompt {
  const first = view?.segmentation?.turns[0]
  const inIds =
    tokenizer !== null && trajectory.ids !== null && first?.kind === 'system'
      ? decodeSpan(tokenizer.table, trajectory.ids, first.contentStart, first.contentEnd)
      : null
  const message = trajectory.messages?.find(({ role }) => role === 'system' || role === 'developer')
  const stated = trajectory.messages === null ? null : (message?.content ?? '')
  const question = firstQuestion(trajectory.messages)?.content ?? null
  const system = asStated ? (stated ?? inIds) : (inIds ?? stated)
  return { system, question, tools: trajectory.tools === null ? null : toolsOf(trajectory.tools) }
}

function textsSay(what: string, here: string | null, there: string | null): string[] {
  if (here === null || there === null) {
    return [`The ${here === null ? 'open' : 'second'} run does not tell its ${what}.`]
  }
  if (here === there) return []
  if (here === '') return [`The open run has no ${what}, the second has one.`]
  if (there === '') return [`The second run has no ${what}, the open one has.`]
  const shorter = Math.min(here.length, there.length)
  let at = 0
  while (at < shorter && here[at] === there[at]) at++
  if (at === shorter) {
    const [longer, by] = here.length > there.length ? ['open', here.length - at] : ['second', there.length - at]
    return [
      `The ${what} of the ${longer} run goes on for ${by} ${by === 1 ? 'character' : 'characters'} where the other ends.`,
    ]
  }
  return [`The ${what}s differ from character ${at} on (${here.length} and ${there.length} characters).`]
}

function toolsSay(here: Prompt['tools'], there: Prompt['tools']): string[] {
  if (here === null || there === null) {
    return [`The ${here === null ? 'open' : 'second'} run does not tell which tools inference was given.`]
  }
  const says: string[] = []
  const only = (own: NonNullable<Prompt['tools']>, other: NonNullable<Prompt['tools']>) =>
    [...own.keys()].filter((name) => !other.has(name))
  const [left, right] = [only(here, there), only(there, here)]
  if (left.length > 0) says.push(`Only the open run has ${left.join(', ')}.`)
  if (right.length > 0) says.push(`Only the second run has ${right.join(', ')}.`)
  for (const [name, { parameters, text }] of here) {
    const other = there.get(name)
    if (other === undefined) continue
    const missing = parameters.filter((parameter) => !other.parameters.includes(parameter))
    const added = other.parameters.filter((parameter) => !parameters.includes(parameter))
    if (missing.length > 0) says.push(`${name} has the parameter ${missing.join(', ')} in the open run only.`)
    if (added.length > 0) says.push(`${name} has the parameter ${added.join(', ')} in the second run only.`)
    if (missing.length + added.length === 0 && text !== other.text) says.push(`${name} is described otherwise.`)
  }
  return says
}

function toolsOf(tools: readonly unknown[]): NonNullable<Prompt['tools']> {
  return new Map(
    tools.map((tool) => {
      const { name, parameters } = toolSchema(tool)
      const listed = { parameters: [...(parameters?.keys() ?? [])].sort(), text: JSON.stringify(tool, null, 1) }
      return [name ?? 'a tool without a name', listed]
    }),
  )
}

function toolText(tools: Prompt['tools']): string | null {
  return tools === null ? null : cut([...tools.values()].map(({ text }) => text).join('\n'))
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS)}\n… ${text.length} characters in all`
}
