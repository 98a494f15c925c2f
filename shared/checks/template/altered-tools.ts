import { type ToolSchema, toolSchema } from '../../model/tool-schema.ts'
import { KeptTexts } from '../texts/kept-texts.ts'
import { normalised } from '../texts/normalised-text.ts'
import { escapedName } from './declared-tools.ts'

/** Whether both say something, and not the same. */
function areOtherWords(a: unknown, b: unknown): boolean {
  if (a === b) return false
  const [words, others] = [wordsOf(a), wordsOf(b)]
  return words !== null && others !== null && words !== others
}

function wordsOf(value: unknown): string | null {
  const words = typeof value === 'string' ? normalised(value) : ''
  return words === '' ? null : words
}

/** Rollouts of a run share few prompts' worth of schemas. */
const kept = new KeptTexts<readonly ToolSchema[]>(64)

/** What a prompt says otherwise of a tool that it and the record have. */
export interface AlteredTool {
  readonly name: string
  /** In words: `another description`. */
  readonly differences: readonly string[]
  /** Parameters, or types of them, differ; else only words do. */
  readonly takesOthers: boolean
  /** Parameters that only the prompt has. */
  readonly ofPrompt: readonly string[]
}

export function alteredTools(prompt: string, tools: readonly unknown[]): AlteredTool[] {
  const written = new Map(schemasIn(prompt).map((schema) => [schema.name, schema]))
  const altered: AlteredTool[] = []
  for (const tool of tools) {
    const own = toolSchema(tool)
    const shown = own.name === null ? undefined : written.get(own.name)
    if (own.name === null || shown === undefined) continue
    const found = alterationOf(own.name, own, shown)
    if (found.differences.length > 0) altered.push(found)
  }
  return altered
}

/** Only what both say is compared. */
function alterationOf(name: string, own: ToolSchema, shown: ToolSchema): AlteredTool {
  const differences: string[] = []
  if (areOtherWords(own.description, shown.description)) differences.push('another description')
  if (own.parameters === null || shown.parameters === null) {
    return { name, differences, takesOthers: false, ofPrompt: [] }
  }
  const lacking = [...own.parameters.keys()].filter((key) => !shown.parameters?.has(key))
  const ofPrompt = [...shown.parameters.keys()].filter((key) => !own.parameters?.has(key))
  if (lacking.length > 0) differences.push(`no parameter ${lacking.join(', ')}`)
  if (ofPrompt.length > 0) differences.push(`a parameter ${ofPrompt.join(', ')} that the record's has not`)
  let takesOthers = lacking.length + ofPrompt.length > 0
  for (const [key, { type, description }] of own.parameters) {
    const other = shown.parameters.get(key)
    if (typeof type === 'string' && typeof other?.type === 'string' && type !== other.type) {
      differences.push(`parameter ${key} is ${other.type}, not ${type}`)
      takesOthers = true
    }
    if (areOtherWords(description, other?.description)) {
      differences.push(`another description of parameter ${key}`)
    }
  }
  return { name, differences, takesOthers, ofPrompt }
}

/** Whether a call of the tool gives it a parameter that only the prompt has: then the model saw what stands in the prompt. */
export function followsPrompt(call: string, { ofPrompt }: AlteredTool): boolean {
  return ofPrompt.some((key) => new RegExp(`(?<![\\w.-])${escapedName(key)}["'\`]?\\s*[:=>]`).test(call))
}

/** The schemas that stand in a prompt as JSON, one to a line or over several. */
function schemasIn(prompt: string): readonly ToolSchema[] {
  const start = prompt.indexOf('{')
  const end = prompt.lastIndexOf('}')
  return start < 0 || end < start ? [] : kept.of(prompt.slice(start, end + 1), findSchemas)
}

function findSchemas(text: string): readonly ToolSchema[] {
  const found: ToolSchema[] = []
  for (let at = text.indexOf('{'), tried = 0; at >= 0 && tried < MOST_TRIED; tried++) {
    const end = endOfObject(text, at)
    const schema = end < 0 ? null : toolSchema(parsed(text.slice(at, end)))
    const isNamed = schema !== null && schema.name !== null
    // What is no schema may hold one: an example of a call stands beside prose in braces.
    if (isNamed && (schema.parameters || wordsOf(schema.description))) found.push(schema)
    at = text.indexOf('{', isNamed ? end : at + 1)
  }
  return found
}

/** Behind the brace that closes the one at `start`; -1 where none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let quoted = false
  const end = Math.min(text.length, start + LONGEST_SCHEMA)
  for (let i = start; i < end; i++) {
    const character = text[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return i + 1
  }
  return -1
}

/** Characters; a schema that is longer is not compared. */
const LONGEST_SCHEMA = 1 << 14
/** Braces that are looked behind, so that a prompt full of them costs no more. */
const MOST_TRIED = 512

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
