import type { RolloutColumns } from './columns.ts'
import type { ClauseNode, Comparison, Item, Test } from './language/ast.ts'
import { fieldNamed } from './language/fields.ts'
import { wordMatcher } from './match-words.ts'
import type { PlanNode } from './plan.ts'
import { HOLDS, NUMBER_LISTS, SEVERITY_RANKS } from './values.ts'
import { addHeld, lookedUp, withBoth, withEither } from './verdict-loops.ts'
import { WordTest } from './word-test.ts'

/** Of a rollout: it does not fit, that takes reading it again, it fits. By their bits, `all` is what verdicts share and `any` what they have together. */
export const Verdict = { no: 0, open: 1, yes: 3 } as const

/** Marks of the rollouts that are read, by index. */
export interface MarkColumns {
  readonly flagged: ReadonlySet<number>
  readonly labels: ReadonlyMap<string, ReadonlySet<number>>
  readonly notes: ReadonlyMap<number, readonly string[]>
}

export const NO_MARKS: MarkColumns = { flagged: new Set(), labels: new Map(), notes: new Map() }

export interface Known {
  readonly columns: RolloutColumns
  readonly marks: MarkColumns
  /** What reading again has shown so far, a `Verdict` a rollout. */
  probed(key: string): Uint8Array
  /** Clauses that were answered before, for all that is asked of the same revision. */
  readonly answered: Map<ClauseNode, Uint8Array>
}

/** A `Verdict` for every rollout, not to be written to. */
export function verdictsOf(plan: PlanNode, known: Known): Uint8Array {
  switch (plan.kind) {
    case 'all': {
      const verdicts = verdictsOf(plan.nodes[0] as PlanNode, known).slice()
      for (const node of plan.nodes.slice(1)) withBoth(verdicts, verdictsOf(node, known))
      return verdicts
    }
    case 'any': {
      const verdicts = verdictsOf(plan.nodes[0] as PlanNode, known).slice()
      for (const node of plan.nodes.slice(1)) withEither(verdicts, verdictsOf(node, known))
      return verdicts
    }
    case 'not':
      return denied(verdictsOf(plan.node, known))
    case 'probe':
      return known.probed(plan.key)
    case 'clause': {
      const before = known.answered.get(plan.clause)
      if (before !== undefined) return before
      const verdicts = clauseVerdicts(plan.clause, known)
      known.answered.set(plan.clause, verdicts)
      return verdicts
    }
  }
}

function clauseVerdicts({ field, component, test }: ClauseNode, known: Known): Uint8Array {
  const { columns, marks } = known
  const { size } = columns
  switch (field) {
    case 'finding':
      return findingVerdicts(test, columns)
    case 'severity':
      return severityVerdicts(test, columns)
    case 'flag':
      return marked(marks.flagged, size)
    case 'label':
      return labelVerdicts(test, marks, size)
    case 'note':
      return noteVerdicts(test, marks, size)
    case 'end':
      return endVerdicts(test, columns)
    case 'excluded':
    case 'truncated':
      return doubled(columns.holds(field, 'yes'))
    case 'has':
    case 'edge':
      return choiceVerdicts(field, test, columns)
  }
  if (NUMBER_LISTS[field] !== undefined) return listVerdicts(columns, field, test)
  if (fieldNamed(field)?.type === 'number') return numberVerdicts(columns, field, component, test)
  return wordVerdicts(columns, field, test)
}

// Of a million numbers half of which fit, guessing wrong is most of the work: loops over rollouts compute what they write.

