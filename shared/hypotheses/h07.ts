import { FactColumns } from '../checks/facts/fact-columns.ts'
import { CHECKS } from '../checks/registry.ts'
import { chanceOfSoFew } from '../checks/reporting/chance.ts'
import { counted, percent } from '../model/number-text.ts'
import type { CheckResult } from '../model/report.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Hypothesis, HypothesisInput, SecondRun } from './hypothesis.ts'
import {
  behindExamples,
  examplesInAll,
  rateOf,
  rolloutsByTurn,
  splitByTurn,
  splitEnds,
  type TurnSplit,
  withoutKnownTurns,
} from './multi-step.ts'
import { fewerRollouts, lackOfSameModel, otherTokenizers } from './run-likeness.ts'
import {
  type Argument,
  behind,
  compared,
  conclude,
  deciding,
  type Judgement,
  leftOut,
  notCheckable,
  notRun,
  stated,
} from './verdict.ts'

/** Multi-step environment issues: what is right in the first assistant turn goes wrong in later ones. */
export const H07: Hypothesis = {
  id: 'H07',
  title: 'Multi-step environment issues',
  claim: 'Single-turn rollouts are sound and multi-turn ones are not: faults appear from the second assistant turn on.',
  reads: CHECKS.filter(({ unit }) => unit === 'trajectory').map(({ code }) => code),
  sees: severalTurns,
  judge: (input) => conclude(H07, input, decide(input)),
}

/** Masked rollouts with a second assistant turn of their own. */
function severalTurns({ dump }: HypothesisInput): number {
  let rollouts = 0
  const examples = examplesInAll(dump.facts)
  for (const part of new FactColumns(dump.facts).parts()) {
    const turns = part.numbers('assistantTurns')
    const isMasked = part.present('trained')
    for (let i = 0; i < turns.length; i++) if ((turns[i] as number) > 1 + examples && isMasked[i] === 1) rollouts++
  }
  return rollouts
}

/** The checks whose faults are counted by turn. */
const TURN_CODES: readonly string[] = CHECKS.filter(
  ({ severity, unit, trajectory }) => severity !== 'info' && unit === 'trajectory' && trajectory !== undefined,
).map(({ code }) => code)

function decide(input: HypothesisInput): Judgement {
  const examples = examplesInAll(input.dump.facts)
  const alone = byTurn({ ...input, checks: input.checks.map((check) => behindExamples(check, examples)) }, examples)
  const both = input.against ? betweenRuns(input, input.against) : null
  return both === null ? alone : joined(alone, both)
}

/** Faults of later turns alone say more of turns than another run does, which may differ in more: they lead where they support it as surely. */
function joined(alone: Judgement, both: Judgement): Judgement {
  const [first, second] = alone.verdict === 'supported' && (alone.firm || !both.firm) ? [alone, both] : [both, alone]
  return { ...first, because: [...first.because, ...second.because] }
}

/**
 * What the turns of the open run say.
 *
 * @param examples turns that all prompts begin with, behind which those of the rollouts are counted
 */
