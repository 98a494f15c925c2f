import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { CHECKS } from '../../checks/registry.ts'
import type { RecordSpans } from '../../containers/container.ts'
import { counted } from '../../model/number-text.ts'
import { inSteps, type Steps } from '../../model/steps.ts'
import { ProbeAnswers } from '../../query/answers.ts'
import { RolloutColumns } from '../../query/columns.ts'
import { cutOtherwise } from '../../query/cut-otherwise.ts'
import { dumpValues } from '../../query/dump-values.ts'
import { explainPlaces, explainPlan, explainQuery } from '../../query/explain.ts'
import type { ParsedQuery, QueryNode } from '../../query/language/ast.ts'
import type { DumpValues } from '../../query/language/complete.ts'
import { parseQuery } from '../../query/language/parse.ts'
import { markColumns } from '../../query/marks.ts'
import { ordered } from '../../query/order.ts'
import { type PlanNode, planQuery, type QueryPlan } from '../../query/plan.ts'
import { MOST_HITS } from '../../query/probe.ts'
import { sortValues } from '../../query/sort-values.ts'
import type { QueryableRollouts } from '../../query/values.ts'
import { countByList, countOf, fittingInOrder, indicesOf } from '../../query/verdict-loops.ts'
import { type MarkColumns, NO_MARKS, Verdict, verdictsOf } from '../../query/verdicts.ts'
import type { AuditRuntime } from '../audit/batch.ts'
import type { EngineHost } from '../host.ts'
import type { OpenSource } from '../opening/open-source.ts'
import type { ClauseCount, SearchHits, SearchRequest, SearchResult } from '../requests/query.ts'
import { lookInside } from './search-pass.ts'

/** What a search needs of a session. */
export interface SearchOrigin extends QueryableRollouts {
  /** Grows with whatever may change a rollout's facts or findings. */
  readonly revision: number
  /** Nothing more will be read: findings of the dump are final. */
  readonly isDone: boolean
  readonly opened: readonly OpenSource[]
  readonly runtime: AuditRuntime
  readonly host: EngineHost
  spans(source: number): readonly RecordSpans[]
  codesOf(index: number): readonly string[]
}

export interface SearchHooks {
  readonly signal?: AbortSignal
  /** Hears of the whole result so far while rollouts are read again. */
  tell?(result: SearchResult): void
}

/** What is kept of probes that were asked before; each takes 16 bytes a rollout. */
const MOST_ANSWERS = 12

/** How often results so far are told, in milliseconds. */
const TELL_EVERY = 250

const CODES = CHECKS.map(({ code }) => code)

/** Answers queries over the rollouts of a session, and remembers what was found inside of them. */
export class RolloutSearch {
  private readonly columns: RolloutColumns
  /** By probe, the one that was asked last at the end. */
  private readonly answers = new Map<string, ProbeAnswers>()
  private isRehearsed = false
  /** Those that rollouts are being read again for: their answers must not make place for others. */
  private readonly underWay = new Set<QueryPlan>()

  constructor(private readonly origin: SearchOrigin) {
    this.columns = new RolloutColumns(origin)
  }

  /** Rejects with the signal's reason, and with a sentence for what nothing is sorted by. */
  async search(request: SearchRequest, hooks: SearchHooks = {}): Promise<SearchResult> {
    const { signal, tell } = hooks
    const { text, marks: given } = request
    const parsed = parseQuery(text, { codes: CODES })
    this.refresh()
    const marks = given === undefined ? NO_MARKS : markColumns(given)
    if (parsed.problems.length > 0) return { ...nothing(this.columns.size), problems: parsed.problems }
    const plan = parsed.root === null ? null : planQuery(parsed.root)
    const task = { request, parsed, plan, marks, size: this.columns.size }
    const { facts } = this.origin
    const first = this.judge(task)
    const open = indicesOf(first.verdicts, Verdict.open)
    if (open.length === 0) return this.result(task, first, null)
    if (plan === null) return this.result(task, first, null)
    // Of all that facts leave open, not of those that an earlier search has not seen: a person counts the rollouts.
    const of = countOf(
      this.judge(task, () => new Uint8Array(this.columns.size).fill(Verdict.open)).verdicts,
      Verdict.open,
    )
    const before = of - open.length
    this.underWay.add(plan)
    try {
      // How far it came is known from the first rollouts on, also to who stops it at once.
      let [told, cost] = [0, 0]
      await lookInside(this.origin, open, this.missing(plan, open), {
        ...(signal === undefined ? {} : { signal }),
        onProgress: (done) => {
          const now = Date.now()
          if (tell === undefined || facts !== this.origin.facts || now - told < Math.max(TELL_EVERY, 4 * cost)) return
          tell(this.result(task, this.judge(task), { done: before + done, of }))
          told = Date.now()
          cost = told - now
        },
      })
      signal?.throwIfAborted()
      if (facts === this.origin.facts) return this.result(task, this.judge(task), null)
    } finally {
      this.underWay.delete(plan)
    }
    // A run that is followed has grown meanwhile, and its rollouts stand elsewhere: what was found is not looked for again.
    return this.search(request, hooks)
  }

