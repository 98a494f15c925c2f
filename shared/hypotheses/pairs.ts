import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { type BothSides, pairingQuestions, type QuestionPair, type Rows } from '../checks/grouping/run-pairs.ts'
import { areSameTools } from '../checks/texts/pairing.ts'
import { areSameOpenings, isPrefill, tellsWords } from '../checks/texts/prompt-opening.ts'
import { shareReplyRole } from '../checks/texts/reply-roles.ts'
import { refutedIn } from '../checks/truncation/told-ends.ts'
import type { Count } from '../model/report.ts'
import { atOnce, forEachOf, type Steps, within } from '../model/steps.ts'
import type { HypothesisInput, SecondRun } from './hypothesis.ts'
import {
  type EndsOfRuns,
  endsApart,
  endsOf,
  type QuestionEnds,
  tellsEnd,
  tellTurnLimits,
  wasCut,
} from './paired-ends.ts'
import { type LikeTexts, likeTextsOf, type MeanRewards, meanRewardsOf } from './paired-rewards.ts'

/** What H08 measures over the questions that two runs share. A share is null where neither run tells. */
export interface PairMeasures {
  /** Questions that both runs have. */
  readonly pairs: number
  /** Rollouts of these questions, in the run that has fewer of them. */
  readonly rollouts: number
  /** Whether most of these rollouts stand in both runs, record for record: one run is then laid beside itself. */
  readonly sameRecords: boolean
  /** Pairs whose question is the same and stands among other sentences. */
  readonly words: Count | null
  readonly tools: Count | null
  readonly system: Count | null
  /** Pairs whose prompts differ id by id although tools and system text are the same. */
  readonly rendering: Count | null
  /** Pairs whose prompts begin the model's turn otherwise, as with thinking on or off. */
  readonly opening: Count | null
  /** Share of the pairs whose prompt ids agree before the model's turn of which nothing tells how the prompt begins that turn. */
  readonly openingUntold: number
  /** Pairs whose replies stand under other roles in the ids. */
  readonly replies: Count | null
  /** Pairs of which it is asked: a prompt with other tools or another system text has other ids anyhow. */
  readonly renderingAsked: number
  /** Pairs whose prompts describe the tools in one run and not in the other, though it has them: T07 of that run. */
  readonly toolsLost: number
  /** Share of rollouts that were cut, in this run and in the other, over the shared questions. */
  readonly cut: { readonly here: number; readonly there: number; readonly sure: boolean } | null
  /** Share of the questions whose rollouts are cut in one run and not in the other, beyond chance. */
  readonly endsApart: number | null
  readonly likeTexts: LikeTexts | null
  readonly meanRewards: MeanRewards | null
}

interface Measured {
  readonly other: SecondRun
  readonly sameTokenizer: boolean
  readonly measures: PairMeasures
}

const measured = new WeakMap<HypothesisInput['dump'], Measured>()

export function measurePairs(input: HypothesisInput, other: SecondRun): PairMeasures {
  return atOnce(measuringPairs(input, other))
}

/** The same in steps, once for two runs. */
export function* measuringPairs(input: HypothesisInput, other: SecondRun): Steps<PairMeasures> {
  const sameTokenizer = (input.tokenizer ?? null) !== null && input.tokenizer === other.tokenizer
  const known = measured.get(input.dump)
  if (known?.other === other && known.sameTokenizer === sameTokenizer) return known.measures
  const measures = yield* measuring(input.dump, other.dump, sameTokenizer)
  measured.set(input.dump, { other, sameTokenizer, measures })
  return measures
}