function numberVerdicts(columns: RolloutColumns, field: string, component: string | null, test: Test): Uint8Array {
  const verdicts = new Uint8Array(columns.size)
  if (test.kind === 'is') return verdicts
  if (test.kind === 'compare') {
    columns.visitNumbers(field, component, (numbers, at) => {
      compareAll(numbers, test.comparison, test.value, verdicts, at)
    })
    return verdicts
  }
  for (const item of test.items) {
    if (item.kind !== 'word' || HOLDS[field]?.[item.text] === undefined) continue
    addHeld(columns.holds(field, item.text), verdicts)
  }
  const ranges = test.items.filter(isNumeric).map(rangeOf)
  if (ranges.length === 0 && !test.differs) return verdicts
  columns.visitNumbers(field, component, (numbers, at) => {
    for (const [least, most] of ranges) addRange(numbers, least, most, verdicts, at)
    if (test.differs) denyNumbers(numbers, verdicts, at)
  })
  return verdicts
}

// Comparisons with NaN, which stands for no value, are false.

function compareAll(
  numbers: Float64Array,
  comparison: Comparison,
  value: number,
  verdicts: Uint8Array,
  at: number,
): void {
  const { length } = numbers
  switch (comparison) {
    case '<':
      for (let i = 0; i < length; i++) verdicts[at + i] = Number((numbers[i] as number) < value) * Verdict.yes
      return
    case '<=':
      for (let i = 0; i < length; i++) verdicts[at + i] = Number((numbers[i] as number) <= value) * Verdict.yes
      return
    case '>':
      for (let i = 0; i < length; i++) verdicts[at + i] = Number((numbers[i] as number) > value) * Verdict.yes
      return
    case '>=':
      for (let i = 0; i < length; i++) verdicts[at + i] = Number((numbers[i] as number) >= value) * Verdict.yes
  }
}

function addRange(numbers: Float64Array, least: number, most: number, verdicts: Uint8Array, at: number): void {
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    const isWithin = Number(number >= least) & Number(number <= most)
    verdicts[at + i] = (verdicts[at + i] as number) | (isWithin * Verdict.yes)
  }
}

/** What has no value differs from nothing. */
function denyNumbers(numbers: Float64Array, verdicts: Uint8Array, at: number): void {
  for (let i = 0; i < numbers.length; i++) {
    const isThere = Number(!Number.isNaN(numbers[i]))
    verdicts[at + i] = isThere * (Verdict.yes - (verdicts[at + i] as number))
  }
}

function isNumeric(item: Item): boolean {
  return item.kind === 'number' || item.kind === 'range'
}

function rangeOf(item: Item): readonly [number, number] {
  if (item.kind === 'number') return [item.value, item.value]
  if (item.kind !== 'range') return [Number.NaN, Number.NaN]
  return [item.least ?? Number.NEGATIVE_INFINITY, item.most ?? Number.POSITIVE_INFINITY]
}

/** Whether a number fits a test; NaN fits none. */
export function numberFits(test: Test, value: number): boolean {
  return fitsOf(test)(value)
}

function fitsOf(test: Test): (value: number) => boolean {
  if (test.kind === 'is') return () => false
  if (test.kind === 'among') {
    const ranges = test.items.map(rangeOf)
    const isOne = (value: number) => ranges.some(([least, most]) => value >= least && value <= most)
    return test.differs ? (value) => !Number.isNaN(value) && !isOne(value) : isOne
  }
  const { comparison, value: other } = test
  switch (comparison) {
    case '<':
      return (value) => value < other
    case '<=':
      return (value) => value <= other
    case '>':
      return (value) => value > other
    case '>=':
      return (value) => value >= other
  }
}

function listVerdicts(columns: RolloutColumns, field: string, test: Test): Uint8Array {
  return doubled(columns.some(field, fitsOf(test)))
}

function wordVerdicts(columns: RolloutColumns, field: string, test: Test): Uint8Array {
  const verdicts = new Uint8Array(columns.size)
  if (test.kind !== 'among') return verdicts
  const reader = WordTest.ofItems(test.items, fieldNamed(field)?.match ?? 'whole')
  const wanted = test.differs ? 0 : 1
  columns.visitWords({ [field]: reader }, ([fits], at) => {
    const own = fits as Int32Array
    for (let i = 0; i < own.length; i++) verdicts[at + i] = Number(own[i] === wanted) * Verdict.yes
  })
  return verdicts
}

