import type { CheckTally } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { CHECKS } from '../../checks/registry.ts'
import { createTally } from '../../checks/reporting/tally.ts'
import { Hash64 } from '../../model/hash.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { Finding, Report, Severity } from '../../model/report.ts'
import { PARTS, TURN_KINDS } from '../../model/tokens.ts'
import type { RolloutSums } from '../audit/collected.ts'
import type { TokenizerReference, TokenTotals } from '../audit/plan.ts'
import type { ToolSums } from '../audit/tool-sums.ts'
import type { Conclusion, Gathered } from '../concluding/conclude.ts'
import type { GivenTokenizer, KinEvidence } from '../opening/kin.ts'
import { type Cells, COUNT, ColumnError, readColumn, readSome, TEXT, writeColumn } from './columns.ts'
import { recordOf } from './composites.ts'
import { decodeFacts, encodeFacts } from './facts.ts'
import { declaredOptions } from './options.ts'
import { STATE_SCHEMA } from './schema.ts'
import type { MergeState } from './state-shape.ts'
import { decodeKins, encodeKin } from './survey.ts'

/** A report with all that it takes to judge it again beside others. `given`: the tokenizer that the person named. */
export function withState(gathered: Gathered, conclusion: Conclusion, given: GivenFiles | null): Report {
  const { report } = conclusion
  return { ...report, aggregates: { ...report.aggregates, state: encodeState(gathered, conclusion, given) } }
}

function encodeState(
  { options, collected, kins, maxFindings, against, dataset = null }: Gathered,
  { ofDump, unlisted }: Pick<Conclusion, 'ofDump' | 'unlisted'>,
  given: GivenFiles | null,
): MergeState {
  return {
    schema: STATE_SCHEMA,
    options: declaredOptions(options) as MergeState['options'],
    max_findings: maxFindings,
    ...(against === null ? {} : { against: true as const }),
    ...(dataset === null ? {} : { dataset: true as const }),
    tokenizer: given,
    kins: kins.map(({ evidence }) => encodeKin(evidence)),
    totals: encodeTotals(collected.totals),
    tallies: byCode((code) => {
      const tally = collected.tallies[code]
      return tally === undefined || isEmpty(tally) ? null : encodeTally(tally)
    }),
    severities: byCode((code) => {
      const found = collected.severities[code]
      return found === undefined
        ? null
        : writeColumn(
            COUNT,
            SEVERITIES.map((severity) => found[severity]),
          )
    }),
    findings: {
      seen: collected.findingsSeen,
      of_dump: writeColumn(RANGE, ranges(ofDump)),
      unlisted: unlisted.map((finding) => finding as MergeState['findings']['unlisted'][number]),
    },
    codes: writeColumn(
      CODES_OF_ROW,
      collected.codes.map((each) => each.join(',')),
    ),
    rollouts: { ...encodeFacts(collected.facts) },
  }
}

/** A tokenizer that was named, as it can be compared with another one. */
export interface GivenFiles extends GivenTokenizer {
  readonly files: string | null
}

const hashed = new WeakMap<TokenizerReference, string>()

/** What a report keeps of a tokenizer that was named. */
export function givenFiles(reference: TokenizerReference | null): GivenFiles | null {
  if (reference === null) return null
  if (reference.kind === 'bundled') return { id: reference.id, origin: 'given', files: null }
  let files = hashed.get(reference)
  if (files === undefined) {
    files = new Hash64()
      .text(reference.tokenizer)
      .text('\n')
      .text(reference.config ?? '')
      .digest()
    hashed.set(reference, files)
  }
  return { id: reference.id, origin: reference.origin, files }
}

/** What was gathered of a part of a run, taken from the state of its report. */
export interface DecodedState {
  readonly options: AuditOptions
  readonly maxFindings: number
  readonly against: boolean
  readonly dataset: boolean
  readonly given: GivenFiles | null
  readonly kins: readonly KinEvidence[]
  readonly collected: RolloutSums
}

/**
 * Reads a state that has its shape. Throws `ColumnError` where its columns do not go together.
 *
 * @param trajectories of each source that was read
 * @param listed the findings of the report
 * @param first number that the first source gets; the others follow
 */
