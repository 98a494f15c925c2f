import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { Finding } from '../model/report.ts'
import type { ExportInput, ExportKind, ExportSink } from './export-kind.ts'

/** A cell that a spreadsheet would run as a formula, in full-width signs too, is made text by a leading apostrophe (OWASP, "CSV injection"). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const ROWS_PER_WRITE = 512

export type Cell = string | number | boolean | null

/** Two tables: one row per chosen trajectory, and one row per finding of those. Absent values are empty cells. */
export const csvExport: ExportKind = {
  id: 'csv',
  title: 'Tables of rollouts and findings',
  names: async () => ['rollouts.csv', 'findings.csv'],
  async write(input, sink) {
    const rewards = rewardNames(input)
    const rollouts = await writeTable(
      sink,
      'rollouts.csv',
      [...ROLLOUT_COLUMNS, ...rewards.map((n) => `reward.${n}`)],
      rolloutRows(input, rewards),
    )
    const findings = await writeTable(sink, 'findings.csv', FINDING_COLUMNS, findingRows(input))
    const trajectories = input.indices.length
    return {
      files: [
        { name: 'rollouts.csv', source: null, records: rollouts, trajectories },
        { name: 'findings.csv', source: null, records: findings, trajectories },
      ],
      notes: ['Text that a spreadsheet would read as a formula has a leading apostrophe.'],
    }
  },
}

const ROLLOUT_COLUMNS = [
  'source',
  'record',
  'part',
  'trajectory',
  'group',
  'step',
  'model',
  'reward',
  'advantage',
  'tokens',
  'tokens_without_padding',
  'prompt_tokens',
  'trained',
  'masked',
  'padding',
  'unknown',
  'loss_weight',
  'lost',
  'turns',
  'assistant_turns',
  'tool_turns',
  'end_reason',
  'finish_reason',
  'is_truncated',
  'excluded',
  'findings',
] as const

function* rolloutRows(input: ExportInput, rewards: readonly string[]): Generator<Cell[]> {
  for (const index of input.indices) {
    const facts = input.origin.facts[index]!
    yield [
      sourceName(input, facts.place.source),
      facts.place.record,
      facts.place.part,
      facts.id,
      facts.group,
      facts.step,
      facts.model,
      facts.reward,
      facts.advantage,
      ...(facts.reconstructed ? [null, null, null] : [facts.length, facts.realLength, facts.promptLength]),
      facts.trained,
      facts.masked,
      facts.padding,
      facts.reconstructed ? null : facts.unknown,
      facts.weight,
      facts.lost,
      ...(facts.turns > 0 ? [facts.turns, facts.assistantTurns, facts.toolTurns] : [null, null, null]),
      facts.endReason,
      facts.finishReason,
      facts.isTruncated,
      facts.excluded,
      input.origin.codesOf(index).join(' '),
      ...rewards.map((name) => component(facts, name)),
    ]
  }
}

const FINDING_COLUMNS = [
  'source',
  'record',
  'part',
  'trajectory',
  'group',
  'code',
  'severity',
  'intended',
  'turn',
  'first_token',
  'end_token',
  'message',
  'fingerprint',
] as const

/** Read again from the source, because a report may list fewer than there are. */
async function* findingRows(input: ExportInput): AsyncGenerator<Cell[]> {
  for await (const { findings } of input.origin.read(input.indices)) {
    for (const finding of findings) yield findingRow(input, finding)
  }
}

function findingRow(input: ExportInput, finding: Finding): Cell[] {
  return [
    sourceName(input, finding.source),
    finding.record,
    finding.part,
    finding.trajectory,
    finding.group,
    finding.code,
    finding.severity,
    finding.intended === true,
    finding.turn,
    finding.tokens?.[0] ?? null,
    finding.tokens?.[1] ?? null,
    finding.message,
    finding.fingerprint,
  ]
}

/** Names of the reward components that any chosen trajectory has, sorted. */
function rewardNames(input: ExportInput): string[] {
  const names = new Set<string>()
  for (const index of input.indices)
    for (const name of Object.keys(input.origin.facts[index]!.rewards ?? {})) names.add(name)
  return [...names].sort()
}

function component(facts: TrajectoryFacts, name: string): number | null {
  return facts.rewards !== null && Object.hasOwn(facts.rewards, name) ? facts.rewards[name]! : null
}

function sourceName(input: ExportInput, source: number): string {
  return input.report.sources[source]?.name ?? String(source)
}

async function writeTable(
  sink: ExportSink,
  name: string,
  columns: readonly string[],
  rows: Iterable<Cell[]> | AsyncIterable<Cell[]>,
): Promise<number> {
  const encoder = new TextEncoder()
  const writer = await sink.open(name)
  let lines = [csvLine(columns)]
  let count = 0
  for await (const row of rows) {
    lines.push(csvLine(row))
    count++
    if (lines.length === ROWS_PER_WRITE) {
      await writer.write(encoder.encode(lines.join('')))
      lines = []
    }
  }
  await writer.write(encoder.encode(lines.join('')))
  await writer.close()
  return count
}

/** One line of RFC 4180, ended by a newline. Numbers are written in full; text is guarded against formulas. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const guarded = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(guarded) || guarded !== guarded.trim() ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
