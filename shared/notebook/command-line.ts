import { isSecretName } from './secrets.ts'

/** A flag or a `key=value` of a command line, as it was written; a flag without a value is `true`, `--no-x` gives x `false`. */
export interface CommandParameter {
  readonly name: string
  readonly value: string
}

/** Words more than this are no command that a person typed. */
const MOST_WORDS = 5000

/**
 * The parameters of a training command as a shell would hand them over: quotes, comments, lines that go on behind a
 * backslash (with blanks or a comment after it, as they stand in notes), `export NAME=…` used further down. `--flag value`,
 * `--flag=value`, bare flags, and `key.path=value` as Hydra takes it. What is behind a pipe, `&&` or `;` is another command.
 */
export function parseCommand(text: string): CommandParameter[] {
  const variables = new Map<string, string>()
  const found: CommandParameter[] = []
  for (const words of commands(text)) {
    const line = words.map((word) => expand(word, variables))
    if (line[0] === 'export') {
      for (const word of line.slice(1)) keepVariable(word, variables)
      continue
    }
    found.push(...parametersOf(line, variables))
  }
  return found
}

function parametersOf(line: readonly string[], variables: Map<string, string>): CommandParameter[] {
  const found: CommandParameter[] = []
  let hasProgram = false
  for (let at = 0; at < line.length; at++) {
    const word = line[at] as string
    const flag = /^--?([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(word)
    if (flag !== null) {
      const [, name = '', given] = flag
      const next = line[at + 1]
      if (given !== undefined) found.push({ name, value: given })
      else if (next !== undefined && !isFlag(next) && !isKeyed(next)) {
        found.push({ name, value: next })
        at++
      } else if (/^no[-_]/.test(name)) found.push({ name: name.slice(3), value: 'false' })
      else found.push({ name, value: 'true' })
      continue
    }
    const keyed = /^\+{0,2}([A-Za-z_][\w.-]*)=([\s\S]*)$/.exec(word)
    if (keyed === null) hasProgram = true
    else if (isSecretName(keyed[1] as string)) continue
    // Before the program it is an environment variable, such as the devices.
    else if (hasProgram) found.push({ name: keyed[1] as string, value: keyed[2] as string })
    else variables.set(keyed[1] as string, keyed[2] as string)
  }
  return found
}

function isFlag(word: string): boolean {
  return /^--?[A-Za-z]/.test(word)
}

/** A dotted key of Hydra's, or an environment variable, which is no value of the flag before it. */
function isKeyed(word: string): boolean {
  return /^(?:\+{0,2}[A-Za-z_]\w*\.[\w.-]*|[A-Z][A-Z0-9]*_[A-Z0-9_]*)=/.test(word)
}

function keepVariable(word: string, variables: Map<string, string>): void {
  const at = word.indexOf('=')
  if (at > 0) variables.set(word.slice(0, at), word.slice(at + 1))
}

function expand(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$\{(\w+)\}|\$(\w+)/g, (whole, braced?: string, plain?: string) => {
    return variables.get(braced ?? plain ?? '') ?? whole
  })
}

/** The words of each command of the text. */
function commands(text: string): string[][] {
  const all: string[][] = []
  let words: string[] = []
  let word: string | null = null
  let skipping = false
  let count = 0
  const endWord = () => {
    if (word !== null && count++ < MOST_WORDS && !skipping) words.push(word)
    word = null
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) all.push(words)
    words = []
    skipping = false
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '\\') {
      const goesOn = /^\\[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(at, at + 400))
      if (goesOn !== null) {
        endWord()
        at += goesOn[0].length - 1
      } else {
        word = (word ?? '') + (text[at + 1] ?? '')
        at++
      }
    } else if (char === '"' || char === "'") {
      const end = closing(text, at, char)
      word = (word ?? '') + text.slice(at + 1, end)
      at = end
    } else if (char === '#' && word === null) {
      const end = text.indexOf('\n', at)
      at = (end === -1 ? text.length : end) - 1
    } else if (char === '\n' || char === ';') endCommand()
    else if (/\s/.test(char)) endWord()
    else if (char === '|' || char === '&' || char === '>' || char === '<') {
      // `2>&1`: the number belongs to the redirection.
      if (word !== null && /^\d$/.test(word)) word = null
      endWord()
      skipping = true
      if ((char === '|' || char === '&') && text[at + 1] === char) {
        endCommand()
        at++
      }
    } else word = (word ?? '') + char
  }
  endCommand()
  return all
}

/** Where a quotation ends; the end of the text where nothing closes it. */
function closing(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++
    else if (text[at] === quote) return at
  }
  return text.length
}