function byTurn(input: HypothesisInput, examples: number): Judgement {
  const { thresholds } = input.dump.settings
  const missing: string[] = (['ids', 'mask'] as const).filter((stream) => !input.streams.has(stream))
  const rollouts = rolloutsByTurn(input.dump.facts).slice(examples)
  const later = rollouts.slice(2).reduce((sum, count) => sum + count, 0)
  const unknown = withoutKnownTurns(input.dump.facts).length
  if (later === 0 && unknown === 0) missing.push('a second assistant turn')
  // The turns of messages place no fault in the ids; and texts have none that a tokenizer could find.
  else if (missing.length === 0 && (later === 0 || !input.streams.has('tokenizer')))
    missing.push(input.lackOfTurns ?? (input.streams.has('tokenizer') ? turnsOf(unknown) : 'tokenizer'))
  const looked = input.checks.filter(
    ({ severity, unit, status }) =>
      severity === 'error' && unit === 'trajectory' && (status === 'pass' || status === 'fail'),
  )
  if (missing.length > 0) return notCheckable(missing)
  const unlooked = notRun(input, TURN_CODES)
  if (looked.length === 0) {
    return notCheckable(
      unlooked.length > 0 ? leftOut(unlooked) : ['an error-severity check that could look at these rollouts'],
    )
  }

  // A fault of the whole row (an attention mask) has no turn, and says nothing about turns either.
  const failing = looked.filter(({ status }) => status === 'fail')
  const atEnds = failing
    .map((check) => ({ check, ends: splitEnds(check) }))
    .filter(({ ends }) => ends.later.affected > 0)
  // Where no rollout ends with its first turn, nothing tells whether such an end would have the fault as well.
  const atLeast = thresholds['h07-times']
  const unplaced = atEnds.filter(({ check, ends }) => times(ends) >= atLeast && times(withEnds(check)) >= atLeast)
  const splits = failing
    .map((check) => ({ check, split: splitByTurn(check) }))
    .filter(({ split }) => split.first.affected + split.later.affected > 0)
    .toSorted((a, b) => moreOften(b.split) - moreOften(a.split))
  const growing = splits.filter(({ split }) => grows(split, thresholds))
  // The mask may be read one token off: neither its faults nor their absence mean anything by turn.
  const undecided = input.dump.settings.alignmentUndecided
  const few = splits.some(({ split }) => areTooFew(split, thresholds))
  // A warning cannot support, and later turns that are wrong where first ones are right are no proof that turns make no difference.
  const lesser = lesserByTurn(input.checks, thresholds)
  const warned = lesser.some(({ decides }) => decides !== undefined)
  const verdict =
    growing.length > 0
      ? 'supported'
      : few || warned || undecided || unplaced.length > 0 || unlooked.length > 0
        ? 'inconclusive'
        : 'contradicted'
  return {
    verdict,
    because: [
      ...behind({ assistantTurns: 2 + examples }, stated('rollouts with a second assistant turn', rollouts[2] ?? 0)),
      ...(examples > 0 ? stated('assistant turns that every prompt begins with, which are not counted', examples) : []),
      ...(splits.length === 0 && atEnds.length === 0
        ? noFaults(looked, thresholds)
        : splits.flatMap(({ check, split }) => linesOf(check, split, thresholds))),
      ...atEnds.flatMap((fault) => endLines(fault, unplaced.includes(fault))),
      ...lesser,
    ],
    missing: [
      ...(undecided ? ['the alignment of the mask: declare whether index i marks token i or token i + 1'] : []),
      ...(unplaced.length > 0
        ? [
            `enough rollouts of one assistant turn: ${unplaced.map(({ check }) => check.code).join(', ')} stands at the end of rows`,
          ]
        : []),
      ...leftOut(unlooked),
    ],
    firm:
      verdict === 'contradicted' ||
      growing.some(({ check, split }) => isOfAllRollouts(check) || areNearlyAllLater(split, thresholds)),
  }
}

/** A fault of one kind of rollouts (decision 52) is of what they call, whatever turn that is in. */
function isOfAllRollouts({ pattern, systematic_in: part }: CheckResult): boolean {
  return pattern === 'systematic' && part?.rollouts === undefined
}

/** Faults of lesser severity that later turns have and first ones have not: they support nothing, and a warning contradicts nothing either. */
function lesserByTurn(checks: readonly CheckResult[], thresholds: Thresholds): Argument[] {
  return checks
    .filter(({ severity, unit, status }) => severity !== 'error' && unit === 'trajectory' && status === 'fail')
    .map((check) => ({ check, split: splitByTurn(check) }))
    .filter(({ split }) => grows(split, thresholds))
    .flatMap(({ check: { code, title, severity }, split }) => {
      const warning = severity === 'warning'
      const name = `${title} (${code}, ${warning ? 'a warning' : 'a note'})`
      const later = stated(`${name}: rate from assistant turn 2 on`, rateOf(split.later), [code])
      return [
        ...(warning
          ? deciding({ contradicted: `later assistant turns have it as rarely as first ones: ${name}` }, later)
          : later),
        ...stated(`${name}: rate in assistant turn 1`, rateOf(split.first), [code]),
      ]
    })
}

/** What only rollouts of several turns can have: that a single-turn run has nothing to look at for it is no lack. */
const OF_SEVERAL_TURNS: ReadonlySet<string> = new Set(['M03', 'M05', 'T10'])

/** A fault at the end of rows. */
interface FaultAtEnds {
  readonly check: CheckResult
  readonly ends: TurnSplit
}

/** A fault of the run of several turns that the single-turn run has nowhere. */
interface FaultOfManyTurns {
  readonly check: CheckResult
  /** Rate in the run of several turns from which chance does not explain that the other run has none. */
  readonly leastRate: number
}

/**
 * Faults of error level in a run of several turns that a single-turn run of the same trainer does not have, by more than chance; empty
 * unless the two that were given are one of each.
 */
