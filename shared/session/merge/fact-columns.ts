import { BEYOND_MESSAGES, END_REASONS, type TrajectoryFacts, UNTRAINED_ENDS } from '../../checks/facts/facts.ts'
import { GAP_CAUSES } from '../../checks/logprobs/gap.ts'
import { LINES, type Line } from '../../checks/logprobs/gap-line.ts'
import { KL_FORMULAS } from '../../checks/logprobs/kl-formulas.ts'
import type { LaterDenials } from '../../checks/logprobs/later-denials.ts'
import type { GapSums, KlSums } from '../../checks/logprobs/sums.ts'
import type { Tilt } from '../../checks/logprobs/tilt.ts'
import type { VersionGaps } from '../../checks/logprobs/version-gaps.ts'
import { HOLE_CODES } from '../../checks/mask/ratio-holes.ts'
import { UNANSWERED_ENDS } from '../../checks/oracles/unanswered-end.ts'
import { ANSWER_PLACES } from '../../checks/texts/answer-place.ts'
import type { PairingFacts } from '../../checks/texts/pairing.ts'
import { LIMIT_NAMES, type LimitName } from '../../model/streams.ts'
import { LOSS_STREAMS } from '../../model/trajectory.ts'
import { type Cells, COUNT, countTo, FLAG, NUMBER, nullable, oneOf, optional, TEXT } from './columns.ts'
import { listOf, PAIR, recordOf } from './composites.ts'
import { LONG_REPLIES, LONGEST_OF_KINDS } from './reply-columns.ts'

type Pairing = PairingFacts[keyof PairingFacts]

/** A rollout as the columns have it: objects whose fields repeat from row to row by their own are spread over several. */
export interface Row extends Omit<TrajectoryFacts, 'place' | 'strip' | 'pairing' | 'rewards' | 'limits'> {
  readonly record: number
  readonly part: number
  /** Names and values of the reward's components, and of the limits that the record declares. */
  readonly rewardNames: readonly string[] | null
  readonly rewardValues: readonly number[] | null
  readonly limitNames: readonly LimitName[] | undefined
  readonly limitValues: readonly number[] | undefined
  /** Undefined where the rollout has no `pairing`. */
  readonly question: Pairing | undefined
  readonly questionIds: Pairing | undefined
  readonly idWords: Pairing | undefined
  readonly flatSystem: Pairing | undefined
  readonly questionSentences: Pairing | undefined
  readonly system: Pairing | undefined
  readonly tools: Pairing | undefined
  readonly besideTools: Pairing | undefined
  readonly opening: Pairing | undefined
  readonly replyRoles: Pairing | undefined
  readonly answer: Pairing | undefined
}

export interface Column<Value> {
  readonly cells: Cells<Value>
  /** The value that nearly every row has, from what stands in the columns before it and in the row before it; then the cell is `=`. */
  readonly expected?: (row: Telling, before: Telling | null) => Value
}

/** What of a row tells what others of its values are expected to be. */
export type Telling = Pick<Row, 'record' | 'part' | 'line' | 'advantage' | 'length' | 'padding' | 'unknown' | 'trained'>

/** What no field of the facts is by itself. */
export type Derived = Omit<Row, keyof TrajectoryFacts>

const text = nullable(TEXT)
const number = nullable(NUMBER)
const digest = { cells: optional(text) }

/** Turn by turn is counted over all rollouts: a file may not claim more of them than a context has tokens. */
const TURNS = countTo(1 << 20)

const STORED_KL: Cells<NonNullable<KlSums['stored']>> = recordOf(
  {
    count: NUMBER,
    sum: NUMBER,
    least: NUMBER,
    leastToken: NUMBER,
    squares: NUMBER,
    products: listOf(NUMBER),
    formulaSquares: listOf(NUMBER),
  },
  ';',
)

const GAP: Cells<GapSums> = recordOf(
  {
    count: NUMBER,
    sum: NUMBER,
    absolute: NUMBER,
    squares: NUMBER,
    largest: NUMBER,
    trainerSum: NUMBER,
    samplerValues: NUMBER,
    samplerHash: TEXT,
  },
  ':',
)

const LINE: Cells<Line> = recordOf({ of: oneOf(LINES), slope: NUMBER, explained: NUMBER, count: NUMBER }, ';')