export function decodeState(
  state: MergeState,
  trajectories: readonly number[],
  listed: readonly Finding[],
  first: number,
): DecodedState {
  const facts = inside('rollouts', () => decodeFacts(state.rollouts, trajectories, first))
  inside('rollouts', () => inOrder(facts))
  const ofDump = new Set<number>()
  let next = 0
  for (const { from, to } of inside('findings.of_dump', () => readSome(RANGE, state.findings.of_dump))) {
    if (from < next || to < from) throw new ColumnError('findings.of_dump is not in order')
    if (to >= listed.length) throw new ColumnError('findings.of_dump names a finding that is not listed')
    for (let index = from; index <= to; index++) ofDump.add(index)
    next = to + 1
  }
  const ofRollouts = [...listed.filter((_, index) => !ofDump.has(index)), ...state.findings.unlisted]
  if (
    ofRollouts.some(
      ({ source, record, members }) => record === null || members !== null || source >= trajectories.length,
    )
  ) {
    throw new ColumnError('findings holds one of a rollout that names none')
  }
  const findings = ofRollouts.map((finding) => asFound(finding, first))
  const kept = Math.min(state.findings.seen, state.max_findings)
  if (findings.length !== kept) {
    throw new ColumnError(`findings has ${findings.length} of rollouts where ${kept} should be kept`)
  }
  const codes = inside('codes', () => readColumn(CODES_OF_ROW, state.codes, facts.length))
  return {
    options: state.options as AuditOptions,
    maxFindings: state.max_findings,
    against: state.against === true,
    dataset: state.dataset === true,
    given: state.tokenizer,
    kins: inside('kins', () => decodeKins(state.kins, trajectories.length, first)),
    collected: {
      facts,
      codes: codes.map((each) => (each === '' ? NONE : each.split(','))),
      findings,
      findingsSeen: state.findings.seen,
      tallies: ofEach(state.tallies, 'tallies', decodeTally),
      totals: inside('totals', () => decodeTotals(state.totals)),
      severities: ofEach(state.severities, 'severities', decodeSeverities),
    },
  }
}

const NONE: readonly string[] = []

/** As a check found it: where its record stands and which defect explains it are told anew. */
function asFound(finding: Finding, firstSource: number): Finding {
  const { line: _line, defect: _defect, ...found } = finding
  return { ...found, source: firstSource + found.source }
}

/** Rollouts are looked up by their place, which takes that they are sorted by it. */
function inOrder(facts: readonly TrajectoryFacts[]): void {
  for (let row = 1; row < facts.length; row++) {
    const [a, b] = [(facts[row - 1] as TrajectoryFacts).place, (facts[row] as TrajectoryFacts).place]
    if (a.source !== b.source || a.record < b.record || (a.record === b.record && a.part < b.part)) continue
    throw new ColumnError(`record has ${b.record}.${b.part} after ${a.record}.${a.part}`)
  }
}

function inside<Result>(where: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof ColumnError ? new ColumnError(`${where}: ${error.message}`) : error
  }
}

function byCode<Value>(read: (code: string) => Value | null): Record<string, Value> {
  const entries = CHECKS.map(({ code }) => [code, read(code)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, Awaited<Value>] => entry[1] !== null))
}

function ofEach<Value>(
  encoded: Readonly<Record<string, string>>,
  where: string,
  decode: (text: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(encoded).map(([code, text]) => [code, inside(`${where}.${code}`, () => decode(text))]),
  )
}

interface Range {
  readonly from: number
  readonly to: number
}

const RANGE: Cells<Range> = recordOf({ from: COUNT, to: COUNT }, ':')
const CODES_OF_ROW = TEXT
const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Severity[]

function ranges(indices: readonly number[]): Range[] {
  const found: { from: number; to: number }[] = []
  for (const index of indices) {
    const last = found.at(-1)
    if (last !== undefined && last.to === index - 1) last.to = index
    else found.push({ from: index, to: index })
  }
  return found
}

function decodeSeverities(text: string): Record<Severity, number> {
  const [error, warning, info] = readColumn(COUNT, text, SEVERITIES.length) as [number, number, number]
  return { error, warning, info }
}

const TURN: Cells<{ readonly turn: number; readonly affected: number }> = recordOf(
  { turn: COUNT, affected: COUNT },
  ':',
)
const EDGE: Cells<{ readonly edge: string; readonly checked: number; readonly affected: number }> = recordOf(
  { edge: TEXT, checked: COUNT, affected: COUNT },
  ':',
)
/** A kind of edge as `edges.ts` names it, never a name that objects have of their own. */
const EDGE_NAME = /^[a-z_]+>[a-z_]+$/
const WEIGHT = /^-?\d{1,60}$/
const SUMS = ['checked', 'affected', 'intended', 'placesChecked', 'placesAffected', 'affectedTokens'] as const

/** Counts, weight, turns, edges, turns at the end of rows, and turns that were looked at, between bars. */
function encodeTally(tally: CheckTally): string {
  return [
    writeColumn(
      COUNT,
      SUMS.map((name) => tally[name]),
    ),
    String(tally.affectedWeight),
    writeTurns(tally.byTurn),
    writeColumn(
      EDGE,
      Object.entries(tally.byBoundary).map(([edge, counts]) => ({ edge, ...counts })),
    ),
    writeTurns(tally.byTurnAtEnd),
    writeTurns(tally.byTurnChecked),
    writeTurns(tally.byTurnCheckedAtEnd),
  ].join('|')
}

function writeTurns(counts: Readonly<Record<string, number>>): string {
  return writeColumn(
    TURN,
    Object.entries(counts).map(([turn, affected]) => ({ turn: Number(turn), affected })),
  )
}

