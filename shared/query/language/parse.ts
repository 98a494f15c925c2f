import { closestNames } from '../../model/closest-name.ts'
import type { Columns, Item, ParsedQuery, QueryNode, QueryProblem, Test } from './ast.ts'
import { FIELD_NAMES, fieldNamed, type QueryField } from './fields.ts'
import { lexQuery, type QueryToken, type RawItem } from './lex.ts'
import { compileRegex } from './regex.ts'

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

class Parser {
  readonly problems: QueryProblem[] = []
  private at = 0
  private depth = 0
  /** So deep that it said so: the rest would only say it again. */
  private isTooDeep = false

  constructor(
    private readonly text: string,
    private readonly tokens: readonly QueryToken[],
    private readonly options: ParseOptions,
  ) {}

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
        return this.isRegex(token)
          ? { kind: 'regex', source: token.source, flags: sorted(token.flags), columns: columnsOf(token) }
          : null
      case 'clause':
        return this.clause(token)
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
    if (!this.isClosed(token)) return null
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

  private isRegex(token: { source: string; flags: string; isClosed: boolean } & Columns): boolean {
    if (!token.isClosed) {
      this.problem(
        token,
        'This regular expression is never closed. It ends with `/`; to search for a text with a slash, put it into quotes.',
        ['/'],
      )
      return false
    }
    try {
      compileRegex(token.source, token.flags)
      return true
    } catch (error) {
      this.problem(token, error instanceof Error ? error.message : String(error))
      return false
    }
  }

  private isClosed(token: { isClosed: boolean } & Columns): boolean {
    if (!token.isClosed) this.problem({ from: token.from, to: token.to }, 'This quote is never closed.', ['"'])
    return token.isClosed
  }

  private clause(token: QueryToken & { kind: 'clause' }): QueryNode | null {
    const { name, operator } = token
    const found = this.fieldOf(name)
    if (found === null) return null
    const { field, component } = found
    const test = this.test(token, field)
    if (test === null) return null
    if (field.type === 'flag') {
      const node: QueryNode = {
        kind: 'clause',
        field: field.name,
        component,
        test: { kind: 'is' },
        columns: columnsOf(token),
      }
      return isNo(token) !== (operator.text === '!=') ? { kind: 'not', node, columns: columnsOf(token) } : node
    }
    return { kind: 'clause', field: field.name, component, test, columns: columnsOf(token) }
  }

