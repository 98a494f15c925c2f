import { toolSchema } from '../../model/tool-schema.ts'

/** Ids that a program makes up anew: no description of a tool is told from another by them. */
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi

export function withoutUuids(text: string): string {
  return text.replace(UUID, '')
}

/**
 * A text in which the tools that a template wrote as JSON, each on a line of its own or indented from a line `{` to a line `}`, stand alike however
 * their keys and they themselves are ordered, and whatever ids were made up for them. All else stays as it is, as does what does not parse.
 */
export function withToolsAlike(text: string): string {
  if (!/^[[{]/m.test(text)) return text
  const alike: string[] = []
  // Tools that stand one upon another, and the empty lines between and behind them (Llama parts its tools by one).
  let [block, empty]: [string[], number] = [[], 0]
  const endBlock = () => {
    for (const tool of block.sort()) alike.push(tool)
    for (; empty > 0; empty--) alike.push('')
    block = []
  }
  readLines(text, (line, tool) => {
    if (tool !== null) block.push(alikeText(tool.json, tool.parsed))
    else if (line === '' && block.length > 0) empty++
    else {
      endBlock()
      alike.push(line)
    }
  })
  endBlock()
  return alike.join('\n')
}

/** The tools that a template wrote into a text as JSON, and all other lines of it. */
export interface ToolsInText {
  readonly tools: readonly unknown[]
  readonly beside: string
}

/** Null where a text has no schema of a tool: a call that it shows as an example, or any other JSON, is none. */
export function toolsInText(text: string): ToolsInText | null {
  if (!/^[[{]/m.test(text)) return null
  const tools: unknown[] = []
  const beside: string[] = []
  readLines(text, (line, found) => {
    const listed = found === null ? [] : [found.parsed].flat()
    if (listed.length > 0 && listed.every(isSchema)) tools.push(...listed)
    else beside.push(found?.json ?? line)
  })
  return tools.length === 0 ? null : { tools, beside: beside.join('\n') }
}

/** Lines that begin what ChatML templates write behind the system message for tools, and what Llama's writes before it. */
const BLOCK_BEHIND = /\n{0,2}^(?:#+ Tools[ \t]*$|<tools>)/m
const BLOCK_BEFORE = /^You have access to the following functions\./m

/** A system text without what a template wrote into it for tools; as it is where it wrote nothing that is known. */
export function withoutToolBlock(text: string): string {
  const behind = text.search(BLOCK_BEHIND)
  if (behind >= 0) return text.slice(0, behind)
  const before = text.search(BLOCK_BEFORE)
  const last = before < 0 ? -1 : text.lastIndexOf('}\n\n')
  return last < 0 || last < before ? text : text.slice(0, before) + text.slice(text.indexOf('\n\n', last) + 2)
}

function isSchema(tool: unknown): boolean {
  const { name, parameters } = toolSchema(tool)
  return name !== null && parameters !== null
}

interface JsonInText {
  readonly json: string
  readonly parsed: unknown
}

/** Each line of a text, with the JSON that stands on it, or that begins on it and is indented; the lines of such are one. */
function readLines(text: string, see: (line: string, json: JsonInText | null) => void): void {
  const lines = text.split('\n')
  let lastClosing = lines.lastIndexOf('}')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const isIndented = line === '{' && i < lastClosing
    const end = isIndented ? lines.indexOf('}', i) : i
    const json = isIndented || isOnALine(line) ? parsedJson(lines.slice(i, end + 1).join('\n')) : null
    // What does not parse is no list of tools: nothing is looked for twice in a text of braces.
    if (json === null && isIndented) lastClosing = -1
    if (json !== null) i = end
    see(line, json)
  }
}

function isOnALine(line: string): boolean {
  return (line.startsWith('{"') && line.endsWith('}')) || (line.startsWith('[{"') && line.endsWith('}]'))
}

function parsedJson(json: string): JsonInText | null {
  try {
    return { json, parsed: JSON.parse(json) }
  } catch {
    return null
  }
}

/** As it stands where it is nested too deeply to be written again. */
function alikeText(json: string, parsed: unknown): string {
  try {
    if (!Array.isArray(parsed)) return JSON.stringify(parsed, alikeValue)
    return JSON.stringify(parsed.map((tool) => JSON.stringify(tool, alikeValue)).sort())
  } catch {
    return json
  }
}

/** A parameter of the name `id` is described by an object; an id that was made up is a text. */
function alikeValue(_: string, value: unknown): unknown {
  if (typeof value === 'string') return withoutUuids(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.entries(value)
    .filter(([key, each]) => !(MADE_UP.has(key) && typeof each === 'string'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const MADE_UP: ReadonlySet<string> = new Set(['id', '$id', 'tool_call_id', 'call_id'])
