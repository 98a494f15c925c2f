import { KeptTexts } from '../texts/kept-texts.ts'

/** What Llama 3.1 calls its interpreter: code behind its tag is no call of the function that the code begins with. */
export const INTERPRETER = 'ipython'

/** What the first line of a program may be, and that of a call in Python's spelling is not. */
const CODE =
  /^```|^import \w|^from \S+ import |^(?:def|class|for|while|if|with|try)\b.*:|^[A-Za-z_][\w.,[\] ]*=|^print\s*\(/

/** The tool that a call names, `INTERPRETER` where it is a program; null where nothing tells. */
export function nameInCall(call: string): string | null {
  const name = /"name"\s*:\s*"([^"]+)"/.exec(call)?.[1]
  if (name !== undefined) return name
  const spelt = /(?<![\w.])[\d.]*([A-Za-z_][\w.]*)\s*\(/.exec(call)?.[1] ?? null
  const first = /^\s*(?:<[\w|]+>)?\s*(?:#[^\n]*\n\s*)*([^\n]*)/.exec(call)?.[1] ?? ''
  return spelt !== null && CODE.test(first) ? INTERPRETER : spelt
}

/**
 * Whether a prompt holds the schema of tools. Templates write it as a `# Tools` or `<tools>` block or as JSON with the names; people
 * write signatures, or the tag in which a query is to stand. Prose that declares a tool by name is enough only where the record itself has no schema that
 * could be missing.
 */
export function isDescribed(prompt: string, names: readonly string[], called: string | null): boolean {
  const asked = names.length > 0 ? `tools ${names.join('\n')}` : `called ${called}`
  const answers = described.of(prompt, () => new Map())
  let answer = answers.get(asked)
  if (answer === undefined) {
    if (answers.size >= MOST_KEPT) answers.clear()
    answers.set(asked, (answer = describes(prompt, names, called)))
  }
  return answer
}

/** The rollouts of a group have one prompt, and those of a run few tools. */
const MOST_KEPT = 64
const described = new KeptTexts<Map<string, boolean>>(MOST_KEPT)

function describes(prompt: string, names: readonly string[], called: string | null): boolean {
  if (BLOCK.test(prompt)) return true
  if (names.length === 0) {
    // The tag in which calls are to stand, be it spelt without its brackets.
    if (called === null || /\btool_call\b/.test(prompt)) return true
    return called === INTERPRETER ? SPEAKS_OF_CODE.test(prompt) : isDeclaredIn(prompt, called)
  }
  return names.some((name) => describesTool(prompt, name))
}

/** Whether a prompt tells how a tool is called: by its schema, a signature, a tag, a quoted name in a list. */
function describesTool(prompt: string, name: string): boolean {
  const escaped = escapedName(name)
  return new RegExp(
    `["'\`]${escaped}["'\`]\\s*[:,}\\])]|\\b${escaped}\\s*\\(|"name"\\s*:\\s*"${escaped}"|<${escaped}>|^Tools:.*\\b${escaped}\\b|${schemaOf(escaped)}`,
    'm',
  ).test(prompt)
}

/** How a prompt has a tool of which the record has no schema: by its schema in JSON or XML, as templates write it, or by no more than its name. */
export type WayOfTool = 'schema' | 'name'

/** Null where a prompt tells how to call the tool in its own words (a signature, a tag), and where its system text does not name it. */
export function wayOfTool(prompt: string, system: string, name: string): WayOfTool | null {
  const ways = waysKept.of(prompt, () => new Map())
  let way = ways.get(name)
  if (way === undefined) {
    if (ways.size >= MOST_KEPT) ways.clear()
    ways.set(name, (way = findWay(prompt, system, name)))
  }
  return way
}

const waysKept = new KeptTexts<Map<string, WayOfTool | null>>(MOST_KEPT)

function findWay(prompt: string, system: string, name: string): WayOfTool | null {
  const escaped = escapedName(name)
  const isNamed = new RegExp(`"name"\\s*:\\s*"${escaped}"|<name>\\s*${escaped}\\s*</name>`).test(prompt)
  if (isNamed && /"parameters"\s*:|<parameters>/.test(prompt)) return 'schema'
  const isForm = BLOCK.test(prompt) || /\btool_call\b/.test(prompt) || describesTool(prompt, name)
  return name !== INTERPRETER && !isForm && isDeclaredIn(system, name) ? 'name' : null
}

const BLOCK = /# Tools|<tools>|<tool_call>|"parameters"\s*:|AVAILABLE_TOOLS/

