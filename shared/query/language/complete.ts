import type { QueryField } from './field.ts'
import { operatorsOf } from './field-values.ts'
import { fieldNamed, QUERY_FIELDS } from './fields.ts'
import { formatItem } from './format.ts'
import { lexQuery, type QueryToken } from './lex.ts'
import { MOST_CHARACTERS } from './parse.ts'

/** A value that a field has in the open dump. */
export interface DumpValue {
  readonly value: string
  /** What it means, where that is known: the title of a check. */
  readonly means: string | null
  /** Rollouts that have it. */
  readonly count: number
}

/** What completion may offer of the open dump. */
export interface DumpValues {
  /** Codes of all checks, found or not. */
  readonly codes: readonly { readonly code: string; readonly title: string }[]
  /** Fields that no rollout has a value for, each with a sentence that says so. */
  readonly missing: Readonly<Record<string, string>>
  /** By field, the commonest first; lists are cut. Those of `reward` are names of its components. */
  readonly values: Readonly<Record<string, readonly DumpValue[]>>
}

export const NO_DUMP_VALUES: DumpValues = { codes: [], missing: {}, values: {} }

export interface Completion {
  /** Put in place of the columns that the completions tell. */
  readonly insert: string
  readonly label: string
  readonly means: string
  readonly kind: 'field' | 'operator' | 'value' | 'keyword'
  /** Rollouts that have the value, null where that is not known. */
  readonly count: number | null
}

export interface Completions {
  /** Columns that a completion replaces. */
  readonly from: number
  readonly to: number
  readonly items: readonly Completion[]
}

const MOST_ITEMS = 60

const OPERATOR_MEANS: Readonly<Record<string, string>> = {
  ':': 'is one of these, or in a range such as 2..5',
  '!=': 'is none of these',
  '>=': 'is at least',
  '<=': 'is at most',
  '>': 'is above',
  '<': 'is below',
}

/** What may stand at the caret, the likeliest first. Nothing inside of quotes and regular expressions. Never throws. */
export function completeQuery(text: string, caret: number, values: DumpValues = NO_DUMP_VALUES): Completions {
  const at = Math.max(0, Math.min(caret, text.length))
  const nothing = { from: at, to: at, items: [] }
  if (text.length > MOST_CHARACTERS) return nothing
  const token = lexQuery(text).find(({ from, to }) => from < at && at <= to)
  switch (token?.kind) {
    case undefined:
    case 'not':
    case 'open':
    case 'close':
    case 'or':
      // An alternative that is spelt out is a word until something follows it.
      if (token?.kind === 'or' && token.to - token.from === 2 && text[token.from] !== '|')
        return words(text, token, at, values)
      return afterClause(text, at, values) ?? { from: at, to: at, items: terms('', values) }
    case 'word':
    case 'and':
      return words(text, token, at, values)
    case 'clause':
      return inClause(token, at, values)
    default:
      return nothing
  }
}

/** The caret is behind `field:` and spaces, where a value may still begin. */
function afterClause(text: string, at: number, values: DumpValues): Completions | null {
  const before = lexQuery(text.slice(0, at)).at(-1)
  if (before?.kind !== 'clause' || before.items.length > 0) return null
  const field = fieldNamed(baseOf(before.name.text))
  return field === null ? null : { from: at, to: at, items: valuesOf(field, '', values) }
}

function words(text: string, token: QueryToken, at: number, values: DumpValues): Completions {
  const typed = text.slice(token.from, at)
  const dot = typed.indexOf('.')
  const items =
    dot > 0 && fieldNamed(typed.slice(0, dot))?.hasComponents
      ? components(typed.slice(0, dot).toLowerCase(), typed.slice(dot + 1), values)
      : terms(typed, values)
  return { from: token.from, to: token.to, items }
}

function inClause(token: QueryToken & { kind: 'clause' }, at: number, values: DumpValues): Completions {
  const { name, operator, items } = token
  const field = fieldNamed(baseOf(name.text))
  const nothing = { from: at, to: at, items: [] }
  if (at <= name.to) {
    // The operator stays: only the name is put in its place.
    const named = terms(name.text.slice(0, at - name.from), values).filter(({ kind }) => kind === 'field')
    return { from: name.from, to: name.to, items: named.map((item) => ({ ...item, insert: item.label })) }
  }
  if (field === null) return nothing
  if (at <= operator.to && items.length === 0 && operator.text !== ':') {
    const longer = operatorsOf(field).filter((each) => each.startsWith(operator.text) && each !== operator.text)
    return { from: operator.from, to: operator.to, items: longer.map((each) => operatorItem(each)) }
  }
  const item = items.find(({ from, to }) => from <= at && at <= to)
  if (item === undefined) return { from: at, to: at, items: valuesOf(field, '', values) }
  if (item.kind === 'regex') return nothing
  const typed = item.text.slice(0, item.kind === 'word' ? at - item.from : undefined)
  return { from: item.from, to: item.to, items: valuesOf(field, typed, values) }
}

function baseOf(name: string): string {
  const dot = name.indexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}

