import type { Columns, QueryProblem } from './ast.ts'
import { exampleOf, operatorsOf, orList } from './field-values.ts'
import { fieldNamed, QUERY_FIELDS } from './fields.ts'

const MOST_NAMED = 3

/**
 * What is missing where a word in these columns begins the name of a field: it would be looked for as a text, in every rollout. Null where
 * it begins none, or is one.
 */
export function unfinishedField(text: string, { from, to }: Columns): QueryProblem | null {
  const word = text.slice(from, to)
  const begun = word.toLowerCase()
  if (begun === '' || fieldNamed(begun) !== null) return null
  const fields = QUERY_FIELDS.filter(({ name, also }) => [name, ...also].some((each) => each.startsWith(begun)))
  const [first] = fields
  if (first === undefined) return null
  const names = orList(fields.slice(0, MOST_NAMED).map(({ name }) => `\`${name}\``))
  const wants = first.type === 'flag' ? '' : `, which needs a value, as in \`${exampleOf(first)}\``
  const message = `\`${word}\` may be the beginning of ${names}${fields.length === 1 ? wants : ''}. Enter once more searches for it as a text.`
  return {
    from,
    to,
    message,
    expected: fields.length === 1 ? operatorsOf(first).map((each) => `${first.name}${each}`) : [],
  }
}
