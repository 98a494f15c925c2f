import fc from 'fast-check'
import { BEYOND_MESSAGES, END_REASONS, type TrajectoryFacts, UNTRAINED_ENDS } from '../../shared/checks/facts/facts.ts'
import { GAP_CAUSES } from '../../shared/checks/logprobs/gap.ts'
import { LINES } from '../../shared/checks/logprobs/gap-line.ts'
import { KL_FORMULAS } from '../../shared/checks/logprobs/kl-formulas.ts'
import type { VersionGaps } from '../../shared/checks/logprobs/version-gaps.ts'
import { HOLE_CODES } from '../../shared/checks/mask/ratio-holes.ts'
import { EDGE_NAMES } from '../../shared/checks/oracles/edges.ts'
import { UNANSWERED_ENDS } from '../../shared/checks/oracles/unanswered-end.ts'
import { ANSWER_PLACES } from '../../shared/checks/texts/answer-place.ts'
import { OPEN_ENDS } from '../../shared/checks/truncation/long-replies.ts'
import { LOSS_STREAMS } from '../../shared/model/trajectory.ts'
import { factsOf } from '../helpers/facts.ts'

const number = fc.oneof(fc.integer(), fc.double(), fc.constant(-0))
const text = fc.oneof(fc.string(), fc.constantFrom('', '-', '=', '__proto__', '0123456789abcdef'))
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values)
const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => bits.toString(16).padStart(16, '0'))

const flag = fc.boolean()
const numbers = (length: number) => fc.array(number, { minLength: length, maxLength: length })
const object = { noNullPrototype: true } as const

