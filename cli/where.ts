import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CHECKS } from '../shared/checks/registry.ts'
import { atOrAbove, type Judgement } from '../shared/exports/phrases.ts'
import { type MarksFile, parseMarks } from '../shared/model/marks.ts'
import { counted } from '../shared/model/number-text.ts'
import type { QueryNode } from '../shared/query/language/ast.ts'
import { fieldNamed } from '../shared/query/language/fields.ts'
import { parseQuery } from '../shared/query/language/parse.ts'
import type { SearchMarks } from '../shared/query/marks.ts'
import type { SearchResult } from '../shared/session/requests/query.ts'
import type { Session } from '../shared/session/session.ts'
import type { OptionValue } from './arguments.ts'
import { cannotOpen } from './files.ts'
import { type CommandIo, UsageError } from './io.ts'
import { progressLine } from './progress.ts'
import { queryProblemText } from './query-problem.ts'

/** Which rollouts a person asked for. */
export interface Choice {
  /** From which severity a finding chooses; null where findings were not asked for. */
  readonly flagged: Exclude<Judgement['failOn'], 'none'> | null
  readonly query: string | null
  readonly marks: { readonly file: string; readonly marked: MarksFile['rollouts'] } | null
}

/** Reads what chooses rollouts, before anything is audited. Throws `UsageError` where it cannot be asked. */
export async function choiceOf(options: Readonly<Record<string, OptionValue>>, io: CommandIo): Promise<Choice> {
  const failOn = (options['fail-on'] as Judgement['failOn'] | undefined) ?? 'error'
  if (options.flagged === true && failOn === 'none')
    throw new UsageError('--flagged takes what fails, and --fail-on none lets nothing fail. Choose error or warning.')
  const query = (options.where as string | undefined) ?? null
  const root = query === null ? null : queryRoot(query)
  const file = (options.flags as string | undefined) ?? null
  if (file === null && root !== null && asksForMarks(root))
    throw new UsageError('--where asks for flags, labels or notes: name the file that the app exported, --flags FILE.')
  return {
    flagged: options.flagged === true ? (failOn as 'error' | 'warning') : null,
    query,
    marks: file === null ? null : { file, marked: await readMarks(file, io) },
  }
}

/** Throws `UsageError` with what is wrong, under its columns. */
export function queryRoot(query: string): QueryNode | null {
  const { root, problems } = parseQuery(query, { codes: CHECKS.map(({ code }) => code) })
  if (problems.length > 0) throw new UsageError(queryProblemText('--where', query, problems))
  return root
}

async function readMarks(file: string, io: CommandIo): Promise<MarksFile['rollouts']> {
  let text: string
  try {
    text = await readFile(resolve(io.directory, file), 'utf8')
  } catch (error) {
    throw new UsageError(`--flags ${file} ${cannotOpen(error)}`)
  }
  try {
    return parseMarks(text, file).rollouts
  } catch (error) {
    throw new UsageError(`--flags: ${(error as Error).message}`)
  }
}

/** Whether a query asks for what people attached to rollouts. */
export function asksForMarks(node: QueryNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(asksForMarks)
  if (node.kind === 'not') return asksForMarks(node.node)
  return node.kind === 'clause' && fieldNamed(node.field)?.reads === 'marks'
}

/** The chosen rollouts, ascending. */
export interface Chosen {
  readonly indices: readonly number[]
  /** What chose them, for people and for the manifest. */
  readonly why: string
  /** Sentences about what could not be looked at. */
  readonly notes: readonly string[]
}

/** A query decides where there is one, and may ask for flags; else rollouts that are flagged in the file. Findings narrow either. */
export async function chooseRollouts(
  { flagged, query, marks }: Choice,
  session: Session,
  io: CommandIo,
): Promise<Chosen> {
  const found = marks === null ? null : searchMarks(marks.marked, session)
  const reasons: string[] = []
  const notes: string[] = []
  let indices: readonly number[] = session.facts.map((_, index) => index)
  if (query !== null) {
    const result = await runQuery(session, query, found, io)
    indices = [...result.indices]
    reasons.push(`query ${query}`)
    notes.push(...result.notes)
  } else if (found !== null) {
    indices = found.flagged
    reasons.push('flagged by a person')
  }
  if (marks !== null && found !== null) {
    const elsewhere = marks.marked.length - found.known
    if (elsewhere > 0)
      notes.push(
        `${counted(elsewhere, 'rollout')} of ${marks.file} ${elsewhere === 1 ? 'is' : 'are'} not in what was read.`,
      )
  }
  if (flagged !== null) {
    indices = session
      .rows(indices)
      .flatMap(({ worst, index }) => (worst !== null && atOrAbove(worst, flagged) ? [index] : []))
    reasons.push(`finding at or above ${flagged}`)
  }
  return { indices, why: reasons.join(', and '), notes }
}

/** Runs a query that can be read, with a line of progress where rollouts are read again. */
export async function runQuery(
  session: Session,
  text: string,
  marks: SearchMarks | null,
  io: CommandIo,
): Promise<SearchResult> {
  const progress = progressLine(io)
  try {
    return await session.search(
      { text, ...(marks === null ? {} : { marks }) },
      {
        tell: ({ reading, indices }) => {
          if (reading !== null)
            progress.tell(
              `searching ${reading.done} of ${counted(reading.of, 'rollout')}, ${counted(indices.length, 'match', 'matches')}`,
            )
        },
      },
    )
  } finally {
    progress.clear()
  }
}

/** Where the marked rollouts stand in what was read; marks hang on content, so that one may stand in several places. */
function searchMarks(marked: MarksFile['rollouts'], session: Session): SearchMarks & { known: number } {
  const byKey = new Map(marked.map((each) => [`${each.record}.${each.part}`, each]))
  const known = new Set<string>()
  const flagged: number[] = []
  const labels: Record<string, number[]> = {}
  const notes: { index: number; text: string }[] = []
  for (const [index, { recordHash, place }] of session.facts.entries()) {
    const key = `${recordHash}.${place.part}`
    const mark = byKey.get(key)
    if (mark === undefined) continue
    known.add(key)
    if (mark.flagged_at !== null) flagged.push(index)
    for (const label of mark.labels) {
      if (!Object.hasOwn(labels, label)) Object.defineProperty(labels, label, { value: [], enumerable: true })
      labels[label]?.push(index)
    }
    for (const { text } of mark.notes) notes.push({ index, text })
  }
  return { flagged, labels, notes, known: known.size }
}
