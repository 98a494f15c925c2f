import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FactColumns } from '../../shared/checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import {
  addFacts,
  copyOfFacts,
  FactsKeeper,
  packFacts,
  plainFacts,
  renumberedFacts,
} from '../../shared/checks/facts/kept-facts.ts'
import { hasHiddenDocuments, hasLostText } from '../../shared/checks/facts/rollout-filter.ts'
import { completionLength } from '../../shared/checks/limits/limits.ts'
import { type KnownLimits, LIMITED_LENGTHS, leftToLimit, leftToLimits } from '../../shared/checks/limits/limits-left.ts'
import { EDGE_NAMES } from '../../shared/checks/oracles/edges.ts'
import type { Limits } from '../../shared/model/streams.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import type { QueryNode, Test } from '../../shared/query/language/ast.ts'
import { fieldNamed, QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { sortValues } from '../../shared/query/sort-values.ts'
import { HOLDS, LEFT_TO_LIMITS, NUMBER_LISTS, NUMBERS, SEVERITY_RANKS, WORDS } from '../../shared/query/values.ts'
import { NO_MARKS, numberFits, Verdict, verdictsOf } from '../../shared/query/verdicts.ts'
import { WordTest } from '../../shared/query/word-test.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { anyDump } from '../session/any-facts.ts'
import { queries } from './arbitrary.ts'

const number = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: -1, max: 2 }))

const facts = fc
  .array(
    fc.record({
      id: fc.constantFrom('q1', 'q10', 'q2', 'Q2', 'x'),
      group: fc.option(fc.constantFrom('a', 'b', 'A', 'b (c)')),
      step: fc.option(fc.integer({ min: 0, max: 3 })),
      reward: fc.option(fc.oneof(number, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY))),
      rewards: fc.option(fc.record({ format: number })),
      trained: fc.option(fc.integer({ min: 0, max: 200 })),
      assistantLengths: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 }),
      endReason: fc.constantFrom('stop' as const, 'cut-prose' as const, 'unknown' as const),
      finishReason: fc.option(fc.constantFrom('stop', 'length')),
      excluded: fc.boolean(),
      idsHash: fc.option(fc.constant('00')),
    }),
    { maxLength: 12 },
  )
  .map((rows) => rows.map((row, record) => factsOf(record, row)))

function columnsOf(
  rows: readonly TrajectoryFacts[],
  later: ReadonlySet<TrajectoryFacts> = new Set(),
  limits: KnownLimits = dumpOf([]),
) {
  const codeLists = () => ({
    lists: [['M01', 'T12'], ['M10'], []],
    at: Int32Array.from(rows, (_, index) => index % 3),
  })
  const worstRanks = () => Uint8Array.from(rows, (_, index) => (index % 3 === 0 ? SEVERITY_RANKS.indexOf('error') : 0))
  return new RolloutColumns({
    facts: rows,
    codeLists,
    worstRanks,
    beginLater: () => later,
    openEnds: () => new Set<TrajectoryFacts>(),
    refutedStops: () => new Set<TrajectoryFacts>(),
    limits: () => limits,
    sourceName: () => 'step_1.jsonl',
  })
}

const FACT_FIELDS = QUERY_FIELDS.filter(({ reads }) => reads === 'facts')