const TILT: Cells<Tilt> = recordOf(
  {
    logprobs: listOf(NUMBER),
    odds: listOf(NUMBER),
    span: PAIR,
    own: nullable(LINE),
    otherwise: oneOf(GAP_CAUSES),
  },
  ':',
)

const VERSION_GAPS: Cells<VersionGaps> = recordOf(
  {
    older: listOf(NUMBER),
    newest: listOf(NUMBER),
    versions: listOf(NUMBER),
    starts: listOf(NUMBER),
    ends: listOf(NUMBER),
    tokens: listOf(NUMBER),
    means: listOf(NUMBER),
  },
  ':',
)

const LATER_DENIALS: Cells<LaterDenials> = recordOf(
  { first: listOf(NUMBER), later: listOf(NUMBER), turn: TURNS, span: PAIR },
  ':',
)

const KL: Cells<KlSums> = recordOf(
  {
    count: NUMBER,
    formulas: listOf(NUMBER),
    largest: NUMBER,
    largestToken: NUMBER,
    trainerSum: NUMBER,
    referenceSum: NUMBER,
    stored: nullable(STORED_KL),
    declared: nullable(oneOf(KL_FORMULAS)),
  },
  ':',
)

const CUT_LEFT: Cells<NonNullable<TrajectoryFacts['cutLeft']>> = recordOf(
  { tokens: PAIR, text: TEXT, lost: number },
  ':',
)