  /** What completion may offer of what has been read. */
  async values(): Promise<DumpValues> {
    this.refresh()
    const values = await inSteps(dumpValues(this.columns, CHECKS))
    if (!this.isRehearsed && this.columns.size >= 2 * ROLLOUTS_OF_REHEARSAL) {
      this.isRehearsed = true
      await inSteps(rehearsing(this.origin))
    }
    return values
  }

  private refresh(): void {
    const before = this.columns.at(this.origin.revision)
    if (before === null || this.answers.size === 0) return
    const { facts } = this.origin
    const places = placesNow(before, facts)
    for (const [key, answers] of this.answers) this.answers.set(key, answers.moved(places, facts.length))
  }

  private answersOf(key: string): ProbeAnswers {
    const answers = this.answers.get(key) ?? new ProbeAnswers()
    this.answers.delete(key)
    this.answers.set(key, answers)
    answers.grow(this.columns.size)
    return answers
  }

  /** The probes that have not been put to all of these rollouts, with where their answers go. */
  private missing({ probes }: QueryPlan, open: Int32Array) {
    const wanted = [...probes]
      .map(([key, probe]) => ({ probe, answers: this.answersOf(key) }))
      .filter(({ answers }) => open.some((index) => !answers.isKnown(index)))
    for (const key of this.answers.keys()) {
      if (this.answers.size <= Math.max(MOST_ANSWERS, probes.size)) break
      if (![...this.underWay].some((plan) => plan.probes.has(key))) this.answers.delete(key)
    }
    return wanted
  }

  private judge(
    { plan, marks, size }: Task,
    probed = (key: string) => this.answersOf(key).verdicts(this.columns.size),
  ): Judged {
    const known = { columns: this.columns, marks, probed, answered: new Map() }
    const judged = (node: PlanNode) => verdictsOf(node, known).subarray(0, size)
    const byTerm = plan?.terms.map(({ plan: node }) => (node === null ? null : judged(node))) ?? []
    const only = plan?.terms.length === 1 ? byTerm[0] : null
    const verdicts = plan === null ? new Uint8Array(size).fill(Verdict.yes) : (only?.slice() ?? judged(plan.whole))
    return { verdicts, byTerm }
  }

  private result(task: Task, { verdicts, byTerm }: Judged, reading: SearchResult['reading']): SearchResult {
    const { request, parsed, plan, marks, size } = task
    const indices = this.inOrder(request, verdicts, marks)
    return {
      indices,
      total: size,
      problems: [],
      sentence: explainQuery(parsed.root),
      clauses: plan === null ? [] : clauseCounts(plan, byTerm),
      hits: plan === null || plan.probes.size === 0 ? null : this.hits(plan, indices),
      findings: this.origin.isDone ? this.findingCounts(verdicts) : {},
      reading,
      notes: plan === null ? [] : this.notes(plan, parsed, size),
    }
  }

  /** The rollouts that fit. All are sorted once a revision: picking those that fit from them is far less work. */
  private inOrder(
    { sort = 'index', descending = false }: SearchRequest,
    verdicts: Uint8Array,
    marks: MarkColumns,
  ): Int32Array {
    if (sort === 'index' && !descending) return indicesOf(verdicts, Verdict.yes)
    const { columns } = this
    const make = () => ordered(sortValues(sort, columns, marks), descending)
    const hangsOnMarks = ['flag', 'label', 'labels', 'note', 'notes'].includes(sort)
    const order = hangsOnMarks ? make() : columns.kept(`${sort} ${descending}`, make)
    const most = countOf(verdicts, Verdict.yes)
    return most === order.length ? order.slice() : fittingInOrder(order, verdicts, most)
  }

  private hits({ probes }: QueryPlan, indices: Int32Array): SearchHits {
    const all = [...probes.keys()].map((key) => this.answersOf(key))
    const { length } = indices
    const hits = {
      counts: new Int32Array(length),
      more: new Uint8Array(length),
      starts: new Int32Array(length).fill(-1),
      ends: new Int32Array(length).fill(-1),
      messages: new Int32Array(length).fill(-1),
    }
    for (let i = 0; i < length; i++) {
      for (const answers of all) {
        const hit = answers.hit(indices[i] as number)
        if (hit.count === 0) continue
        if (hits.counts[i] === 0) {
          hits.starts[i] = hit.start
          hits.ends[i] = hit.end
          hits.messages[i] = hit.message
        }
        hits.counts[i] = (hits.counts[i] as number) + hit.count
        if (hit.count === MOST_HITS) hits.more[i] = 1
      }
    }
    return hits
  }

