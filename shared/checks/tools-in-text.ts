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
  const lines = text.split('\n')
  const alike: string[] = []
  // Tools that stand one upon another, and the empty lines between and behind them (Llama parts its tools by one).
  let [block, empty]: [string[], number] = [[], 0]
  const endBlock = () => {
    for (const tool of block.sort()) alike.push(tool)
    for (; empty > 0; empty--) alike.push('')
    block = []
  }
  let lastClosing = lines.lastIndexOf('}')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const isIndented = line === '{' && i < lastClosing
    const end = isIndented ? lines.indexOf('}', i) : i
    const tool = isIndented || isOnALine(line) ? toolAlike(lines.slice(i, end + 1).join('\n')) : null
    if (tool !== null) {
      block.push(tool)
      i = end
      continue
    }
    // What does not parse is no list of tools: nothing is looked for twice in a text of braces.
    if (isIndented) lastClosing = -1
    if (line === '' && block.length > 0) {
      empty++
      continue
    }
    endBlock()
    alike.push(line)
  }
  endBlock()
  return alike.join('\n')
}

function isOnALine(line: string): boolean {
  return (line.startsWith('{"') && line.endsWith('}')) || (line.startsWith('[{"') && line.endsWith('}]'))
}

/** Null where it does not parse, or is nested too deeply to be written again. */
function toolAlike(json: string): string | null {
  try {
    const parsed: unknown = JSON.parse(json)
    if (!Array.isArray(parsed)) return JSON.stringify(parsed, alikeValue)
    return JSON.stringify(parsed.map((tool) => JSON.stringify(tool, alikeValue)).sort())
  } catch {
    return null
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