/** Fields and what else may begin a term, those that begin as typed before those that only hold it. */
function terms(typed: string, values: DumpValues): Completion[] {
  const wanted = typed.toLowerCase()
  const fields = QUERY_FIELDS.filter(
    ({ name, also, title }) =>
      name.includes(wanted) ||
      also.some((other) => other.includes(wanted)) ||
      (wanted.length > 2 && title.includes(wanted)),
  )
  const ranked = fields
    .map((field) => ({ field, rank: rankOf(field, wanted, values) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ field }) => fieldItem(field, values))
  const codes = /^[a-z]\d{0,2}$/.test(wanted)
    ? codeItems(wanted, values).map((item) => ({ ...item, insert: `finding:${item.insert}` }))
    : []
  const keywords = KEYWORDS.filter(({ label }) => label.startsWith(wanted))
  // What was typed whole is surely meant: a code, or a number that now wants an operator.
  const whole = fieldNamed(wanted)
  const compared = whole?.type === 'number' ? operatorsOf(whole).map((each) => operatorItem(each, whole.name)) : []
  const isCode = wanted.length === 3 && codes.length > 0
  const all = isCode ? [...codes, ...ranked] : [...compared, ...ranked, ...codes]
  return [...all, ...keywords].slice(0, MOST_ITEMS)
}

const KEYWORDS: readonly Completion[] = [
  { insert: 'or ', label: 'or', means: 'one side or the other', kind: 'keyword', count: null },
  { insert: '-', label: 'not', means: 'what follows does not hold', kind: 'keyword', count: null },
  {
    insert: '"',
    label: '"text"',
    means: 'a text in the tokens or messages of a rollout',
    kind: 'keyword',
    count: null,
  },
  { insert: '/', label: '/expression/', means: 'a regular expression in them', kind: 'keyword', count: null },
]

function rankOf({ name }: QueryField, wanted: string, { missing }: DumpValues): number {
  const begins = name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2
  return begins + (missing[name] === undefined ? 0 : 10)
}

function fieldItem(field: QueryField, { missing }: DumpValues): Completion {
  const why = missing[field.name]
  return {
    insert: field.type === 'flag' ? field.name : field.type === 'number' ? field.name : `${field.name}:`,
    label: field.name,
    means: why === undefined ? field.means : `${field.means} (${why})`,
    kind: 'field',
    count: null,
  }
}

function operatorItem(operator: string, behind = ''): Completion {
  return {
    insert: `${behind}${operator}`,
    label: `${behind}${operator}`,
    means: OPERATOR_MEANS[operator] ?? '',
    kind: 'operator',
    count: null,
  }
}

function components(field: string, typed: string, { values }: DumpValues): Completion[] {
  return (values[field] ?? [])
    .filter(({ value }) => value.toLowerCase().includes(typed.toLowerCase()))
    .filter(({ value }) => /^[^\s:<>=!≤≥≠()|",]+$/.test(value))
    .map(({ value, count }) => ({
      insert: `${field}.${value}`,
      label: `${field}.${value}`,
      means: 'a component of the reward',
      kind: 'field',
      count,
    }))
}

function valuesOf(field: QueryField, typed: string, values: DumpValues): Completion[] {
  if (field.name === 'finding')
    return [...codeItems(typed, values), ...choiceItems(field, typed, values)].slice(0, MOST_ITEMS)
  const chosen = choiceItems(field, typed, values)
  const known = new Set(chosen.map(({ label }) => label))
  const own = field.hasComponents ? [] : (values.values[field.name] ?? [])
  const others = own
    .filter(({ value }) => !known.has(value) && value.toLowerCase().includes(typed.toLowerCase()))
    .map(
      ({ value, means, count }): Completion => ({
        insert: formatItem({ kind: 'word', text: value }),
        label: value,
        means: means ?? `a ${field.title} of this dump`,
        kind: 'value',
        count,
      }),
    )
  return [...chosen, ...others].slice(0, MOST_ITEMS)
}

function choiceItems(field: QueryField, typed: string, { values }: DumpValues): Completion[] {
  const counts = new Map((values[field.name] ?? []).map(({ value, count }) => [value, count]))
  return field.choices
    .filter(({ value }) => value.startsWith(typed.toLowerCase()))
    .map(({ value, means }) => ({
      insert: value,
      label: value,
      means,
      kind: 'value',
      count: counts.get(value) ?? null,
    }))
}

/** Codes that were found first. */
function codeItems(typed: string, { codes, values }: DumpValues): Completion[] {
  const counts = new Map((values.finding ?? []).map(({ value, count }) => [value, count]))
  const wanted = typed.toUpperCase()
  return codes
    .filter(({ code }) => code.startsWith(wanted))
    .map(
      ({ code, title }): Completion => ({
        insert: code,
        label: code,
        means: title,
        kind: 'value',
        count: counts.get(code) ?? 0,
      }),
    )
    .sort((a, b) => (b.count ?? 0) - (a.count ?? 0) || (a.label < b.label ? -1 : 1))
}
