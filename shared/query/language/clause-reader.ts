import { closestNames } from '../../model/closest-name.ts'
import type { Columns, Item, QueryNode, Test } from './ast.ts'
import type { QueryField } from './field.ts'
import { choiceOf, exampleOf, numberOf, orList, unitHint, valuesOf } from './field-values.ts'
import { FIELD_NAMES, fieldNamed } from './fields.ts'
import type { QueryToken, RawItem } from './lex.ts'
import { compileRegex } from './regex.ts'

/** Reads single clauses, each against its field: `reward>=0.5`, `end:length,cut-call`. */
export class ClauseReader {
  /**
   * @param text of the whole query
   * @param codes of all checks; undefined: any code may be one
   * @param problem is told what cannot be read, where, and what could stand there
   */
  constructor(
    private readonly text: string,
    private readonly codes: readonly string[] | undefined,
    private readonly problem: (where: Columns, message: string, expected?: readonly string[]) => void,
  ) {}

  /** Whether it can be compiled; says why not. */
  isRegex(token: { source: string; flags: string; isClosed: boolean } & Columns): boolean {
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

  /** Whether its quotes are closed; says so where they are not. */
  isClosed(token: { isClosed: boolean } & Columns): boolean {
    if (!token.isClosed) this.problem({ from: token.from, to: token.to }, 'This quote is never closed.', ['"'])
    return token.isClosed
  }

  /** `field:value`; null where it cannot be, and a problem then says why. */
  read(token: QueryToken & { kind: 'clause' }): QueryNode | null {
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
        return this.isRegex(item) ? { kind: 'regex', source: item.source, flags: sortedFlags(item.flags) } : null
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
    const codes = this.codes
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
}

export function columnsOf({ from, to }: Columns): Columns {
  return { from, to }
}

/** The flags of a regular expression, each once, in order. */
export function sortedFlags(flags: string): string {
  return [...new Set(flags)].sort().join('')
}

function isComparison(operator: string): operator is '<' | '<=' | '>' | '>=' {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>='
}

function isNo({ items }: QueryToken & { kind: 'clause' }): boolean {
  const [item] = items
  return item?.kind === 'word' && /^(no|false)$/i.test(item.text)
}
