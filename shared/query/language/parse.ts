import type { Columns, ParsedQuery, QueryNode, QueryProblem } from './ast.ts'
import { ClauseReader, columnsOf, sortedFlags } from './clause-reader.ts'
import { exampleOf, operatorsOf } from './field-values.ts'
import { fieldNamed } from './fields.ts'
import { lexQuery, type QueryToken } from './lex.ts'

/** A query that a person writes is far shorter; what is longer is refused, not read. */
export const MOST_CHARACTERS = 4000
const MOST_DEPTH = 40

export interface ParseOptions {
  /** Codes of all checks; with them a code that no check has is a problem. */
  readonly codes?: readonly string[]
}

/**
 * Reads a query. Never throws and always ends: what is wrong is listed with its columns, and then there is no tree.
 * An empty query has neither.
 */
export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  if (text.length > MOST_CHARACTERS) {
    const message = `A query has at most ${MOST_CHARACTERS} characters; this one has ${text.length}.`
    return { text, root: null, problems: [{ from: MOST_CHARACTERS, to: text.length, message, expected: [] }] }
  }
  const parser = new Parser(text, lexQuery(text), options)
  const root = parser.whole()
  const problems = parser.problems.sort((a, b) => a.from - b.from)
  return { text, root: problems.length === 0 ? root : null, problems }
}

/** How terms stand together: `or`, `and`, negations, parentheses. What a clause means is `ClauseReader`'s. */
class Parser {
  readonly problems: QueryProblem[] = []
  private at = 0
  private depth = 0
  /** So deep that it said so: the rest would only say it again. */
  private isTooDeep = false

  private readonly clauses: ClauseReader

  constructor(
    text: string,
    private readonly tokens: readonly QueryToken[],
    { codes }: ParseOptions,
  ) {
    this.clauses = new ClauseReader(text, codes, (where, message, expected) => this.problem(where, message, expected))
  }

  whole(): QueryNode | null {
    const parts: QueryNode[] = []
    while (this.at < this.tokens.length && !this.isTooDeep) {
      const node = this.any()
      if (node !== null) parts.push(node)
      const token = this.tokens[this.at]
      if (token === undefined) break
      // Only a parenthesis that nothing opened stops a query before its end.
      this.problem(token, 'Nothing was opened that this parenthesis could close.')
      this.at++
    }
    return parts.length === 1 ? (parts[0] as QueryNode) : null
  }

  /** `a or b`. Null where nothing readable stands; a problem then says why, unless the query is empty. */
  private any(): QueryNode | null {
    const nodes = [this.all()]
    for (let token = this.tokens[this.at]; token?.kind === 'or' && !this.isTooDeep; token = this.tokens[this.at]) {
      this.at++
      const isMissing = this.isAtEnd()
      if (nodes.at(-1) === null && nodes.length === 1 && this.problems.length === 0)
        this.problem(token, 'Something has to stand before `or`.', EXPECTED_TERM)
      if (isMissing) {
        this.problem(token, 'Something has to stand after `or`.', EXPECTED_TERM)
        break
      }
      nodes.push(this.all())
    }
    return joined('any', nodes)
  }

  /** Terms beside each other, all of which must hold. */
  private all(): QueryNode | null {
    const nodes: (QueryNode | null)[] = []
    for (;;) {
      const token = this.tokens[this.at]
      if (token === undefined || token.kind === 'or' || token.kind === 'close' || this.isTooDeep) break
      if (token.kind === 'and') {
        this.at++
        if (nodes.length === 0) this.problem(token, 'Something has to stand before `and`.', EXPECTED_TERM)
        if (this.isAtEnd()) this.problem(token, 'Something has to stand after `and`.', EXPECTED_TERM)
        continue
      }
      nodes.push(this.term(token))
    }
    return joined('all', nodes)
  }

  private isAtEnd(): boolean {
    const kind = this.tokens[this.at]?.kind
    return kind === undefined || kind === 'close' || kind === 'or'
  }

  private term(token: QueryToken): QueryNode | null {
    if (this.depth >= MOST_DEPTH) {
      this.isTooDeep = true
      this.problem(token, `Parentheses and negations go at most ${MOST_DEPTH} deep.`)
      return null
    }
    this.depth++
    const node = this.termHere(token)
    this.depth--
    return node
  }

  private termHere(token: QueryToken): QueryNode | null {
    this.at++
    switch (token.kind) {
      case 'not':
        return this.negation(token)
      case 'open':
        return this.group(token)
      case 'quoted':
        return this.quoted(token)
      case 'word':
        return this.word(token)
      case 'regex':
        return this.clauses.isRegex(token)
          ? { kind: 'regex', source: token.source, flags: sortedFlags(token.flags), columns: columnsOf(token) }
          : null
      case 'clause':
        return this.clauses.read(token)
      case 'stray':
        this.problem(
          token,
          'A comparison needs a field before it. To search for this text, put it into quotes.',
          FIELDS,
        )
        return null
      default:
        return null
    }
  }

  private negation(token: QueryToken): QueryNode | null {
    const next = this.tokens[this.at]
    if (next === undefined || this.isAtEnd() || next.kind === 'and') {
      this.problem(token, 'Something has to stand after a negation.', EXPECTED_TERM)
      return null
    }
    const node = this.term(next)
    return node === null ? null : { kind: 'not', node, columns: { from: token.from, to: node.columns.to } }
  }

  private group(open: QueryToken): QueryNode | null {
    const before = this.problems.length
    const node = this.any()
    const close = this.tokens[this.at]
    if (close?.kind !== 'close') {
      if (!this.isTooDeep) this.problem(open, 'This parenthesis is never closed.', [')'])
      return null
    }
    this.at++
    if (node === null) {
      if (this.problems.length === before)
        this.problem({ from: open.from, to: close.to }, 'Nothing stands between these parentheses.', EXPECTED_TERM)
      return null
    }
    return { ...node, columns: { from: open.from, to: close.to } }
  }

  private quoted(token: QueryToken & { kind: 'quoted' | 'word' }): QueryNode | null {
    if (!this.clauses.isClosed(token)) return null
    if (token.text === '') {
      this.problem(token, 'There is no text between these quotes to search for.')
      return null
    }
    return { kind: 'text', text: token.text, columns: columnsOf(token) }
  }

  private word(token: QueryToken & { kind: 'word' | 'quoted' }): QueryNode | null {
    const field = fieldNamed(token.text)
    if (field === null) return { kind: 'text', text: token.text, columns: columnsOf(token) }
    if (field.type === 'flag')
      return { kind: 'clause', field: field.name, component: null, test: { kind: 'is' }, columns: columnsOf(token) }
    this.problem(
      token,
      `\`${field.name}\` is a field: it needs a value, as in \`${exampleOf(field)}\`. To search for the word, put it into quotes.`,
      operatorsOf(field),
    )
    return null
  }

  private problem({ from, to }: Columns, message: string, expected: readonly string[] = []): void {
    this.problems.push({ from, to, message, expected })
  }
}

const FIELDS = ['a field']
const EXPECTED_TERM = ['a field', 'a text', 'a regular expression', '(']

/** What is written beside each other without a field, or is one of several, as one node; one alone is itself. */
function joined(kind: 'all' | 'any', given: readonly (QueryNode | null)[]): QueryNode | null {
  const nodes = given.filter((node) => node !== null)
  const [first] = nodes
  const last = nodes.at(-1)
  if (first === undefined || last === undefined) return null
  if (nodes.length === 1) return first
  return { kind, nodes, columns: { from: first.columns.from, to: last.columns.to } }
}