  private fieldOf({
    text,
    from,
    to,
  }: Columns & { text: string }): { field: QueryField; component: string | null } | null {
    const dot = text.indexOf('.')
    const base = dot < 0 ? text : text.slice(0, dot)
    const field = fieldNamed(base)
    if (field !== null && dot < 0) return { field, component: null }
    if (field?.hasComponents) return { field, component: text.slice(dot + 1) }
    if (field !== null) {
      this.problem({ from: from + dot, to }, `\`${field.name}\` has no parts.`)
      return null
    }
    const near = closestNames(base.toLowerCase(), FIELD_NAMES, 3)
    const meant = near.length === 0 ? '' : ` Did you mean ${orList(near.map((each) => `\`${each}\``))}?`
    this.problem(
      { from, to },
      `There is no field \`${text}\`.${meant} To search for a text with such a sign, put it into quotes.`,
      near,
    )
    return null
  }

  private test(token: QueryToken & { kind: 'clause' }, field: QueryField): Test | null {
    const { operator, items } = token
    const last = this.text.slice(token.from, token.to).endsWith(',')
    if (items.length === 0 || last) {
      const where = last ? { from: token.to - 1, to: token.to } : operator
      this.problem(where, `A value has to follow, as in \`${exampleOf(field)}\`.`, valuesOf(field))
      return null
    }
    if (field.type === 'flag') return this.flagTest(token, field)
    if (isComparison(operator.text)) return this.comparison(token, field, operator.text)
    const read = items.map((item) => this.item(item, field))
    if (read.some((item) => item === null)) return null
    return { kind: 'among', items: read as Item[], differs: operator.text === '!=' }
  }

  private flagTest({ operator, items }: QueryToken & { kind: 'clause' }, field: QueryField): Test | null {
    const [item] = items
    const isYesOrNo = item?.kind === 'word' && /^(yes|no|true|false)$/i.test(item.text)
    if (items.length === 1 && isYesOrNo && !isComparison(operator.text)) return { kind: 'is' }
    const where = item ?? operator
    this.problem(where, `\`${field.name}\` stands alone: \`${field.name}\` or \`-${field.name}\`.`, ['yes', 'no'])
    return null
  }

  private comparison(
    { operator, items }: QueryToken & { kind: 'clause' },
    field: QueryField,
    comparison: '<' | '<=' | '>' | '>=',
  ): Test | null {
    if (field.type !== 'number') {
      this.problem(operator, `\`${field.name}\` holds words, which have no order. Write \`${field.name}:\`.`, [
        ':',
        '!=',
      ])
      return null
    }
    const [item, second] = items
    const value = item?.kind === 'word' ? numberOf(item.text, field) : null
    if (value === null) {
      this.problem(item ?? operator, `A number has to follow \`${operator.text}\`${unitHint(field)}.`, ['a number'])
      return null
    }
    if (second !== undefined) {
      this.problem(second, 'A comparison takes one number. Write a list behind `:`.')
      return null
    }
    return { kind: 'compare', comparison, value }
  }

  private item(item: RawItem, field: QueryField): Item | null {
    if (item.kind === 'regex') {
      if (field.type === 'text') {
        return this.isRegex(item) ? { kind: 'regex', source: item.source, flags: sorted(item.flags) } : null
      }
      this.problem(item, `\`${field.name}\` takes no regular expression.`, valuesOf(field))
      return null
    }
    if (!this.isClosed(item)) return null
    if (field.type === 'number') return this.numberItem(item, field)
    return this.wordItem(item, field)
  }

  private numberItem(item: RawItem & { kind: 'word' | 'quoted' }, field: QueryField): Item | null {
    const value = numberOf(item.text, field)
    if (value !== null) return { kind: 'number', value }
    const known = choiceOf(field, item.text)
    if (known !== null) return { kind: 'word', text: known }
    const ends = /^(.*?)\.\.(.*)$/s.exec(item.text)
    if (ends !== null) {
      const [least, most] = [ends[1] as string, ends[2] as string].map((end) =>
        end === '' ? null : numberOf(end, field),
      )
      const isRead = (ends[1] === '' || least !== null) && (ends[2] === '' || most !== null)
      if (isRead && (least ?? most ?? null) !== null) {
        if (least !== null && most !== null && least !== undefined && most !== undefined && least > most) {
          this.problem(item, `This range ends before it begins: write \`${ends[2]}..${ends[1]}\`.`)
          return null
        }
        return { kind: 'range', least: least ?? null, most: most ?? null }
      }
    }
    const words = field.choices.map(({ value: word }) => word)
    const orWord = words.length === 0 ? '' : `, or one of ${words.join(', ')}`
    this.problem(
      item,
      `\`${item.text}\` is no number${unitHint(field)}, no range such as \`2..5\`${orWord}.`,
      valuesOf(field),
    )
    return null
  }

  private wordItem(item: RawItem & { kind: 'word' | 'quoted' }, field: QueryField): Item | null {
    if (item.text === '') {
      this.problem(item, 'There is nothing between these quotes.', valuesOf(field))
      return null
    }
    const isGlob = item.kind === 'word' && item.text.includes('*')
    if (field.type === 'text') return { kind: isGlob ? 'glob' : 'word', text: item.text }
    const known = choiceOf(field, item.text)
    if (known !== null) return { kind: 'word', text: known }
    if (field.name === 'finding') return this.code(item, isGlob)
    if (field.open) return { kind: isGlob ? 'glob' : 'word', text: item.text }
    const words = field.choices.map(({ value }) => value)
    const near = closestNames(item.text.toLowerCase(), words, 2)
    const meant = near.length === 0 ? '' : ` Did you mean ${orList(near.map((each) => `\`${each}\``))}?`
    this.problem(item, `\`${field.name}\` is never \`${item.text}\`.${meant} There are ${words.join(', ')}.`, words)
    return null
  }

  private code(item: RawItem & { kind: 'word' | 'quoted' }, isGlob: boolean): Item | null {
    const code = item.text.toUpperCase()
    if (isGlob) return { kind: 'glob', text: code }
    const { codes } = this.options
    const isKnown = codes === undefined ? /^[A-Z]\d\d$/.test(code) : codes.includes(code)
    if (isKnown) return { kind: 'word', text: code }
    const near = codes === undefined ? [] : closestNames(code, codes, 3)
    const meant = near.length === 0 ? '' : ` Did you mean ${orList(near)}?`
    this.problem(
      item,
      `No check has the code \`${item.text}\`.${meant} A code is a letter and two digits, as in M01.`,
      near,
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

function columnsOf({ from, to }: Columns): Columns {
  return { from, to }
}

function sorted(flags: string): string {
  return [...new Set(flags)].sort().join('')
}

function isComparison(operator: string): operator is '<' | '<=' | '>' | '>=' {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>='
}

function isNo({ items }: QueryToken & { kind: 'clause' }): boolean {
  const [item] = items
  return item?.kind === 'word' && /^(no|false)$/i.test(item.text)
}

function choiceOf(field: QueryField, text: string): string | null {
  const wanted = text.toLowerCase()
  return field.choices.find(({ value }) => value === wanted)?.value ?? null
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Null where it is none. Percentages are for shares. */
function numberOf(text: string, field: QueryField): number | null {
  const isPercent = text.endsWith('%') && field.unit === 'share'
  const digits = isPercent ? text.slice(0, -1) : text
  if (/^[+-]?inf(inity)?$/i.test(digits))
    return digits.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!NUMBER.test(digits)) return null
  // Zero has no sign here: it would not be written back.
  return Number(digits) / (isPercent ? 100 : 1) + 0
}

function unitHint(field: QueryField): string {
  return field.unit === 'share' ? ' (a share such as `0.1` or `10%`)' : ''
}

/** Of the field alone: the first clause of its example. */
function exampleOf(field: QueryField): string {
  return field.example.split(' ').find((clause) => clause.replace(/^-/, '').startsWith(field.name)) ?? field.example
}

/** What may stand behind a field's name. */
export function operatorsOf(field: QueryField): string[] {
  if (field.type === 'flag') return []
  return field.type === 'number' ? ['>=', '<=', '>', '<', ':', '!='] : [':', '!=']
}

function valuesOf(field: QueryField): string[] {
  const words = field.choices.map(({ value }) => value)
  if (field.type === 'number') return ['a number', 'a range', ...words]
  return field.type === 'text' ? ['a word', 'a quoted text', 'a regular expression'] : words
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