function faultsOfManyTurns(input: HypothesisInput, against: SecondRun): FaultOfManyTurns[] {
  const { dump, checks } = input
  // Turns of two families are laid out otherwise, and a fault of the one may be none of the other.
  if (otherTokenizers(input.tokenizer, against.tokenizer) !== null) return []
  const here = hasManyTurns(dump.facts)
  if (here === hasManyTurns(against.dump.facts)) return []
  const singleFacts = here ? against.dump.facts : dump.facts
  if (withoutKnownTurns(singleFacts).length > 0) return []
  const [many, single] = here ? [checks, against.checks] : [against.checks, checks]
  const { 'h07-turns': fewest, 'h07-chance': chance } = dump.settings.thresholds
  return many.flatMap((check): FaultOfManyTurns[] => {
    const { code, status, severity, unit, checked, affected } = check
    if (status !== 'fail' || severity !== 'error' || unit !== 'trajectory') return []
    const other = single.find((each) => each.code === code && isWithout(each))
    if (other === undefined) return []
    // What cannot be in a rollout of one turn is in none of them.
    const without = other.status === 'pass' ? other.checked : singleFacts.length
    const least = Math.max(fewest, leastBeyondChance(checked, without, chance))
    return affected >= least ? [{ check, leastRate: least / checked }] : []
  })
}

/**
 * How many of `many` rollouts must have a fault that none of `without` others has, before so many come to stand among the `many` by chance no
 * oftener than `chance` (hypergeometric); infinite where not even all of them are enough.
 */
function leastBeyondChance(many: number, without: number, chance: number): number {
  let probability = 1
  for (let count = 0; count < many; count++) {
    probability *= (many - count) / (many + without - count)
    if (probability <= chance) return count + 1
  }
  return Number.POSITIVE_INFINITY
}

function isWithout({ code, status }: CheckResult): boolean {
  return status === 'pass' || (status === 'not-applicable' && OF_SEVERAL_TURNS.has(code))
}

function hasManyTurns(facts: HypothesisInput['dump']['facts']): boolean {
  return facts.some(({ assistantTurns }) => assistantTurns > 1)
}

function turnsOf(rollouts: number): string {
  return `turns in the ids of ${counted(rollouts, 'rollout')}, where the tokenizer finds none`
}

/** What a single-turn run says beside one of several turns; null where it says nothing for the hypothesis, which is nothing against it either. */
function betweenRuns(input: HypothesisInput, against: SecondRun): Judgement | null {
  const faults = faultsOfManyTurns(input, against)
  if (faults.length === 0) return null
  const unlike = lackOfSameModel(input, against)
  return {
    verdict: 'supported',
    because: mostOfLaterTurnsFirst(faults).flatMap(({ check: { code, title, rate }, leastRate: threshold }) =>
      compared(
        `${title} (${code}): ${IN_MANY_TURNS_ONLY}`,
        rate,
        { comparison: '>=', threshold },
        { comparison: '<', threshold },
        [code],
      ),
    ),
    missing: unlike,
    firm: unlike.length === 0 && faults.some(({ check }) => check.pattern === 'systematic'),
    rollouts: fewerRollouts(input, against),
  }
}

/** How a measure is called that rests on two runs. */
export const IN_MANY_TURNS_ONLY = 'rate in the run of several turns, and none in the single-turn run'

/** By how much more often later turns have it than first ones; then by rollouts, as what is of the whole row or of every turn alike. */
function mostOfLaterTurnsFirst(faults: readonly FaultOfManyTurns[]): FaultOfManyTurns[] {
  const byTurns = ({ check }: FaultOfManyTurns) => Math.max(0, moreOften(splitByTurn(check)))
  return faults.toSorted((a, b) => byTurns(b) - byTurns(a) || (b.check.rate ?? 0) - (a.check.rate ?? 0))
}

function noFaults(looked: readonly CheckResult[], thresholds: Thresholds): Argument[] {
  const codes = looked.map(({ code }) => code)
  const some = { comparison: '>', threshold: 0 } as const
  const lines = compared(
    'faults of error severity in assistant turns',
    0,
    some,
    { comparison: '=', threshold: 0 },
    codes,
  )
  const supported = `a fault of error severity is at least ${thresholds['h07-times']} times as frequent from assistant turn 2 on as in turn 1`
  return deciding({ supported }, lines)
}