/** What each number is, one rollout at a time; null where it has none. */
const PLAIN_NUMBERS: Readonly<Record<string, (row: TrajectoryFacts, index: number) => number | null>> = {
  reward: ({ reward }) => reward,
  advantage: ({ advantage }) => advantage,
  max_advantage: ({ maxAdvantage }) => maxAdvantage,
  step: ({ step }) => step,
  tokens: (row) => (row.idsHash === null ? null : row.realLength),
  prompt_tokens: ({ promptLength }) => (promptLength === null || promptLength < 0 ? null : promptLength),
  completion_tokens: (row) => (row.promptLength === null || row.idsHash === null ? null : completionLength(row)),
  trained_tokens: ({ trained }) => trained,
  trained_share: ({ trained, realLength }) => (trained === null || realLength === 0 ? null : trained / realLength),
  padding_tokens: (row) => (row.idsHash === null ? null : row.padding),
  turns: ({ turns }) => turns || null,
  assistant_turns: ({ turns, assistantTurns }) => (turns === 0 ? null : assistantTurns),
  tool_turns: ({ turns, toolTurns }) => (turns === 0 ? null : toolTurns),
  mean_gap: ({ gap }) => (gap === undefined ? null : gap.absolute / gap.count),
  mean_kl: ({ kl }) => (kl === undefined ? null : (kl.formulas[2] as number) / kl.count),
  lost: ({ lost }) => lost,
  temperature: ({ temperature }) => temperature ?? null,
  index: (_, index) => index,
  record: ({ place }) => place.record,
}

/** What the documentation says of a clause, one rollout at a time; null for those that this does not retell. */
function fitsPlainly(node: QueryNode, row: TrajectoryFacts, index: number): boolean | null {
  switch (node.kind) {
    case 'all':
    case 'any': {
      const parts = node.nodes.map((each) => fitsPlainly(each, row, index))
      if (parts.includes(null)) return null
      return node.kind === 'all' ? parts.every((part) => part === true) : parts.some((part) => part === true)
    }
    case 'not': {
      const inner = fitsPlainly(node.node, row, index)
      return inner === null ? null : !inner
    }
    case 'clause': {
      const { field, component, test: asked } = node
      if (component === null && PLAIN_NUMBERS[field] !== undefined && !hasWords(asked)) {
        return numberFits(asked, PLAIN_NUMBERS[field]?.(row, index) ?? Number.NaN)
      }
      if (component !== null) return numberFits(asked, row.rewards?.[component as 'format'] ?? Number.NaN)
      if (field === 'turn_tokens') return row.assistantLengths.some((value) => numberFits(asked, value))
      if (field === 'reply_tokens') return row.toolReplyLengths.some((value) => numberFits(asked, value))
      if (field === 'excluded') return row.excluded
      return null
    }
    default:
      return null
  }
}

function hasWords(asked: Test): boolean {
  return asked.kind === 'among' && asked.items.some(({ kind }) => kind === 'word')
}