const SPEAKS_OF_CODE =
  /\bi?python\b|\binterpreter\b|\b(?:run|write|execut\w+) (?:\w+ )?code\b|\bcode[ -](?:execution|sandbox|tool|cell|block)|\bprint\s*\(/i

export function escapedName(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A pattern of what introduces a tool in YAML (`- name: search`) and in TypeScript (`type search = …`). */
function schemaOf(escaped: string): string {
  return `^[ \\t]*(?:[-*][ \\t]+)?[*_]*[Nn]ame[*_]*:[*_]*[ \\t]*["'\`]?${escaped}["'\`]?[ \\t]*$|\\btype[ \\t]+${escaped}[ \\t]*=`
}

/** A pattern of how a text sets a tool off that it describes: a schema, a heading of this name alone, a cell of a table. */
function setOff(escaped: string): RegExp {
  const name = `[*_\`]*${escaped}[*_\`]*[ \\t]*`
  return new RegExp(
    `${schemaOf(escaped)}|^#{1,6}[ \\t]+${name}(?:[:–—-].*)?$|\\|[ \\t]*${name}\\||^[ \\t]*${name}\\|`,
    'm',
  )
}

const LETTER = /[\p{L}\p{N}]/u
const LATIN = /[\p{Script=Latin}\p{N}]/u

/**
 * Whether prose declares a tool of this name. A name that is a word as well (`search`) is in prose that tells of no tool: it must be quoted or a tag, have
 * arguments, begin an item of a list, be set off as a heading is, or be called a tool. One that is spelt as no word is, that a server's prefix makes none
 * of, or that stands amid another script, stands there for the tool alone.
 */
function isDeclaredIn(text: string, name: string): boolean {
  if (name === '' || /[_.\d]|\p{Ll}\p{Lu}/u.test(name)) return isNamedIn(text, name)
  const places = placesOf(text, name)
  if (places.length > 0 && setOff(escapedName(name)).test(text)) return true
  return places.some((at) => {
    const before = text.slice(Math.max(0, at - NEAR), at)
    const after = text.slice(at + name.length, at + name.length + NEAR)
    if (before.endsWith('_') || (/["'`*<]$/.test(before) && /^["'`*>]/.test(after))) return true
    if (isAmidOtherScript(before, after)) return true
    if (/^\s*\(/.test(after) || /^[\s-]+(?:tool|function|command|action|api)s?\b/i.test(after)) return true
    if (/(?:^|\n)[ \t]*(?:[-*•+]|\d{1,2}[.)])?[ \t]*$/.test(before) && /^[ \t]*(?:[:–—-]|\n|$)/.test(after)) return true
    return /\b(?:tool|function|command|action|api)s?\b(?!.*\bto\b)[^.\n]*$/i.test(before)
  })
}

/** Characters around a name in which prose may say that it is one. */
const NEAR = 32

/** Whether the letters of a line that are next to a Latin name are of another script: it is no word of that language. */
function isAmidOtherScript(before: string, after: string): boolean {
  const letters = [/(\p{L})[^\p{L}\n]*$/u.exec(before)?.[1], /^[^\p{L}\n]*(\p{L})/u.exec(after)?.[1]]
  const near = letters.filter((letter) => letter !== undefined)
  return near.length > 0 && !near.some((letter) => LATIN.test(letter))
}

/**
 * Whether a prompt that describes tools has one of this name: it stands by itself, and elsewhere than within the longer title of a schema of parameters, which
 * pydantic makes of the name of a function (`search_args`) and no call can go by.
 */
export function isToolOf(prompt: string, name: string): boolean {
  return name === '' || placesOf(prompt, name).some((at) => !isWithinTitle(prompt, at, name))
}

function isWithinTitle(text: string, at: number, name: string): boolean {
  const title = /"title"\s*:\s*"([^"\n]*)$/.exec(text.slice(Math.max(0, at - LONGEST_TITLE), at))
  return title !== null && (title[1] !== '' || text.charAt(at + name.length) !== '"')
}

/** Characters from the key of a title to a name in it. */
const LONGEST_TITLE = 96

/** Whether a name stands by itself: `search` does in `wiki_search`, as servers of tools prefix it, and not in `research`. */
function isNamedIn(text: string, name: string): boolean {
  return name === '' || placesOf(text, name).length > 0
}

function placesOf(text: string, name: string): number[] {
  const places: number[] = []
  // Scripts without spaces write a Latin name right beside their own letters.
  const joined = /^[!-~]+$/.test(name) ? LATIN : LETTER
  for (let at = name === '' ? -1 : text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!joined.test(text.charAt(at - 1)) && !joined.test(text.charAt(at + name.length))) places.push(at)
  }
  return places
}