/** In the order in which they are read; a fact that is not here would be lost, so every one must be. */
const COLUMNS: { readonly [Name in keyof Required<Row>]: Column<Row[Name]> } = {
  recordHash: { cells: TEXT },
  part: { cells: COUNT, expected: () => 0 },
  record: {
    cells: COUNT,
    expected: ({ part }, before) => (before === null ? 0 : part > 0 ? before.record : before.record + 1),
  },
  line: {
    cells: optional(COUNT),
    expected: ({ record }, before) =>
      before === null ? record + 1 : before.line === undefined ? undefined : before.line + record - before.record,
  },
  id: { cells: TEXT, expected: ({ part, record }) => (part === 0 ? String(record) : `${record}.${part}`) },
  branchOf: { cells: text },
  prefixBroken: { cells: optional(TEXT) },
  splitsPrefix: { cells: optional(FLAG) },
  group: { cells: text },
  groupSize: { cells: number },
  step: { cells: number },
  version: { cells: optional(NUMBER) },
  reward: { cells: number },
  rewardNames: { cells: nullable(listOf(TEXT)) },
  rewardValues: { cells: nullable(listOf(NUMBER)) },
  limitNames: { cells: optional(listOf(oneOf(LIMIT_NAMES))) },
  limitValues: { cells: optional(listOf(NUMBER)) },
  advantage: { cells: number },
  maxAdvantage: { cells: number, expected: ({ advantage }) => (advantage === null ? null : Math.abs(advantage)) },
  advantageChangesAt: { cells: optional(NUMBER) },
  earlierCredit: {
    cells: optional(
      recordOf(
        {
          credit: number,
          last: NUMBER,
          start: NUMBER,
          end: NUMBER,
          turns: NUMBER,
          trained: NUMBER,
          isKlUntold: FLAG,
          isKlReversed: FLAG,
          isByTurn: FLAG,
        },
        ':',
      ),
    ),
  },
  length: { cells: NUMBER },
  reconstructed: { cells: optional(FLAG) },
  padding: { cells: NUMBER },
  realLength: { cells: NUMBER, expected: ({ length, padding }) => length - padding },
  promptLength: { cells: number },
  unknown: { cells: NUMBER },
  trained: { cells: number },
  masked: {
    cells: number,
    expected: ({ trained, length, padding, unknown }) =>
      trained === null ? null : length - padding - unknown - trained,
  },
  weight: { cells: number, expected: ({ trained }) => trained },
  turns: { cells: TURNS },
  assistantTurns: { cells: TURNS },
  toolTurns: { cells: TURNS },
  edges: { cells: optional(NUMBER) },
  branchEnds: { cells: optional(recordOf({ trained: listOf(TEXT), context: listOf(TEXT) }, ':')) },
  rootHash: { cells: optional(TEXT) },
  oneBosHash: { cells: optional(TEXT) },
  unanswered: { cells: optional(oneOf(UNANSWERED_ENDS)) },
  untrainedEnd: { cells: optional(oneOf(UNTRAINED_ENDS)) },
  endBehind: { cells: optional(NUMBER) },
  silentEnds: { cells: optional(listOf(NUMBER)) },
  endLogprobs: {
    cells: optional(
      recordOf({ maskedZero: NUMBER, maskedScored: NUMBER, trainedZero: NUMBER, trainedScored: NUMBER }, ':'),
    ),
  },
  zeroEnds: {
    cells: optional(listOf(recordOf({ index: NUMBER, turn: NUMBER, token: NUMBER, id: NUMBER, boundary: TEXT }, ':'))),
  },
  ratioRange: { cells: optional(recordOf({ least: NUMBER, greatest: NUMBER }, ':')) },
  leftOutRatios: {
    cells: optional(recordOf({ tokens: NUMBER, sum: NUMBER, below: number, above: number }, ':')),
  },
  ratioHoles: {
    cells: optional(
      listOf(
        recordOf(
          {
            code: oneOf(HOLE_CODES),
            index: NUMBER,
            turn: NUMBER,
            start: NUMBER,
            end: NUMBER,
            boundary: TEXT,
            isSampled: FLAG,
            isBeside: FLAG,
            below: number,
            above: number,
          },
          ':',
        ),
      ),
    ),
  },
  nullsAsMask: {
    cells: optional(recordOf({ alike: FLAG, turns: NUMBER, ends: NUMBER, heads: listOf(TEXT) }, ':')),
  },
  endPad: { cells: optional(NUMBER) },
  padEnds: { cells: optional(listOf(NUMBER)) },
  lookedAt: { cells: optional(TEXT) },
  promptOpen: { cells: optional(FLAG) },
  namelessTurns: { cells: optional(FLAG) },
  unreadCalls: { cells: optional(FLAG) },
  defaultSystem: { cells: optional(FLAG) },
  runsThrough: { cells: optional(FLAG) },
  systemReplaced: { cells: optional(FLAG) },
  firstRole: { cells: optional(text) },
  lastToken: { cells: optional(number) },
  endsClosed: { cells: optional(nullable(FLAG)) },
  openEnd: { cells: optional(PAIR) },
  stopsInCall: { cells: optional(FLAG) },
  stopsWithoutCall: { cells: optional(FLAG) },
  endsAtTag: { cells: optional(FLAG) },
  appendedEnd: { cells: optional(FLAG) },
  noEnds: { cells: optional(FLAG) },
  flaggedEnd: { cells: optional(PAIR) },
  cutLeft: { cells: optional(CUT_LEFT) },
  beginsWritten: { cells: optional(PAIR) },
  systemHash: { cells: optional(text) },
  systemCompared: { cells: optional(TEXT) },
  systemWithoutTools: { cells: optional(TEXT) },
  promptDate: { cells: optional(text) },
  systemAgain: {
    cells: optional(recordOf({ gap: NUMBER, starts: listOf(NUMBER), positions: listOf(NUMBER), end: NUMBER }, ':')),
  },
  expectedAnswer: { cells: optional(NUMBER) },
  answerPlace: { cells: optional(nullable(oneOf(ANSWER_PLACES))) },
  openTurns: { cells: optional(nullable(PAIR)) },
  openCalls: { cells: optional(nullable(PAIR)) },
  answerAt: { cells: optional(PAIR) },
  trainedPrompt: { cells: optional(nullable(PAIR)) },
  endReason: { cells: oneOf(END_REASONS) },
  finishReason: { cells: text },
  isTruncated: { cells: nullable(FLAG) },
  excluded: { cells: FLAG },
  gap: { cells: optional(GAP) },
  onlyLogprobs: { cells: optional(recordOf({ count: NUMBER, sum: NUMBER, values: NUMBER }, ';')) },
  zeroTurns: { cells: optional(NUMBER) },
  tilt: { cells: optional(TILT) },
  lifted: { cells: optional(PAIR) },
  loneZeros: { cells: optional(listOf(recordOf({ token: NUMBER, trainer: NUMBER, turn: NUMBER }, ':'))) },
  deniedEnd: {
    cells: optional(
      recordOf(
        {
          token: NUMBER,
          id: NUMBER,
          trainer: NUMBER,
          turn: NUMBER,
          ordinal: NUMBER,
          boundary: TEXT,
          endsRow: FLAG,
        },
        ':',
      ),
    ),
  },
  versionGaps: { cells: optional(VERSION_GAPS) },
  laterDenials: { cells: optional(LATER_DENIALS) },
  kl: { cells: optional(KL) },
  klRounded: {
    cells: optional(recordOf({ decimals: NUMBER, told: NUMBER, within: listOf(NUMBER) }, ':')),
  },
  brokenKl: {
    cells: optional(recordOf({ of: oneOf(['kl', 'reference']), value: TEXT, token: NUMBER, tokens: NUMBER }, ':')),
  },
  brokenAdvantage: { cells: optional(recordOf({ value: TEXT, token: number, tokens: NUMBER }, ':')) },
  noNumbers: { cells: optional(listOf(oneOf(LOSS_STREAMS))) },
  unfit: { cells: optional(FLAG) },
  unfitMask: { cells: optional(FLAG) },
  rendersOtherwise: { cells: optional(FLAG) },
  toolsDiffer: { cells: optional(FLAG) },
  toolsLeftOut: { cells: optional(TEXT) },
  calledLeftOut: { cells: optional(TEXT) },
  toolsMissing: { cells: optional(FLAG) },
  strayCall: { cells: optional(recordOf({ prompt: PAIR, call: PAIR, called: text }, ':')) },
  namedTool: { cells: optional(recordOf({ prompt: PAIR, call: PAIR, called: TEXT }, ':')) },
  besideSchema: { cells: optional(TEXT) },
  ofTools: { cells: optional(FLAG) },
  exampleTurns: { cells: optional(NUMBER) },
  askedHash: { cells: optional(TEXT) },
  calledTools: { cells: optional(TEXT) },
  parallelCalls: { cells: optional(FLAG) },
  beyondMessages: { cells: optional(oneOf(BEYOND_MESSAGES)) },
  emptyTools: { cells: optional(FLAG) },
  question: digest,
  questionIds: digest,
  idWords: digest,
  flatSystem: digest,
  questionSentences: digest,
  system: digest,
  tools: digest,
  besideTools: digest,
  opening: digest,
  replyRoles: digest,
  answer: digest,
  model: { cells: text },
  temperature: { cells: optional(number) },
  environment: { cells: optional(TEXT) },
  assistantLengths: { cells: listOf(NUMBER) },
  toolReplyLengths: { cells: listOf(NUMBER) },
  lost: { cells: NUMBER },
  cutReplies: { cells: optional(listOf(recordOf({ tokens: NUMBER, characters: NUMBER }, ':'))) },
  longestReply: { cells: optional(recordOf({ tokens: NUMBER, characters: NUMBER }, ':')) },
  longestOfKinds: { cells: optional(LONGEST_OF_KINDS) },
  longReplies: { cells: optional(LONG_REPLIES) },
  supportingDocuments: {
    cells: nullable(recordOf({ available: NUMBER, retrieved: number, visible: NUMBER, standing: NUMBER }, ':')),
  },
  idsHash: { cells: text },
  promptHash: { cells: text },
  drift: { cells: optional(recordOf({ tokens: NUMBER, splits: NUMBER }, ':')) },
  prefixHashes: { cells: optional(listOf(TEXT)) },
}

const EVERY_DERIVED: Record<keyof Required<Derived>, true> = {
  record: true,
  part: true,
  rewardNames: true,
  rewardValues: true,
  limitNames: true,
  limitValues: true,
  question: true,
  questionIds: true,
  idWords: true,
  flatSystem: true,
  questionSentences: true,
  system: true,
  tools: true,
  besideTools: true,
  opening: true,
  replyRoles: true,
  answer: true,
}
export const DERIVED: ReadonlySet<string> = new Set(Object.keys(EVERY_DERIVED))

export const NAMED = Object.entries(COLUMNS) as unknown as readonly (readonly [keyof Row, Column<unknown>])[]