describe('columns answer', () => {
  test('as asking each rollout would', () => {
    fc.assert(
      fc.property(facts, queries(FACT_FIELDS, false), (rows, tree) => {
        const columns = columnsOf(rows)
        columns.at(1)
        const verdicts = verdictsOf(planQuery(tree).whole, {
          columns,
          marks: NO_MARKS,
          probed: () => new Uint8Array(0),
          answered: new Map(),
        })
        expect(verdicts).toHaveLength(rows.length)
        for (const [index, row] of rows.entries()) {
          expect(verdicts[index]).not.toBe(Verdict.open)
          const plainly = fitsPlainly(tree, row, index)
          if (plainly !== null)
            expect([formatQuery(tree), verdicts[index] === Verdict.yes]).toEqual([formatQuery(tree), plainly])
        }
      }),
      { numRuns: 500 },
    )
  })

  test('of a clause and of its denial exactly one fits', () => {
    fc.assert(
      fc.property(facts, queries(FACT_FIELDS, false), (rows, tree) => {
        const columns = columnsOf(rows)
        columns.at(1)
        const known = { columns, marks: NO_MARKS, probed: () => new Uint8Array(0), answered: new Map() }
        const one = verdictsOf(planQuery(tree).whole, known)
        const other = verdictsOf(planQuery({ kind: 'not', node: tree, columns: { from: 0, to: 0 } }).whole, known)
        for (let i = 0; i < rows.length; i++) expect((one[i] as number) + (other[i] as number)).toBe(Verdict.yes)
      }),
      { numRuns: 300 },
    )
  })

  test('every field that reads facts has a column', () => {
    const columns = columnsOf([factsOf(0)])
    columns.at(1)
    const special = new Set([
      'finding',
      'severity',
      'findings',
      'end',
      'excluded',
      'truncated',
      'has',
      'edge',
      'group_size',
      'source',
    ])
    for (const { name } of FACT_FIELDS) {
      const isKnown =
        NUMBERS[name] !== undefined ||
        LEFT_TO_LIMITS[name] !== undefined ||
        NUMBER_LISTS[name] !== undefined ||
        Object.hasOwn(WORDS, name)
      expect([name, isKnown || special.has(name)]).toEqual([name, true])
      if (name !== 'has' && name !== 'edge') expect(sortValues(name, columns, NO_MARKS)).toHaveLength(1)
    }
    for (const name of [...Object.keys(NUMBERS), ...Object.keys(NUMBER_LISTS), ...Object.keys(WORDS)]) {
      expect(fieldNamed(name.endsWith('_reason') ? 'end' : name)?.reads).toBe('facts')
    }
  })

  test('what siblings tell of rollouts stands with these, whichever part of a dump they are in', () => {
    const rows = Array.from({ length: 20_000 }, (_, record) => factsOf(record))
    const later = [3, 8191, 8192, 19_999]
    const columns = columnsOf(rows, new Set(later.map((index) => rows[index] as TrajectoryFacts)))
    const held = columns.holds('lost', 'start')
    expect(rows.flatMap((_, index) => (held[index] === 1 ? [index] : []))).toEqual(later)
  })

  test('rollouts that come later are seen, and the size of a group is counted by step', () => {
    const rows = [factsOf(0, { group: 'a', step: 1 })]
    const columns = columnsOf(rows)
    columns.at(1)
    expect([...columns.number('group_size')]).toEqual([1])
    rows.push(factsOf(1, { group: 'a', step: 1 }), factsOf(2, { group: 'a', step: 2 }), factsOf(3))
    columns.at(2)
    expect([...columns.number('group_size')]).toEqual([2, 2, 1, Number.NaN])
    expect([...columns.number('step')]).toEqual([1, 1, 2, Number.NaN])
  })
})

/** A dump as a session keeps it: some batches in columns, others as objects; asked for a fact now and then while it grows. */
const keptDump = fc
  .tuple(anyDump, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([dump, areKept, isAsked]) => {
    // Of few rollouts are batches joined as those of millions are.
    const keeper = new FactsKeeper({ mostOfALevel: 2, rowsOfATable: 12 })
    const all: TrajectoryFacts[] = []
    for (const [at, rows] of dump.entries()) {
      addFacts(all, areKept[at % 4] ? keeper.keep(packFacts(rows))() : rows)
      if (isAsked) new FactColumns(all).numbers('turns')
    }
    return all
  })

const ENDS_IN_ONE = new WordTest((word) => word.endsWith('1'))

