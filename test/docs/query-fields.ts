import type { QueryField } from '../../shared/query/language/field.ts'
import { FIELD_GROUPS } from '../../shared/query/language/fields.ts'

const BEGIN = '<!-- fields: written by `npm run docs` -->'
const END = '<!-- end of fields -->'

/** The page with its tables of fields as the field table has them. Throws where the page has no place for them. */
export function withQueryFields(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('docs/query.md has no place for the fields.')
  return `${page.slice(0, begin)}${BEGIN}\n\n${FIELD_GROUPS.map(table).join('\n\n')}\n\n${page.slice(end)}`
}

function table({ title, fields }: (typeof FIELD_GROUPS)[number]): string {
  const rows = fields.map(row)
  return [`### ${title}`, '', '| field | meaning | example |', '| --- | --- | --- |', ...rows].join('\n')
}

function row(field: QueryField): string {
  const others = field.also.length === 0 ? '' : ` (also ${field.also.map((name) => `\`${name}\``).join(', ')})`
  const unit = field.unit === null || field.unit === 'share' ? '' : ` In ${field.unit}.`
  const choices = field.choices.map(({ value, means }) => `\`${value}\`: ${means}`).join('; ')
  const words = choices === '' ? '' : ` ${choices}.`
  const cells = [`\`${field.name}\`${others}`, `${field.means}${unit}${words}`, `\`${field.example}\``]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