/** Every fact but its place and its drawing: one that is not here does not compile. */
const ANY = {
  id: text,
  recordHash: hash,
  line: fc.nat(),
  branchOf: maybe(text),
  prefixBroken: text,
  splitsPrefix: flag,
  group: maybe(text),
  groupSize: maybe(number),
  step: maybe(number),
  version: number,
  reward: maybe(number),
  rewards: maybe(fc.dictionary(text, number, object)),
  advantage: maybe(number),
  maxAdvantage: maybe(number),
  advantageChangesAt: fc.nat(),
  earlierCredit: fc.record(
    {
      credit: maybe(number),
      last: number,
      start: number,
      end: number,
      turns: number,
      trained: number,
      isKlUntold: flag,
      isKlReversed: flag,
      isByTurn: flag,
    },
    object,
  ),
  length: number,
  reconstructed: flag,
  realLength: number,
  promptLength: maybe(number),
  trained: maybe(number),
  masked: maybe(number),
  padding: number,
  unknown: number,
  weight: maybe(number),
  turns: fc.nat(1 << 20),
  assistantTurns: fc.nat(1 << 20),
  toolTurns: fc.nat(1 << 20),
  edges: fc.nat(2 ** 30 - 1),
  firstRole: maybe(text),
  lastToken: maybe(number),
  endsClosed: maybe(flag),
  openEnd: fc.tuple(number, number),
  noEnds: flag,
  flaggedEnd: fc.tuple(number, number),
  appendedEnd: flag,
  cutLeft: fc.record({ tokens: fc.tuple(number, number), text, lost: maybe(number) }, object),
  beginsWritten: fc.tuple(number, number),
  systemHash: maybe(hash),
  systemCompared: hash,
  systemWithoutTools: hash,
  promptDate: maybe(text),
  systemAgain: fc.record({ gap: number, starts: fc.array(number), positions: fc.array(number), end: number }, object),
  answerPlace: maybe(fc.constantFrom(...ANSWER_PLACES)),
  openTurns: maybe(fc.tuple(number, number)),
  openCalls: maybe(fc.tuple(number, number)),
  expectedAnswer: fc.nat(0xffff_ffff),
  answerAt: fc.tuple(number, number),
  trainedPrompt: maybe(fc.tuple(number, number)),
  endReason: fc.constantFrom(...END_REASONS),
  finishReason: maybe(text),
  isTruncated: maybe(flag),
  limits: fc.record({ max_turns: number, max_seq_len: number }, { requiredKeys: [], ...object }),
  excluded: flag,
  gap: fc.record(
    {
      count: number,
      sum: number,
      absolute: number,
      squares: number,
      largest: number,
      trainerSum: number,
      samplerValues: number,
      samplerHash: hash,
    },
    object,
  ),
  onlyLogprobs: fc.record({ count: number, sum: number, values: number }, object),
  tilt: fc.record(
    {
      logprobs: numbers(6),
      odds: numbers(6),
      span: fc.tuple(number, number),
      own: maybe(fc.record({ of: fc.constantFrom(...LINES), slope: number, explained: number, count: number }, object)),
      otherwise: fc.constantFrom(...GAP_CAUSES),
    },
    object,
  ),
  versionGaps: fc.record(
    Object.fromEntries(
      ['older', 'newest', 'versions', 'starts', 'ends', 'tokens', 'means'].map((name) => [name, fc.array(fc.nat())]),
    ) as Record<keyof VersionGaps, fc.Arbitrary<number[]>>,
    object,
  ),
  laterDenials: fc.record(
    { first: numbers(2), later: numbers(2), turn: fc.nat(9), span: fc.tuple(number, number) },
    object,
  ),
  zeroTurns: fc.nat(),
  lifted: fc.tuple(fc.nat(), fc.nat()),
  loneZeros: fc.array(
    fc.record({ token: fc.nat(), trainer: fc.double({ noNaN: true }), turn: fc.integer({ min: -1 }) }, object),
  ),
  deniedEnd: fc.record(
    {
      token: fc.nat(),
      id: fc.nat(),
      trainer: fc.double({ noNaN: true }),
      turn: fc.nat(),
      ordinal: fc.nat(),
      boundary: text,
      endsRow: flag,
    },
    object,
  ),
  kl: fc.record(
    {
      count: number,
      formulas: numbers(KL_FORMULAS.length),
      largest: number,
      largestToken: number,
      trainerSum: number,
      referenceSum: number,
      stored: maybe(
        fc.record(
          {
            count: number,
            sum: number,
            least: number,
            leastToken: fc.nat(),
            squares: number,
            products: numbers(KL_FORMULAS.length),
            formulaSquares: numbers(KL_FORMULAS.length),
          },
          object,
        ),
      ),
      declared: maybe(fc.constantFrom(...KL_FORMULAS)),
    },
    object,
  ),
  klRounded: fc.record({ decimals: number, told: number, within: numbers(KL_FORMULAS.length) }, object),
  brokenKl: fc.record(
    { of: fc.constantFrom('kl', 'reference'), value: text, token: fc.nat(), tokens: fc.nat() },
    object,
  ),
  brokenAdvantage: fc.record({ value: text, token: maybe(fc.nat()), tokens: fc.nat() }, object),
  noNumbers: fc.subarray([...LOSS_STREAMS]),
  unfit: flag,
  unfitMask: flag,
  branchEnds: fc.record({ trained: fc.array(text), context: fc.array(text) }, object),
  rootHash: text,
  oneBosHash: text,
  unanswered: fc.constantFrom(...UNANSWERED_ENDS),
  untrainedEnd: fc.constantFrom(...UNTRAINED_ENDS),
  endBehind: fc.nat(),
  silentEnds: fc.array(fc.nat()),
  endLogprobs: fc.record(
    { maskedZero: fc.nat(), maskedScored: fc.nat(), trainedZero: fc.nat(), trainedScored: fc.nat() },
    object,
  ),
  zeroEnds: fc.array(
    fc.record(
      { index: fc.nat(), turn: fc.nat(), token: fc.nat(), id: fc.nat(), boundary: fc.constantFrom(...EDGE_NAMES) },
      object,
    ),
  ),
  ratioRange: fc.record({ least: number, greatest: number }, object),
  leftOutRatios: fc.record({ tokens: fc.nat(), sum: number, below: maybe(number), above: maybe(number) }, object),
  ratioHoles: fc.array(
    fc.record(
      {
        code: fc.constantFrom(...HOLE_CODES),
        index: fc.nat(),
        turn: fc.nat(),
        start: fc.nat(),
        end: fc.nat(),
        boundary: fc.constantFrom('', ...EDGE_NAMES),
        isSampled: flag,
        isBeside: flag,
        below: maybe(number),
        above: maybe(number),
      },
      object,
    ),
  ),
  nullsAsMask: fc.record(
    { alike: fc.boolean(), turns: fc.nat(), ends: fc.nat(), heads: fc.array(fc.string()) },
    object,
  ),
  endPad: fc.nat(),
  padEnds: fc.array(fc.nat()),
  lookedAt: fc.string(),
  promptOpen: flag,
  namelessTurns: flag,
  unreadCalls: flag,
  defaultSystem: flag,
  runsThrough: flag,
  systemReplaced: flag,
  rendersOtherwise: flag,
  stopsInCall: flag,
  stopsWithoutCall: flag,
  endsAtTag: flag,
  toolsDiffer: flag,
  toolsLeftOut: fc.string(),
  exampleTurns: fc.nat(),
  askedHash: text,
  calledTools: fc.string(),
  parallelCalls: flag,
  calledLeftOut: fc.string(),
  toolsMissing: flag,
  strayCall: fc.record(
    { prompt: fc.tuple(fc.nat(), fc.nat()), call: fc.tuple(fc.nat(), fc.nat()), called: maybe(text) },
    object,
  ),
  namedTool: fc.record(
    { prompt: fc.tuple(fc.nat(), fc.nat()), call: fc.tuple(fc.nat(), fc.nat()), called: text },
    object,
  ),
  besideSchema: text,
  ofTools: flag,
  beyondMessages: fc.constantFrom(...BEYOND_MESSAGES),
  emptyTools: flag,
  pairing: fc.record(
    {
      question: maybe(text),
      questionIds: text,
      idWords: text,
      flatSystem: text,
      questionSentences: text,
      system: maybe(hash),
      tools: maybe(text),
      besideTools: hash,
      opening: text,
      replyRoles: text,
      answer: maybe(hash),
    },
    { ...object, requiredKeys: ['question', 'system', 'tools', 'answer'] },
  ),
  model: maybe(text),
  temperature: maybe(number),
  environment: text,
  assistantLengths: fc.array(number),
  toolReplyLengths: fc.array(fc.nat()),
  prefixHashes: fc.array(text),
  drift: fc.record({ tokens: fc.nat(), splits: fc.nat() }, object),
  lost: number,
  cutReplies: fc.array(fc.record({ tokens: fc.nat(), characters: fc.nat() }, object)),
  longestReply: fc.record({ tokens: fc.nat(), characters: fc.nat() }, object),
  longestOfKinds: fc.array(
    fc.record(
      { start: fc.nat(), end: fc.nat(), tokens: fc.nat(), characters: fc.nat(), tool: text, turn: fc.nat() },
      object,
    ),
  ),
  longReplies: fc.array(
    fc.record(
      {
        start: fc.nat(),
        end: fc.nat(),
        tokens: fc.nat(),
        characters: fc.nat(),
        open: fc.constantFrom(...OPEN_ENDS),
        text: hash,
        edge: hash,
        tool: text,
        turn: fc.nat(),
      },
      object,
    ),
  ),
  supportingDocuments: maybe(
    fc.record({ available: fc.nat(), retrieved: maybe(fc.nat()), visible: fc.nat(), standing: fc.nat() }, object),
  ),
  idsHash: maybe(hash),
  promptHash: maybe(hash),
} satisfies {
  [Name in keyof Required<Omit<TrajectoryFacts, 'place' | 'strip'>>]: fc.Arbitrary<Required<TrajectoryFacts>[Name]>
}

/** Facts that no dump may ever have, and some that every dump has. */
const anyFacts: fc.Arbitrary<Partial<TrajectoryFacts>> = fc.record(ANY, { requiredKeys: [], noNullPrototype: true })

/** Sources of records with one to three parts. */
export const anyDump: fc.Arbitrary<TrajectoryFacts[][]> = fc
  .array(fc.array(fc.array(anyFacts, { minLength: 1, maxLength: 3 })), { maxLength: 3 })
  .map((sources) =>
    sources.map((records, source) =>
      records.flatMap((parts, record) =>
        parts.map((more, part) => ({ ...factsOf(record * 3), ...more, place: { source, record, part } })),
      ),
    ),
  )