describe('facts of many rollouts are those of each', () => {
  const checked = (check: (rows: readonly TrajectoryFacts[], from: number) => void) =>
    fc.assert(fc.property(keptDump, fc.nat(5), (rows, from) => check(rows, Math.min(from, rows.length))))

  test('numbers', () => {
    checked((rows, from) => {
      for (const [field, numberOf] of Object.entries(PLAIN_NUMBERS)) {
        const plainly = rows.slice(from).map((row, i) => numberOf(row, from + i) ?? Number.NaN)
        expect([field, ...(NUMBERS[field]?.(new FactColumns(rows, from)) ?? [])]).toEqual([field, ...plainly])
      }
    })
  })

  test('what is left to limits', () => {
    const declared = fc.record(
      { max_seq_len: fc.nat(3), max_prompt_length: fc.nat(3), max_completion_length: fc.nat(3) },
      { requiredKeys: [] },
    )
    const ofTurns = fc.constantFrom<Partial<Limits>>({}, { max_completion_length: 2 }, { max_seq_len: 1 })
    fc.assert(
      fc.property(keptDump, fc.array(declared, { minLength: 1, maxLength: 5 }), ofTurns, (kept, limits, given) => {
        const rows = kept.map((row, i) => ({ ...plainFacts(row), limits: limits[i % limits.length] ?? {} }))
        const columns = new FactColumns(new FactsKeeper().keep(packFacts(rows))())
        const dump = dumpOf(rows, { options: { limits: given } })
        for (const of of LIMITED_LENGTHS) {
          const plainly = rows.map((row) => leftToLimit(row, of, dump) ?? Number.NaN)
          expect([of, ...leftToLimits(columns, of, dump)]).toEqual([of, ...plainly])
        }
      }),
    )
  })

  test('what the longest turn left is the same beside a length that is no number', () => {
    // The first says that the limit counts turns: its completion is longer and neither of its turns is.
    const lengths = [[30, 20], [0, Number.NaN], [Number.NaN, 3], [Number.NaN], []]
    const rows = lengths.map((assistantLengths, record) =>
      factsOf(record, { assistantLengths, limits: { max_completion_length: 40 } }),
    )
    const dump = dumpOf(rows)
    expect(rows.map((row) => leftToLimit(row, 'assistant-turn', dump))).toEqual([10, 40, 37, null, null])
    const columns = new FactColumns(new FactsKeeper().keep(packFacts(rows))())
    expect([...leftToLimits(columns, 'assistant-turn', dump)]).toEqual([10, 40, 37, Number.NaN, Number.NaN])
  })

  test('in parts, of any size', () => {
    fc.assert(
      fc.property(keptDump, fc.nat(5), fc.integer({ min: 1, max: 9 }), (rows, first, size) => {
        const from = Math.min(first, rows.length)
        const whole = new FactColumns(rows, from)
        const lengths: number[] = []
        for (const part of whole.parts(size)) {
          const here = rows.slice(part.from, part.from + part.length)
          // Both stand side by side: they are not read into the same array.
          const [turns, trained] = [part.numbers('turns'), part.numbers('trained')]
          expect([...turns]).toEqual(here.map((row) => row.turns))
          expect([...trained]).toEqual(here.map((row) => row.trained ?? Number.NaN))
          expect([...part.words('id', ENDS_IN_ONE)]).toEqual(here.map(({ id }) => Number(id.endsWith('1'))))
          lengths.push(part.length)
        }
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(rows.length - from)
        expect(lengths.slice(0, -1).every((length) => length >= size && length <= 2 * size)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('of those that were there when they were copied, and of another source since', () => {
    checked((rows) => {
      const grown = rows.slice(0, 0)
      addFacts(grown, rows)
      const copy = copyOfFacts(grown)
      addFacts(grown, renumberedFacts(rows, 9))
      expect([...new FactColumns(copy).numbers('turns')]).toEqual(rows.map(({ turns }) => turns))
      expect([...new FactColumns(grown).numbers('turns')]).toEqual([...rows, ...rows].map(({ turns }) => turns))
      for (const [i, facts] of renumberedFacts(copy, 7).entries()) copy[i] = facts
      expect([...new FactColumns(copy).numbers('place', 'source')]).toEqual(rows.map(() => 7))
    })
  })

  test('of another source since, between rollouts that are objects of their own', () => {
    const rows = Array.from({ length: 12 }, (_, record) => factsOf(record, {}))
    const few = (from: number, to: number) => new FactsKeeper().keep(packFacts(rows.slice(from, to)))()
    const all = [...few(0, 2), ...few(2, 10), ...few(10, 12)]
    expect(new FactColumns(all).numbers('place', 'source')).toHaveLength(12)
    for (const [i, facts] of renumberedFacts(all, 7).entries()) all[i] = facts
    expect([...new FactColumns(all).numbers('place', 'source')]).toEqual(Array(12).fill(7))
  })

  test('lists of numbers', () => {
    checked((rows, from) => {
      const { offsets, values } = new FactColumns(rows, from).lists('assistantLengths')
      const plainly = rows.slice(from).map(({ assistantLengths }) => assistantLengths)
      expect(plainly.map((_, i) => [...values.subarray(offsets[i], offsets[i + 1])])).toEqual(plainly)
      const isSmall = (number: number) => number < 1000
      const some = new FactColumns(rows, from).some('assistantLengths', isSmall)
      expect([...some]).toEqual(plainly.map((lengths) => Number(lengths.some(isSmall))))
      const largest = new FactColumns(rows, from).largest('assistantLengths')
      const sorted = plainly.map((lengths) => lengths.filter((each) => !Number.isNaN(each)).sort((a, b) => a - b))
      // Zeros are the same length, whatever their signs.
      expect([...largest].map((each) => each + 0)).toEqual(sorted.map((lengths) => (lengths.at(-1) ?? Number.NaN) + 0))
      const second = new FactColumns(rows, from).numbers('assistantLengths', 1)
      expect([...second]).toEqual(plainly.map((lengths) => lengths[1] ?? Number.NaN))
    })
  })

  test('the largest of a list is found on either side of what is no number', () => {
    const lists = [[5, Number.NaN], [Number.NaN, -1, 3], [Number.NaN], []]
    const rows = lists.map((assistantLengths, record) => factsOf(record, { assistantLengths }))
    for (const facts of [rows, new FactsKeeper().keep(packFacts(rows))()])
      expect([...new FactColumns(facts).largest('assistantLengths')]).toEqual([5, 3, Number.NaN, Number.NaN])
  })

  test('words', () => {
    checked((rows, from) => {
      for (const name of Object.values(WORDS)) {
        const words: (string | null)[] = []
        const at = new FactColumns(rows, from).numbered(name, (word) => words.push(word ?? null) - 1)
        expect([...at].map((number) => words[number])).toEqual(rows.slice(from).map((row) => row[name] ?? null))
      }
    })
  })

  test('what holds of them', () => {
    checked((rows, from) => {
      const facts = new FactColumns(rows, from)
      const open = new Set(rows.filter((_, at) => at % 3 === 0))
      const refuted = new Set(rows.filter(({ endReason }, at) => at % 3 === 1 && endReason === 'stop'))
      const told = {
        beginLater: () => new Uint8Array(facts.length),
        openEnds: () => Uint8Array.from(rows.slice(from), (row) => Number(open.has(row))),
        refutedStops: () => Uint8Array.from(rows.slice(from), (row) => Number(refuted.has(row))),
      }
      const held = (field: string, choice: string) => [...(HOLDS[field]?.[choice]?.(facts, told) ?? [])]
      const plainly = (holds: (row: TrajectoryFacts) => boolean) => rows.slice(from).map((row) => Number(holds(row)))
      expect(held('lost', 'any')).toEqual(plainly((row) => hasLostText(row, { open, refuted })))
      expect(held('lost', 'documents')).toEqual(plainly(hasHiddenDocuments))
      expect(held('truncated', 'yes')).toEqual(plainly(({ isTruncated }) => isTruncated === true))
      const bit = EDGE_NAMES.indexOf('assistant>tool')
      expect(held('edge', 'assistant>tool')).toEqual(plainly(({ edges = 0 }) => Math.floor(edges / 2 ** bit) % 2 === 1))
      expect(held('has', 'ids')).toEqual(plainly(({ idsHash }) => idsHash !== null))
      expect(held('has', 'logprob_gap')).toEqual(plainly(({ gap }) => gap !== undefined))
      expect(held('has', 'documents')).toEqual(plainly(({ supportingDocuments }) => supportingDocuments !== null))
    })
  })

  test('names of components', () => {
    checked((rows, from) => {
      const counts = new Map<string, number>()
      for (const { rewards } of rows.slice(from)) {
        for (const name of Object.keys(rewards ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
      expect(new FactColumns(rows, from).names('rewards')).toEqual(counts)
      for (const name of counts.keys()) {
        const plainly = rows
          .slice(from)
          .map(({ rewards }) => (rewards !== null && Object.hasOwn(rewards, name) ? rewards[name] : Number.NaN))
        expect([...new FactColumns(rows, from).numbers('rewards', name)]).toEqual(plainly)
      }
    })
  })
})

/** Numbers between -1 and 1, laid out: evenly, over many sizes, all but a few beside each other, whole. */