/** Later turns against the first: as many times as frequent, where both have the fault; else their rate says it. */
function turnLines(name: string, split: TurnSplit, atLeast: number, codes: readonly string[]): Argument[] {
  const [first, later] = [rateOf(split.first), rateOf(split.later)]
  if (first === 0) {
    const measure = `${name}: rate from assistant turn 2 on, and none in turn 1`
    return compared(measure, later, { comparison: '>', threshold: 0 }, { comparison: '=', threshold: 0 }, codes)
  }
  const isGone = split.later.affected === 0
  const threshold = isGone ? Math.min(1, atLeast * first) : atLeast
  return compared(
    `${name}: ${isGone ? 'rate from assistant turn 2 on, and some in turn 1' : 'as frequent from assistant turn 2 on as in turn 1'}`,
    isGone ? 0 : later / first,
    { comparison: '>=', threshold },
    { comparison: '<', threshold },
    codes,
  )
}

function linesOf(check: CheckResult, split: TurnSplit, thresholds: Thresholds): Argument[] {
  const atLeast = thresholds['h07-times']
  const name = `${check.title} (${check.code})`
  const first = rateOf(split.first)
  const [isNew, isGone] = [first === 0, split.later.affected === 0]
  const lines = turnLines(name, split, atLeast, [check.code])
  // No rate is above 1: where the first turn has the fault too often for any later rate to be that many times as high, first turns decide.
  const rarer = `at most ${percent(1 / atLeast)} of first assistant turns have it, and later ones at least ${atLeast} times as often: ${name}`
  const reachable = deciding(atLeast * first > 1 ? { supported: rarer } : {}, lines)
  return [
    // Too few turns to speak of a rate: the comparison stands, and decides nothing.
    ...(areTooFew(split, thresholds)
      ? deciding({ supported: `${enough(split, thresholds)}: ${name}` }, reachable).map((line) => ({
          ...line,
          speaksFor: null,
        }))
      : reachable),
    ...stated(`${name}: rate in assistant turn 1`, first, [check.code]),
    ...(isNew || isGone ? [] : stated(`${name}: rate from assistant turn 2 on`, rateOf(split.later), [check.code])),
  ]
}

/**
 * The last word of a row is that of its last turn: that the fault stands there is no word on turns.
 *
 * @param isUnplaced nothing tells whether the end of a first turn would have it as well
 */
function endLines({ check: { title, code }, ends: { first, later } }: FaultAtEnds, isUnplaced: boolean): Argument[] {
  const where = `${title} (${code}): rate at the end of rows`
  const behindSecond = stated(`${where} that have a second assistant turn`, rateOf(later), [code])
  const contradicted = `rows of one assistant turn have it as often at their end: ${title} (${code})`
  return [
    ...(isUnplaced ? deciding({ contradicted }, behindSecond) : behindSecond),
    ...(first.checked === 0 ? [] : stated(`${where} of one assistant turn`, rateOf(first), [code])),
  ]
}

/** By how much more often later turns have it; below 0 where first ones do. */
function moreOften({ first, later }: TurnSplit): number {
  return rateOf(later) - rateOf(first)
}

/** How many times as frequent from the second turn on; infinite where the first turn has none. */
function times({ first, later }: TurnSplit): number {
  if (later.affected === 0) return 0
  return first.affected === 0 ? Number.POSITIVE_INFINITY : rateOf(later) / rateOf(first)
}

/** As if the last word of a row were that of any turn: what is no more frequent even then makes no difference between turns. */
function withEnds(check: CheckResult): TurnSplit {
  return splitByTurn({ ...check, by_turn_at_end: {}, by_turn_checked_at_end: {} })
}

/** As many times as frequent, in enough turns, and by more than chance: where nearly all later turns have it nothing is left to chance. */
function grows(split: TurnSplit, thresholds: Thresholds): boolean {
  const { first, later } = split
  return (
    later.affected >= thresholds['h07-turns'] &&
    times(split) >= thresholds['h07-times'] &&
    (areNearlyAllLater(split, thresholds) || chanceOfSoFew(first, later) <= thresholds['h07-chance'])
  )
}

/** The rate is high enough, but so many turns may come to it by chance. */
function areTooFew(split: TurnSplit, thresholds: Thresholds): boolean {
  return !grows(split, thresholds) && times(split) >= thresholds['h07-times']
}

/** What it takes for them to be enough. */
function enough({ later }: TurnSplit, thresholds: Thresholds): string {
  return later.affected < thresholds['h07-turns']
    ? 'more than one later turn has the fault'
    : 'more later turns have the fault than chance gives it'
}

function areNearlyAllLater({ later }: TurnSplit, thresholds: Thresholds): boolean {
  return rateOf(later) >= thresholds['systematic-share']
}