function* measuring(dump: DumpView, other: DumpView, sameTokenizer: boolean): Steps<PairMeasures> {
  const { pairs } = yield* within(0, 0.2, pairingQuestions(dump.facts, other.facts))
  const refuted = yield* within(0.2, 0.3, refutedIn([dump, other]))
  const ofRuns = { refuted, countsTurns: tellTurnLimits(pairs, { refuted }) }
  const prefills = yield* within(0.3, 0.4, findingPrefills([dump.facts, other.facts]))
  const differences: PromptDifferences[] = []
  const [own, others] = [new Ends(ofRuns), new Ends(ofRuns)]
  const ends: QuestionEnds[] = []
  const look = (pair: QuestionPair) => {
    differences.push(differencesOf(pair, sameTokenizer, prefills))
    own.add(pair.rows)
    others.add(pair.others)
    ends.push(endsOf(pair, ofRuns))
  }
  yield* within(0.4, 0.7, forEachOf(pairs, look))
  const rolloutsOf = (side: (pair: QuestionPair) => Rows) => pairs.reduce((sum, pair) => sum + side(pair).length, 0)
  return {
    pairs: pairs.length,
    rollouts: Math.min(
      rolloutsOf(({ rows }) => rows),
      rolloutsOf(({ others }) => others),
    ),
    sameRecords: areSameRecords(pairs),
    words: countOf(differences.map(({ words }) => words)),
    tools: countOf(differences.map(({ tools }) => tools)),
    system: countOf(differences.map(({ system }) => system)),
    rendering: countOf(differences.map(({ rendering }) => rendering)),
    opening: countOf(differences.map(({ opening }) => opening)),
    openingUntold: untoldOpenings(differences),
    replies: countOf(differences.map(({ replies }) => replies)),
    renderingAsked: differences.filter(({ words, tools, system }) => !words && !tools && !system).length,
    toolsLost: differences.filter(({ toolsLost }) => toolsLost).length,
    cut: cutShares(own, others, dump.settings.thresholds['run-standard-errors']),
    endsApart: endsApart(ends, dump.settings.thresholds['h08-ends-chance']),
    likeTexts: yield* within(0.7, 1, likeTextsOf(pairs)),
    meanRewards: meanRewardsOf(pairs),
  }
}

/** Whether most rollouts of the smaller sides of pairs stand in both runs, record for record: a few may have been edited. False without a pair. */
export function areSameRecords(pairs: readonly BothSides[]): boolean {
  let [same, all] = [0, 0]
  for (const { rows, others } of pairs) {
    const [fewer, more] = rows.length < others.length ? [rows, others] : [others, rows]
    const hashes = new Set(more.map(({ recordHash }) => recordHash))
    for (const { recordHash } of fewer) if (hashes.has(recordHash)) same++
    all += fewer.length
  }
  return 2 * same > all
}

function untoldOpenings(differences: readonly PromptDifferences[]): number {
  const alike = differences.filter(({ rendering }) => rendering === false)
  return alike.length === 0 ? 0 : alike.filter(({ opening }) => opening === null).length / alike.length
}

/** In what the prompts of two runs differ for one question; null where a run does not tell. */
export interface PromptDifferences {
  /** The question is the same, and the sentences around it are not. */
  readonly words: boolean
  readonly tools: boolean | null
  readonly system: boolean | null
  /** Id by id, although tools and system text are the same. */
  readonly rendering: boolean | null
  /** In how the prompt begins the model's turn. */
  readonly opening: boolean | null
  /** In the roles under which the ids put replies of tools. */
  readonly replies: boolean | null
  /** All prompts of one run lack the tools that it has (T07), and none of the other: its tools differ, and what else the ids then say otherwise is that too. */
  readonly toolsLost: boolean
}

export function differencesOf(
  pair: QuestionPair,
  sameTokenizer: boolean,
  prefills: ReadonlySet<string>,
): PromptDifferences {
  const { rows, others, isReworded: words } = pair
  const toolsLost = sideWithoutTools(rows, others) !== null
  const tools = toolsLost || differ(rows, others, ({ pairing }) => pairing?.tools ?? null, areSameTools)
  // Tools that stand in the system text make another one of it: what is said beside them tells whether that is all.
  const beside = tools === true ? differ(rows, others, ({ pairing }) => pairing?.besideTools ?? null) : null
  const system =
    beside ??
    // What the ids hold is what the model saw; messages alone do not show a default that the template put in. Templates of two families
    // put other things into the system turn.
    // A prompt that was decoded whole holds what the model saw as well.
    (!toolsLost && (sameTokenizer || isDecoded(rows) || isDecoded(others))
      ? differ(rows, others, renderedSystem)
      : null) ??
    differ(rows, others, ({ pairing }) => pairing?.system ?? null)
  const rendering =
    sameTokenizer && !words && !tools && !system ? differ(rows, others, ({ promptHash }) => promptHash) : null
  // What a program makes up anew for each rollout (ids, times) differs between two runs as it does within one.
  const tellsNothing = rendering && (isNeverTheSame(rows) || isNeverTheSame(others))
  const opening =
    sameTokenizer || isDecoded(rows) || isDecoded(others)
      ? differ(rows, others, (row) => openingOf(row, prefills), areSameOpenings)
      : null
  const replies = sameTokenizer
    ? differ(rows, others, ({ pairing }) => pairing?.replyRoles ?? null, shareReplyRole)
    : null
  return { words, tools, system, rendering: tellsNothing ? null : rendering, opening, replies, toolsLost }
}