function findingVerdicts(test: Test, columns: RolloutColumns): Uint8Array {
  const { codes, lists, at } = columns.codes()
  const verdicts = new Uint8Array(columns.size)
  if (test.kind !== 'among') return verdicts
  const matches = wordMatcher(test.items, 'whole')
  const isAny = test.items.some((item) => item.kind === 'word' && item.text === 'any')
  const fits = codes.map((code) => isAny || matches(code))
  const byList = Uint8Array.from(lists, (list) =>
    list.some((code) => fits[code]) !== test.differs ? Verdict.yes : Verdict.no,
  )
  lookedUp(byList, at, verdicts)
  return verdicts
}

function severityVerdicts(test: Test, columns: RolloutColumns): Uint8Array {
  if (test.kind !== 'among') return new Uint8Array(columns.size)
  const matches = wordMatcher(test.items, 'whole')
  const fits = SEVERITY_RANKS.map((word) => (matches(word) !== test.differs ? Verdict.yes : Verdict.no))
  return columns.worst().map((rank) => fits[rank] as number)
}

function choiceVerdicts(field: string, test: Test, columns: RolloutColumns): Uint8Array {
  const verdicts = new Uint8Array(columns.size)
  if (test.kind !== 'among') return verdicts
  for (const item of test.items) {
    if (item.kind !== 'word') continue
    addHeld(columns.holds(field, item.text), verdicts)
  }
  return test.differs ? denied(verdicts) : verdicts
}

/** How a rollout ended: by its ids, or by the finish reason that the dump recorded. */
function endVerdicts(test: Test, columns: RolloutColumns): Uint8Array {
  const verdicts = new Uint8Array(columns.size)
  if (test.kind !== 'among') return verdicts
  const matches = wordMatcher(test.items, 'whole')
  const cut = matches('cut')
  const readers = {
    end_reason: new WordTest((word) => matches(word) || (cut && word.startsWith('cut-'))),
    finish_reason: new WordTest(matches),
  }
  const differs = Number(test.differs)
  columns.visitWords(readers, ([own, told], at) => {
    const [ends, finishes] = [own as Int32Array, told as Int32Array]
    for (let i = 0; i < ends.length; i++) {
      const fits = Number(ends[i] === 1) | Number(finishes[i] === 1)
      verdicts[at + i] = (fits ^ differs) * Verdict.yes
    }
  })
  return verdicts
}

/** What is open stays so. */
const DENIED = Uint8Array.of(Verdict.yes, Verdict.open, Verdict.open, Verdict.no)

function denied(verdicts: Uint8Array): Uint8Array {
  const others = new Uint8Array(verdicts.length)
  lookedUp(DENIED, verdicts, others)
  return others
}

function marked(indices: Iterable<number>, size: number): Uint8Array {
  const verdicts = new Uint8Array(size)
  for (const index of indices) if (index >= 0 && index < size) verdicts[index] = Verdict.yes
  return verdicts
}

function labelVerdicts(test: Test, { labels }: MarkColumns, size: number): Uint8Array {
  if (test.kind !== 'among') return new Uint8Array(size)
  const matches = wordMatcher(test.items, 'whole')
  const having = new Set<number>()
  const others = new Set<number>()
  for (const [label, indices] of labels) for (const index of indices) (matches(label) ? having : others).add(index)
  return marked(test.differs ? [...others].filter((index) => !having.has(index)) : having, size)
}

function noteVerdicts(test: Test, { notes }: MarkColumns, size: number): Uint8Array {
  if (test.kind !== 'among') return new Uint8Array(size)
  const matches = wordMatcher(test.items, 'contains')
  const having = [...notes].filter(([, texts]) => texts.some(matches) !== test.differs)
  return marked(
    having.map(([index]) => index),
    size,
  )
}

const HELD = Uint8Array.of(Verdict.no, Verdict.yes)

function doubled(holds: Uint8Array): Uint8Array {
  const verdicts = new Uint8Array(holds.length)
  lookedUp(HELD, holds, verdicts)
  return verdicts
}
