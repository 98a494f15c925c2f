import type { Cell } from '../../exports/csv.ts'
import { markdownText } from '../../exports/markup.ts'
import type { TableFormat } from '../../exports/table-text.ts'
import { counted, measured } from '../../model/number-text.ts'
import { table } from '../groups/tables.ts'
import type { ComparedMeasure, CompareRequests, RunComparison, RunSide } from '../requests/compare.ts'
import type { ExportFile } from '../requests/export.ts'
import type { ComparedRunOrigin } from './comparison.ts'
import { compareRuns, pairsOf } from './comparison.ts'

/** All measures of two runs, one line each. Absent values are empty cells. */
function measuresTable({ measures }: RunComparison, as: TableFormat): ExportFile {
  const rows = measures.map(({ section, label, unit, here, there, distance, isSure, lacks }): Cell[] => [
    section,
    label,
    unit,
    here,
    there,
    typeof here === 'number' && typeof there === 'number' ? there - here : null,
    distance,
    isSure,
    lacks.here,
    lacks.there,
  ])
  return table('comparison', { columns: MEASURE_COLUMNS, rows }, as)
}

const MEASURE_COLUMNS = [
  'section',
  'measure',
  'unit',
  'open_run',
  'second_run',
  'difference',
  'distance',
  'more_than_chance',
  'open_run_lacks',
  'second_run_lacks',
] as const

/** All questions that two runs share, one line each. */
function pairsTable(here: ComparedRunOrigin, there: ComparedRunOrigin, as: TableFormat): ExportFile {
  const book = pairsOf(here, there)
  const rows = book.known.map((pair): Cell[] => [
    pair.rows[0]?.group ?? null,
    pair.rows[0]?.id ?? null,
    pair.others[0]?.id ?? null,
    pair.here.rollouts,
    pair.there.rollouts,
    pair.here.reward,
    pair.there.reward,
    pair.here.tokens,
    pair.there.tokens,
    pair.here.cut,
    pair.there.cut,
    pair.words,
    pair.tools,
    pair.system,
    pair.rendering,
    pair.opening,
    pair.replies,
    pair.likeAnswers?.checked ?? null,
    pair.likeAnswers?.affected ?? null,
  ])
  return table('pairs', { columns: PAIR_COLUMNS, rows }, as)
}

const PAIR_COLUMNS = [
  'group',
  'first_rollout_open_run',
  'first_rollout_second_run',
  'rollouts_open_run',
  'rollouts_second_run',
  'mean_reward_open_run',
  'mean_reward_second_run',
  'mean_tokens_open_run',
  'mean_tokens_second_run',
  'cut_share_open_run',
  'cut_share_second_run',
  'words_differ',
  'tools_differ',
  'system_differs',
  'prompt_ids_differ',
  'opening_differs',
  'reply_roles_differ',
  'answers_in_the_same_words',
  'of_these_scored_otherwise',
] as const

/** The comparison as a text to paste: what both runs decide, what differs, what only one of them tells. */
function comparisonMarkdown(comparison: RunComparison): ExportFile {
  const { here, there, conclusion, together, measures, pairs } = comparison
  const differing = measures.filter(({ distance }) => distance !== null && distance > 0)
  const sure = differing.filter(({ isSure }) => isSure !== false)
  const chance = differing.filter(({ isSure }) => isSure === false)
  const oneSided = measures.filter(
    ({ distance, here: a, there: b }) => distance === null && (a === null) !== (b === null),
  )
  const same = measures.filter(({ distance }) => distance === 0).length
  const lines = [
    '# Two runs beside each other',
    '',
    `- open run: ${describe(here)}`,
    `- second run: ${describe(there)}`,
    `- questions that both have: ${pairs.pairs} (only the open run ${pairs.onlyHere}, only the second ${pairs.onlyThere})`,
    '',
    ...[conclusion.differs, conclusion.decides, ...conclusion.caveats].flatMap((sentence) => [
      markdownText(sentence),
      '',
    ]),
    '## What both together decide',
    '',
    ...together.map(({ id, title, verdict, confidence, because, missing }) => {
      const [first] = because
      const why = first === undefined ? missing[0] : `${first.measure}: ${measured(first.measure, first.value)}`
      return `- **${id}** ${title}: ${verdict}${verdict === 'not-checkable' ? '' : ` (${confidence})`}${why === undefined ? '' : `. ${markdownText(why)}`}`
    }),
    '',
    '## What differs',
    '',
    ...tableOf(sure),
    ...(chance.length === 0
      ? []
      : ['', '## Differences that chance may explain in runs of this size', '', ...tableOf(chance)]),
    ...(oneSided.length === 0
      ? []
      : [
          '',
          '## What only one of the runs tells',
          '',
          ...oneSided.map(
            ({ label, unit, here: a, there: b, lacks }) =>
              `- ${markdownText(label)}: ${a === null ? `second run ${shown(unit, b)}; open run: ${markdownText(lacks.here ?? 'not told')}` : `open run ${shown(unit, a)}; second run: ${markdownText(lacks.there ?? 'not told')}`}`,
          ),
        ]),
    '',
    `${same} measures are the same in both.`,
    '',
  ]
  return { files: [{ name: 'comparison.md', bytes: new TextEncoder().encode(lines.join('\n')) }] }
}

function tableOf(measures: readonly ComparedMeasure[]): string[] {
  if (measures.length === 0) return ['Nothing.']
  return [
    '| measure | open run | second run | difference |',
    '| --- | ---: | ---: | ---: |',
    ...measures.map(
      ({ label, unit, here, there }) =>
        `| ${markdownText(label)} | ${shown(unit, here)} | ${shown(unit, there)} | ${difference(unit, here, there)} |`,
    ),
  ]
}

function describe({ names, rollouts, groups, tokenizer }: RunSide): string {
  const files = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
  return `${markdownText(files)} (${counted(rollouts, 'rollout')} in ${counted(groups, 'group')}, tokenizer ${tokenizer ?? 'not known'})`
}

function shown(unit: ComparedMeasure['unit'], value: number | string | null): string {
  if (value === null) return '–'
  if (typeof value === 'string') return markdownText(value)
  return measured(unit === 'share' ? 'share' : '', value)
}

function difference(
  unit: ComparedMeasure['unit'],
  here: number | string | null,
  there: number | string | null,
): string {
  if (typeof here !== 'number' || typeof there !== 'number') return ''
  const value = there - here
  const sign = value > 0 ? '+' : value < 0 ? '−' : ''
  return unit === 'share'
    ? `${sign}${Number((Math.abs(value) * 100).toPrecision(3))} points`
    : `${sign}${measured('', Math.abs(value))}`
}

export function comparisonExport(
  { of, as }: CompareRequests['comparisonExport']['input'],
  here: ComparedRunOrigin,
  there: ComparedRunOrigin,
): ExportFile {
  if (of === 'pairs') return pairsTable(here, there, as)
  const comparison = compareRuns(here, there)
  return as === 'markdown' ? comparisonMarkdown(comparison) : measuresTable(comparison, as)
}