/** The run whose prompts of a question all lack the tools that it has (T07), where none of the other's does. */
export function sideWithoutTools(rows: Rows, others: Rows): 'here' | 'there' | null {
  if (haveLostTools(rows) && !lackTools(others)) return 'here'
  return haveLostTools(others) && !lackTools(rows) ? 'there' : null
}

function haveLostTools(rows: Rows): boolean {
  return rows.every(({ toolsMissing }) => toolsMissing === true)
}

/** Some of them do. */
function lackTools(rows: Rows): boolean {
  return rows.some(({ toolsMissing }) => toolsMissing === true)
}

/** Words with which the prompts of a run begin the answer, in all of its rollouts that tell. Where others begin otherwise they may be the model's. */
export function* findingPrefills(runs: readonly Rows[]): Steps<ReadonlySet<string>> {
  const prefills = new Set<string>()
  for (const [at, rows] of runs.entries()) {
    let [prefill, areAlike]: [string | null, boolean] = [null, true]
    const look = (row: TrajectoryFacts) => {
      const opening = areAlike ? (row.pairing?.opening ?? null) : null
      if (opening === null || opening === prefill || !tellsWords(opening)) return
      areAlike = prefill === null && isPrefill(opening)
      prefill = opening
    }
    yield* within(at / runs.length, (at + 1) / runs.length, forEachOf(rows, look))
    if (areAlike && prefill !== null) prefills.add(prefill)
  }
  return prefills
}

function openingOf({ pairing }: TrajectoryFacts, prefills: ReadonlySet<string>): string | null {
  const opening = pairing?.opening ?? null
  return opening !== null && isPrefill(opening) && !prefills.has(opening) ? null : opening
}

function renderedSystem({ systemHash, pairing }: TrajectoryFacts): string | null {
  return systemHash ?? pairing?.flatSystem ?? null
}

function isDecoded(rows: Rows): boolean {
  return rows.some(({ pairing }) => pairing?.flatSystem !== undefined)
}

/** Whether a run has rendered one question to several prompts, and none of them twice. */
function isNeverTheSame(rows: Rows): boolean {
  const prompts = rows.flatMap(({ promptHash }) => promptHash ?? [])
  return prompts.length > 1 && new Set(prompts).size === prompts.length
}

/**
 * Whether no rollout of the one side has the value of a rollout of the other; null where a side does not tell.
 *
 * @param areSame whether two values that are not one and the same text are alike; they are not where it is left out
 */
function differ(
  rows: Rows,
  others: Rows,
  of: (row: TrajectoryFacts) => string | null,
  areSame?: (a: string, b: string) => boolean,
): boolean | null {
  const here = new Set<string>()
  // Mostly all rollouts of a side have one value.
  let last: string | null = null
  for (const row of rows) {
    const value = of(row)
    if (value === null || value === last) continue
    here.add(value)
    last = value
  }
  let tells = false
  last = null
  for (const row of others) {
    const value = of(row)
    if (value === null || value === last) continue
    if (here.has(value)) return false
    if (areSame) for (const own of here) if (areSame(own, value)) return false
    tells = true
    last = value
  }
  return tells && here.size > 0 ? true : null
}

export function countOf(values: readonly (boolean | null)[]): Count | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : { checked: known.length, affected: known.filter(Boolean).length }
}

/** Single rollouts of a pair end differently by chance; the shares over all of them do not, beyond some standard errors. */
function cutShares(here: Ends, there: Ends, errors: number): PairMeasures['cut'] {
  if (here.count === 0 || there.count === 0) return null
  const variance = (side: Ends) => (side.share * (1 - side.share)) / side.count
  const error = Math.sqrt(variance(here) + variance(there))
  return { here: here.share, there: there.share, sure: Math.abs(here.share - there.share) > errors * error }
}

/** How the rollouts of a side end that tell. */
class Ends {
  count = 0
  private cut = 0

  constructor(private readonly ofRuns: EndsOfRuns) {}

  add(rows: Rows): void {
    for (const row of rows) {
      if (!tellsEnd(row)) continue
      this.count++
      if (wasCut(row, this.ofRuns)) this.cut++
    }
  }

  get share(): number {
    return this.cut / this.count
  }
}
