import type { Columns } from './ast.ts'

/** A value behind an operator, as written. */
export type RawItem = Columns &
  (
    | { readonly kind: 'word' | 'quoted'; readonly text: string; readonly isClosed: boolean }
    | { readonly kind: 'regex'; readonly source: string; readonly flags: string; readonly isClosed: boolean }
  )

export type Operator = ':' | '=' | '!=' | '<' | '<=' | '>' | '>='

export type QueryToken = Columns &
  (
    | { readonly kind: 'open' | 'close' | 'or' | 'and' | 'not' }
    /** A character that begins nothing: an operator without a field. */
    | { readonly kind: 'stray' }
    | { readonly kind: 'word' | 'quoted'; readonly text: string; readonly isClosed: boolean }
    | { readonly kind: 'regex'; readonly source: string; readonly flags: string; readonly isClosed: boolean }
    | {
        readonly kind: 'clause'
        readonly name: Columns & { readonly text: string }
        readonly operator: Columns & { readonly text: Operator }
        /** Empty where nothing follows the operator. */
        readonly items: readonly RawItem[]
      }
  )

const SPACE = /\s/
const NAME = /[A-Za-z_][A-Za-z0-9_]*(?:\.[^\s:<>=!≤≥≠()|",]+)?/y
/** Two characters before one. */
const OPERATOR = /!=|<=|>=|==|[:=<>≤≥≠]/y
const SPELLINGS: Readonly<Record<string, Operator>> = { '==': '=', '≤': '<=', '≥': '>=', '≠': '!=' }
const WORD_END = /[\s()|"“”]/
const ITEM_END = /[\s()|",“”]/
const CLOSING: Readonly<Record<string, string>> = { '"': '"', '“': '”', '”': '”' }
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** Cuts a query into tokens. Never throws: what is not closed says so, what is no token is `stray`. */
export function lexQuery(text: string): QueryToken[] {
  const tokens: QueryToken[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at = skipSpace(text, token.to)
  }
  return tokens
}

function tokenAt(text: string, at: number): QueryToken {
  const character = text[at] as string
  const next = text[at + 1]
  if (character === '(') return { kind: 'open', from: at, to: at + 1 }
  if (character === ')') return { kind: 'close', from: at, to: at + 1 }
  if (character === '|') return { kind: 'or', from: at, to: text[at + 1] === '|' ? at + 2 : at + 1 }
  if (character === '-' && next !== undefined && !SPACE.test(next)) return { kind: 'not', from: at, to: at + 1 }
  if (character in CLOSING) return quotedAt(text, at)
  if (character === '/') return regexAt(text, at)
  if (matchAt(OPERATOR, text, at) !== null) return { kind: 'stray', from: at, to: at + 1 }
  const name = matchAt(NAME, text, at)
  const clause = name === null ? null : clauseAt(text, at, name)
  if (clause !== null) return clause
  const to = endOf(text, at, WORD_END)
  const word = text.slice(at, to)
  const keyword = word.toLowerCase()
  if (keyword === 'or' || keyword === 'and' || keyword === 'not') return { kind: keyword, from: at, to }
  return { kind: 'word', from: at, to, text: word, isClosed: true }
}

/** A name and an operator; spaces may stand around a comparison, and behind a colon. */
function clauseAt(text: string, at: number, name: string): QueryToken | null {
  const nameEnd = at + name.length
  const operatorAt = skipSpace(text, nameEnd)
  const spelt = matchAt(OPERATOR, text, operatorAt)
  if (spelt === null || (spelt === ':' && operatorAt > nameEnd)) return null
  const operatorEnd = operatorAt + spelt.length
  const items: RawItem[] = []
  let end = operatorEnd
  let itemAt = skipSpace(text, operatorEnd)
  for (;;) {
    const item = itemFrom(text, itemAt)
    if (item === null) break
    items.push(item)
    end = item.to
    if (text[end] !== ',') break
    itemAt = skipSpace(text, end + 1)
    end += 1
  }
  return {
    kind: 'clause',
    from: at,
    to: end,
    name: { from: at, to: nameEnd, text: name },
    operator: { from: operatorAt, to: operatorEnd, text: SPELLINGS[spelt] ?? (spelt as Operator) },
    items,
  }
}

function itemFrom(text: string, at: number): RawItem | null {
  const character = text[at]
  if (character === undefined) return null
  if (character in CLOSING) return quotedAt(text, at)
  if (character === '/') return regexAt(text, at)
  const to = endOf(text, at, ITEM_END)
  return to === at ? null : { kind: 'word', from: at, to, text: text.slice(at, to), isClosed: true }
}

function quotedAt(text: string, from: number) {
  const closing = CLOSING[text[from] as string] as string
  let unquoted = ''
  let at = from + 1
  while (at < text.length && text[at] !== closing) {
    if (text[at] === '\\' && at + 1 < text.length) {
      const escaped = text[++at] as string
      unquoted += ESCAPES[escaped] ?? escaped
    } else unquoted += text[at]
    at++
  }
  const isClosed = at < text.length
  return { kind: 'quoted', from, to: isClosed ? at + 1 : at, text: unquoted, isClosed } as const
}

function regexAt(text: string, from: number) {
  let at = from + 1
  let inClass = false
  while (at < text.length && (text[at] !== '/' || inClass)) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    at++
  }
  const isClosed = at < text.length
  const source = text.slice(from + 1, Math.min(at, text.length))
  if (!isClosed) return { kind: 'regex', from, to: text.length, source, flags: '', isClosed } as const
  let to = at + 1
  while (to < text.length && /[A-Za-z]/.test(text[to] as string)) to++
  return { kind: 'regex', from, to, source, flags: text.slice(at + 1, to), isClosed } as const
}

function endOf(text: string, from: number, end: RegExp): number {
  let at = from
  while (at < text.length && !end.test(text[at] as string)) at++
  return at
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && SPACE.test(text[at] as string)) at++
  return at
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
