import type { Cell } from '../../exports/csv.ts'
import { TABLE_ENDINGS, type TableFormat, type TextTable, tableText } from '../../exports/table-text.ts'
import type { ExportFile } from '../requests/export.ts'
import type { GroupQuery } from '../requests/groups.ts'
import type { GroupBook } from './groups.ts'

/** The groups of a query, one line each. Absent values are empty cells. */
export function groupTable(book: GroupBook, query: GroupQuery, as: TableFormat): ExportFile {
  const { scheme, eps, origin } = book.scaling
  const formula = `${scheme}, eps ${eps} (${origin})`
  const rows = [...book.query(query)].map((position): Cell[] => {
    const row = book.row(position)
    return [
      row.id,
      row.step,
      row.rollouts,
      row.kind,
      row.mean,
      row.std,
      row.gap,
      row.amplification,
      row.amplification === null ? null : formula,
      row.largestAdvantage,
      row.copies,
      row.untrained,
      row.codes.join(' '),
    ]
  })
  return table('groups', { columns: GROUP_COLUMNS, rows }, as)
}

const GROUP_COLUMNS = [
  'group',
  'step',
  'rollouts',
  'kind',
  'mean_reward',
  'std_reward',
  'reward_gap',
  'amplification',
  'amplification_under',
  'largest_stored_advantage',
  'copies',
  'trains_nothing',
  'findings',
] as const

/** All rollouts of one group with their advantages under each scheme. */
export function siblingTable(book: GroupBook, position: number, as: TableFormat): ExportFile {
  const indices = book.indices(position)
  const schemes = book.schemes(position)
  const { id } = book.row(position)
  const members = book.members(position, schemes, indices, indices.length)
  const names = [...new Set(members.flatMap(({ row }) => Object.keys(row.facts.rewards ?? {})))].sort()
  const columns = [
    'group',
    'rollout',
    'trajectory',
    'step',
    'reward',
    ...names.map((name) => `reward.${name}`),
    'advantage_stored',
    ...schemes.map(({ scheme, eps }) => `advantage_${scheme}${eps === null ? '' : `_eps_${eps}`}`),
    'tokens_without_padding',
    'trained',
    'turns',
    'end_reason',
    'same_tokens_as',
    'findings',
  ]
  const rows = members.map(({ row: { index, facts, codes }, advantages, copyOf }): Cell[] => [
    id,
    index,
    facts.id,
    facts.step,
    facts.reward,
    ...names.map((name) => (Object.hasOwn(facts.rewards ?? {}, name) ? (facts.rewards?.[name] ?? null) : null)),
    facts.advantage,
    ...schemes.map((_, at) => advantages?.[at] ?? null),
    facts.realLength,
    facts.trained,
    facts.turns > 0 ? facts.turns : null,
    facts.endReason,
    copyOf === null ? null : (members[copyOf]?.row.facts.id ?? null),
    codes.join(' '),
  ])
  return table('group', { columns, rows }, as)
}

/** A table as one file, named by what it holds. */
export function table(stem: string, rows: TextTable, as: TableFormat): ExportFile {
  const name = `${stem}.${TABLE_ENDINGS[as]}`
  return { files: [{ name, bytes: new TextEncoder().encode(tableText(rows, as)) }] }
}