function decodeTally(text: string): CheckTally {
  const [sums = '', weight = '', turns = '', edges = '', ends = '', looked = '', lookedEnds = '', ...more] =
    text.split('|')
  if (more.length > 0 || !WEIGHT.test(weight)) throw new ColumnError('are not counts, a weight, turns and edges')
  const tally = createTally()
  for (const [index, value] of readColumn(COUNT, sums, SUMS.length).entries())
    tally[SUMS[index] as (typeof SUMS)[number]] = value
  tally.affectedWeight = BigInt(weight)
  for (const { turn, affected } of readSome(TURN, turns)) tally.byTurn[turn] = affected
  for (const { turn, affected } of readSome(TURN, ends)) tally.byTurnAtEnd[turn] = affected
  for (const { turn, affected } of readSome(TURN, looked)) tally.byTurnChecked[turn] = affected
  for (const { turn, affected } of readSome(TURN, lookedEnds)) tally.byTurnCheckedAtEnd[turn] = affected
  for (const { edge, checked, affected } of readSome(EDGE, edges)) {
    if (!EDGE_NAME.test(edge)) throw new ColumnError(`have ${JSON.stringify(edge)} where a kind of edge should stand`)
    tally.byBoundary[edge] = { checked, affected }
  }
  return tally
}

function isEmpty(tally: CheckTally): boolean {
  return tally.checked === 0 && tally.placesChecked === 0 && tally.intended === 0 && tally.affected === 0
}

function encodeTotals(totals: TokenTotals): MergeState['totals'] {
  const { byPart, trainedByPart, byTurn, trainedByTurn, ends, trainedEnds, byTool, ...others } = totals
  const { unknownByPart, unknownByTurn, unknownEnds, ...rest } = others
  const { weight, weightUnsampled, maskKnown, ...counts } = rest
  return {
    ...counts,
    by_part: writeColumn(COUNT, byPart),
    trained_by_part: writeColumn(COUNT, trainedByPart),
    by_turn: writeColumn(COUNT, byTurn),
    trained_by_turn: writeColumn(COUNT, trainedByTurn),
    ...(ends === null || trainedEnds === null
      ? {}
      : { ends: writeColumn(COUNT, ends), trained_ends: writeColumn(COUNT, trainedEnds) }),
    ...(totals.unknown === 0
      ? {}
      : {
          unknown_by_part: writeColumn(COUNT, unknownByPart),
          unknown_by_turn: writeColumn(COUNT, unknownByTurn),
          unknown_ends: writeColumn(COUNT, unknownEnds),
        }),
    by_tool: [...byTool].sort(([a], [b]) => (a < b ? -1 : 1)).map(encodeTool),
    weight: maskKnown ? String(weight) : null,
    weight_unsampled: weightUnsampled === null ? null : String(weightUnsampled),
  }
}

function encodeTool([tool, sums]: readonly [string, ToolSums]): MergeState['totals']['by_tool'][number] {
  const [calls, called, trainedCalls, unknownCalls, replies, replied, trainedReplies, unknownReplies] = sums
  const unknown = unknownCalls + unknownReplies === 0 ? [] : [unknownCalls, unknownReplies]
  return [tool, calls, called, trainedCalls, replies, replied, trainedReplies, ...unknown]
}

function decodeTool(row: MergeState['totals']['by_tool'][number]): [string, ToolSums] {
  const [tool, calls, called, trainedCalls, replies, replied, trainedReplies, unknownCalls = 0, unknownReplies = 0] =
    row
  return [tool, [calls, called, trainedCalls, unknownCalls, replies, replied, trainedReplies, unknownReplies]]
}

function decodeTotals(totals: MergeState['totals']): TokenTotals {
  const { by_part, trained_by_part, by_turn, trained_by_turn, ends, trained_ends, by_tool, ...others } = totals
  const { unknown_by_part, unknown_by_turn, unknown_ends, ...rest } = others
  const read = (column: string | undefined, length: number) =>
    column === undefined ? Array<number>(length).fill(0) : readColumn(COUNT, column, length)
  const { weight, weight_unsampled, ...counts } = rest
  const byTurn = readSome(COUNT, by_turn)
  return {
    ...counts,
    byPart: readColumn(COUNT, by_part, PARTS.length),
    trainedByPart: readColumn(COUNT, trained_by_part, PARTS.length),
    byTurn,
    trainedByTurn: readColumn(COUNT, trained_by_turn, byTurn.length),
    ends: ends === undefined ? null : readColumn(COUNT, ends, TURN_KINDS.length),
    trainedEnds: trained_ends === undefined ? null : readColumn(COUNT, trained_ends, TURN_KINDS.length),
    unknownByPart: read(unknown_by_part, PARTS.length),
    unknownByTurn: read(unknown_by_turn, byTurn.length),
    unknownEnds: read(unknown_ends, TURN_KINDS.length),
    byTool: new Map(by_tool.map(decodeTool)),
    maskKnown: weight !== null,
    weight: BigInt(weight ?? 0),
    weightUnsampled: weight_unsampled === null ? null : BigInt(weight_unsampled),
  }
}