  private findingCounts(verdicts: Uint8Array): Record<string, number> {
    const { codes, lists, at } = this.columns.codes()
    const uses = new Uint32Array(lists.length)
    countByList(verdicts, at, uses)
    const counts = new Uint32Array(codes.length)
    for (const [list, own] of lists.entries()) {
      for (const code of own) counts[code] = (counts[code] as number) + (uses[list] as number)
    }
    const found = codes.map((code, i) => [code, counts[i] as number] as const).filter(([, count]) => count > 0)
    return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  private notes({ probes }: QueryPlan, { root }: ParsedQuery, size: number): string[] {
    const otherwise = cutOtherwise(root, this.columns)
    const notes = otherwise === null ? [] : [otherwise]
    const unreadable = Math.max(0, ...[...probes.keys()].map((key) => this.answersOf(key).unreadable(size)))
    if (unreadable > 0) {
      notes.push(
        `${counted(unreadable, 'rollout')} could not be read again, so nothing is found in ${unreadable === 1 ? 'it' : 'them'}. If the files changed, open them again.`,
      )
    }
    if (![...probes.values()].some(({ kind }) => kind === 'text')) return notes
    const { opened, runtime, facts } = this.origin
    const hasIds = (source: number) => facts.some(({ place, idsHash }) => place.source === source && idsHash !== null)
    const unspelt = opened
      .map(({ source }, index) => ({ name: source.name, index }))
      .filter(({ index }) => (runtime.tokenizers[index] ?? null) === null && hasIds(index))
      .map(({ name }) => name)
    if (unspelt.length > 0) {
      const where = unspelt.length === 1 ? unspelt[0] : `${unspelt.length} files`
      notes.push(`No tokenizer is known for ${where}: texts are looked for in messages alone there. Choose one.`)
    }
    return notes
  }
}

/** As people ask: a number, one of several, a word. */
const REHEARSAL = 'reward>=0.5 tokens>10 step:1..2,9 -end:length'
const ROLLOUTS_OF_REHEARSAL = 20_000
const REHEARSALS = 3

/** Answers a query for nobody: somebody is about to ask, and what the engine compiles for the first of all queries is compiled by then. */
function* rehearsing(origin: SearchOrigin): Steps<void> {
  const plan = planQuery(parseQuery(REHEARSAL).root as QueryNode)
  const columns = new RolloutColumns({ ...origin, facts: origin.facts.slice(0, ROLLOUTS_OF_REHEARSAL) })
  for (let time = 0; time < REHEARSALS; time++) {
    yield time / REHEARSALS
    const known = { columns, marks: NO_MARKS, probed: () => new Uint8Array(columns.size), answered: new Map() }
    const verdicts = verdictsOf(plan.whole, known)
    indicesOf(verdicts, Verdict.yes)
    countOf(verdicts, Verdict.open)
    countByList(verdicts, new Int32Array(verdicts.length), new Uint32Array(1))
  }
}

interface Task {
  readonly request: SearchRequest
  readonly parsed: ParsedQuery
  readonly plan: QueryPlan | null
  readonly marks: MarkColumns
  /** Rollouts that there were when the query was asked. */
  readonly size: number
}

/** Where rollouts stand now that stood elsewhere before; what has the same content is the same. */
function placesNow(
  before: readonly TrajectoryFacts[],
  now: readonly TrajectoryFacts[],
): ReadonlyMap<number, readonly number[]> {
  const keyOf = ({ recordHash, place }: TrajectoryFacts) => `${recordHash}.${place.part}`
  const old = new Map(before.map((row, index) => [keyOf(row), index]))
  const places = new Map<number, number[]>()
  for (const [index, row] of now.entries()) {
    const from = old.get(keyOf(row))
    if (from === undefined) continue
    const known = places.get(from)
    if (known === undefined) places.set(from, [index])
    else known.push(index)
  }
  return places
}

interface Judged {
  readonly verdicts: Uint8Array
  /** By term of the query; null for those that are not answered by themselves. */
  readonly byTerm: readonly (Uint8Array | null)[]
}

function nothing(total: number): SearchResult {
  return {
    indices: new Int32Array(0),
    total,
    problems: [],
    sentence: '',
    clauses: [],
    hits: null,
    findings: {},
    reading: null,
    notes: [],
  }
}

function clauseCounts({ terms }: QueryPlan, byTerm: readonly (Uint8Array | null)[]): ClauseCount[] {
  return terms.map(({ node, plan }, i) => {
    const verdicts = byTerm[i] ?? null
    const count = verdicts === null ? null : countOf(verdicts, Verdict.yes)
    const of = verdicts === null ? 0 : verdicts.length - countOf(verdicts, Verdict.open)
    return {
      ...node.columns,
      says: plan === null ? explainPlaces(node) : explainPlan(plan),
      count,
      of,
    }
  })
}
