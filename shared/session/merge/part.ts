import * as z from 'zod'
import type { LogReport, SourceReport } from '../../model/report.ts'
import { readReportText } from '../report-text.ts'
import { TOOL } from '../tool.ts'
import { ColumnError } from './columns.ts'
import { STATE_SCHEMA } from './schema.ts'
import { FINDING, LOG, SOURCE } from './shapes.ts'
import { type DecodedState, decodeState } from './state.ts'
import { MERGE_STATE } from './state-shape.ts'

/** A report of a part of a run, ready to be put beside others. */
export interface Part {
  /** Of the report, as a person gave it. */
  readonly name: string
  /** Those that were read, in the order of their numbers, and those that could not be. */
  readonly sources: readonly SourceReport[]
  readonly unreadable: readonly SourceReport[]
  readonly logs: readonly LogReport[]
  readonly gathered: DecodedState
}

/**
 * What was given cannot be merged: a sentence that names the report, what is wrong with it and what to do. `kind`: it is no report or
 * a damaged one, or it is a good one that does not go with the others.
 */
export class MergeError extends Error {
  override readonly name = 'MergeError'

  constructor(
    readonly kind: 'unreadable' | 'refused',
    message: string,
  ) {
    super(message)
  }
}

const SHELL = z.looseObject({
  tool: z.looseObject({ version: z.string() }),
  aggregates: z.looseObject({ state: z.looseObject({ schema: z.unknown() }).optional() }),
})
const LISTS = z.looseObject({ sources: z.array(SOURCE), findings: z.array(FINDING), logs: z.array(LOG).optional() })

/** Deeper than any finding is; what is deeper still could not be written again. */
const MOST_LEVELS = 64

/** A report as it was given, and what it is called in messages. */
export interface GivenReport {
  readonly name: string
  readonly text: string
}

/** Reads reports of parts of a run, one after the other; their sources are numbered on. Throws `MergeError`. */
export function readParts(reports: readonly GivenReport[]): Part[] {
  let sources = 0
  const parts = reports.map(({ name, text }) => {
    const part = readPart(name, text, sources)
    sources += part.sources.length
    return part
  })
  // Only then: two files with nothing in them are no copies of a report.
  refuseCopies(reports)
  return parts
}

/** A source that was followed has no hash by which it could be known again: the whole report is compared. */
function refuseCopies(reports: readonly GivenReport[]): void {
  const names = new Map<string, string>()
  for (const { name, text } of reports) {
    const other = names.get(text)
    if (other !== undefined) {
      throw new MergeError(
        'refused',
        `${other} and ${name} are the same report, byte for byte. Its rollouts would count twice; leave one of the two out.`,
      )
    }
    names.set(text, name)
  }
}

/**
 * Reads a report. Throws `MergeError`.
 *
 * @param name of the report, for messages
 * @param first number that its first source gets
 */
function readPart(name: string, text: string, first: number): Part {
  const report = parsed(name, text)
  const shell = SHELL.safeParse(report)
  if (!shell.success) throw damaged(name, '', shell.error)
  const { tool, aggregates } = shell.data
  if (tool.version !== TOOL.version) {
    throw new MergeError(
      'refused',
      `${name} was written by version ${tool.version} of this program, which is version ${TOOL.version}. Inspect its files again with this version.`,
    )
  }
  if (aggregates.state === undefined) {
    throw new MergeError(
      'refused',
      `${name} does not hold what merging needs: it was written before reports could be merged. Inspect its files again, with --json.`,
    )
  }
  if (aggregates.state.schema !== STATE_SCHEMA) {
    throw new MergeError(
      'refused',
      `${name}: aggregates.state is of schema ${String(aggregates.state.schema)}, and this version reads ${STATE_SCHEMA}. Inspect its files again with this version.`,
    )
  }
  const state = MERGE_STATE.safeParse(aggregates.state)
  if (!state.success) throw damaged(name, 'aggregates.state', state.error)
  const lists = LISTS.safeParse(report)
  if (!lists.success) throw damaged(name, '', lists.error)
  // What was checked, and not the copies: their keys stand in the order in which they were written.
  const { sources, findings, logs = [] } = report as unknown as z.infer<typeof LISTS>
  const readable = sources.filter(({ unreadable }) => unreadable === undefined)
  try {
    const trajectories = readable.map((source) => source.trajectories)
    const gathered = decodeState(state.data, trajectories, findings, first)
    const unreadable = sources.filter((source) => !readable.includes(source))
    return { name, sources: readable, unreadable, logs, gathered }
  } catch (error) {
    if (!(error instanceof ColumnError)) throw error
    throw new MergeError('unreadable', damage(name, `aggregates.state.${error.message}`))
  }
}

function parsed(name: string, text: string): Record<string, unknown> {
  const read = readReportText(text)
  if ('isNone' in read) {
    throw new MergeError('unreadable', `${name} ${read.isNone}. Give reports that inspect --json wrote, each whole.`)
  }
  if (!shallow(read.report)) {
    throw new MergeError('unreadable', damage(name, `it is nested more than ${MOST_LEVELS} levels deep`))
  }
  return read.report
}

function shallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => shallow(each, levels - 1))
}

function damaged(name: string, within: string, { issues }: z.ZodError): MergeError {
  const [issue] = issues
  const path = [...(within === '' ? [] : [within]), ...(issue?.path ?? []).map(String)].join('.')
  return new MergeError('unreadable', damage(name, `${path || 'the report'}: ${issue?.message ?? 'not as expected'}`))
}

/** What is said of a report that was not written like this. */
export function damage(name: string, what: string): string {
  return `${name} is damaged: ${what}. Inspect its files again.`
}
