import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { withoutCut, withoutFailed } from '../groups/baseline-rows.ts'
import { type Pairs, proportionOf } from '../groups/proportion.ts'
import { advantageSums, incompleteReason, isZeroSum, mean, shown } from '../groups/statistics.ts'
import { isAtLimit } from '../limits/limits-left.ts'
import { isLengthStop, isModelStop } from '../oracles/end-reason.ts'

/**
 * C04. A row that trains nothing has still been counted in its group's mean: the rows that do train have a foreign baseline. Most trainers with an
 * overlong filter do so, and the few rows that one takes are a note.
 */
export const maskedRowsCounted: Check = {
  code: 'C04',
  name: 'masked-rows-counted',
  title: 'Masked rows still count in their group',
  hypotheses: ['H04', 'H01'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['mask', 'rewards', 'group', 'advantages'],
  looksAt: 'rollouts of groups that train',
  why: 'A rollout that is masked whole but enters the group mean and std shifts the advantage of every rollout that does train.',
  fix: 'Leave masked rollouts out of the baseline, or sample until the group is full again.',
  cite: 'TRL#6369, TRL#6439, TRL#4976, open-instruct#1794, miles#3200',
  dump: lookAtGroups,
}

/** Rewards of a group that its findings list. */
const MOST_REWARDS = 64

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const isTraining = ({ complete, members }: GroupView) => complete && members.some(trains)
  const groups = yield* within(0, 0.3, filtered(view.groups, isTraining))
  if (groups.length === 0) {
    if (!view.groups.some(({ complete }) => complete)) report.abstain('not-checkable', incompleteReason(view))
    return
  }
  const { thresholds } = view.settings
  const counted = yield* within(0.3, 0.6, countingGroups(groups, thresholds))
  let rows = 0
  let onPurpose = 0
  const look = (group: GroupView) => {
    rows += group.members.length
    for (const member of counted.get(group)?.rows ?? []) if (mayBeOnPurpose(member, view)) onPurpose++
  }
  yield* within(0.6, 0.7, forEachOf(groups, look))
  const isNoted = onPurpose <= thresholds['masked-rows-share'] * rows
  yield* within(
    0.7,
    1,
    forEachOf(groups, (group) =>
      tellOf(group, counted.get(group) ?? null, (member) => isNoted && mayBeOnPurpose(member, view), report),
    ),
  )
}

/** @param isNoted of rows that were masked on purpose where they are few */
function tellOf(
  group: GroupView,
  counted: Counted | null,
  isNoted: (member: TrajectoryFacts) => boolean,
  report: DumpReporter,
): void {
  // Once for each group, and not all of it: a group may be a whole dump, with a finding for every second row.
  const rewards = group.members.slice(0, MOST_REWARDS).map(({ reward }) => reward)
  for (const member of group.members) {
    const affected = counted?.rows.has(member) === true
    report.unit(affected)
    // What may be counted where it should not is a masked row: a trainer that counts all of them does so whatever the share of cut rollouts is.
    if (isMasked(member)) report.place(affected)
    if (counted === null || !affected) continue
    report.fault({
      member,
      group,
      scope: 'trajectory',
      ...(isNoted(member) ? { severity: 'info' as const } : {}),
      message: `No token of this rollout is trained, but its reward ${shown(member.reward as number)} counts in the mean of group ${group.id}`,
      evidence: {
        rewards,
        rows_that_train: counted.rowsThatTrain,
        rows: group.members.length,
        end: member.endReason,
        is_truncated: member.isTruncated,
        lost_tokens: member.lost,
        supporting_documents: member.supportingDocuments,
        sum_of_trained_advantages: counted.sumOfTrainedAdvantages,
        mean_of_all: counted.meanOfAll,
        mean_of_rows_that_train: counted.meanOfRowsThatTrain,
        baseline_shift: counted.meanOfAll - counted.meanOfRowsThatTrain,
      },
    })
  }
}

/** What rows that train nothing do to the baselines of a dump. */
export interface BaselinePoison {
  /** Groups with a foreign baseline, and the masked rollouts that were counted in them. */
  readonly groups: number
  readonly rollouts: number
  /** Trained tokens of these groups: their advantages are off. */
  readonly trainedTokens: number
  /** Mean over these groups of |mean of all rewards − mean of the rewards that train|. */
  readonly meanShift: number
}

/** Null where no complete group counts a masked row. */
export function* measuringPoison({
  groups,
  settings,
}: Pick<DumpView, 'groups' | 'settings'>): Steps<BaselinePoison | null> {
  const complete = groups.filter((group) => group.complete)
  const counting = yield* countingGroups(complete, settings.thresholds)
  if (counting.size === 0) return null
  const poisoned = [...counting].map(([{ members }, counted]) => ({ members, counted }))
  const sum = (of: (each: (typeof poisoned)[number]) => number) => poisoned.reduce((total, each) => total + of(each), 0)
  return {
    groups: poisoned.length,
    rollouts: sum(({ counted }) => counted.rows.size),
    trainedTokens: sum(({ members }) => members.reduce((tokens, { trained }) => tokens + (trained ?? 0), 0)),
    meanShift: sum(({ counted }) => Math.abs(counted.meanOfAll - counted.meanOfRowsThatTrain)) / poisoned.length,
  }
}

interface Counted {
  /** Masked rows that are part of the mean. */
  readonly rows: ReadonlySet<TrajectoryFacts>
  /** Those whose advantages show it. */
  readonly rowsThatTell: number
  readonly rowsThatTrain: number
  readonly sumOfTrainedAdvantages: number
  readonly meanOfAll: number
  readonly meanOfRowsThatTrain: number
}

/**
 * Groups that count masked rows, where at least as many do as have another baseline than that of their own rows, with or without masked ones: one that moves
 * all groups of a step, or is taken over other rows, looks the same in one or two of them by chance.
 */
function* countingGroups(groups: readonly GroupView[], thresholds: Thresholds): Steps<ReadonlyMap<GroupView, Counted>> {
  const kinds = new Map<string, Kind>()
  const look = (group: GroupView) => {
    const found = countedOutside(group, thresholds)
    if (found === null) return
    const kind = kindOf(group)
    const known = kinds.get(kind) ?? { told: 0, counting: new Map(), alone: new Map() }
    kinds.set(kind, known)
    const isAlone = found !== 'other-baseline' && found.rowsThatTell === 1
    if (!isAlone) known.told++
    if (found !== 'other-baseline') known[isAlone ? 'alone' : 'counting'].set(group, found)
  }
  yield* forEachOf(groups, look)
  const isInUse = ({ told, counting }: Kind) => counting.size > 0 && counting.size >= thresholds['fit-share'] * told
  const inUse = [...kinds.values()].filter(isInUse)
  const found = new Map(inUse.flatMap(({ counting, alone }) => [...counting, ...alone]))
  return (yield* haveNoBaseline(groups, found, thresholds)) ? new Map() : found
}

/** Groups whose masked rows have one kind of reason. */
interface Kind {
  /** Whose baseline shows. */
  told: number
  /** Of them, those that count masked rows. */
  readonly counting: Map<GroupView, Counted>
  /** One row of theirs trains: any number is in proportion to its distance from the mean, and what the others do tells what made it. */
  readonly alone: Map<GroupView, Counted>
}

/**
 * Rewards, or one constant times them, are the advantages of whatever trains (RAFT): no mean is taken of them, and in groups of which only equal rewards train
 * it looks as if one were.
 */
function* haveNoBaseline(
  groups: readonly GroupView[],
  counting: ReadonlyMap<GroupView, Counted>,
  thresholds: Thresholds,
): Steps<boolean> {
  if (counting.size === 0) return false
  const pairs: Pairs[] = []
  yield* forEachOf(groups, ({ members }) => {
    const known = members.filter((member) => trains(member) && member.advantage !== null)
    const stored = known.map(({ advantage }) => advantage as number)
    const made = known.map(({ reward }) => reward as number)
    if (stored.some((advantage, at) => advantage !== 0 || made[at] !== 0)) pairs.push({ stored, made })
  })
  const { factor, share } = proportionOf(
    pairs.map((each) => [each]),
    thresholds['advantage-tolerance'],
  )
  return pairs.length >= thresholds['factor-groups'] && factor > 0 && share === 1
}

/** Whether its masked rows were cut, failed, or some the one and some the other. */
function kindOf({ members }: GroupView): string {
  return `${withoutCut(members).length < members.length} ${withoutFailed(members).length < members.length}`
}

/**
 * Advantages sum to 0 over exactly the rows that made their baseline. Masked rows were counted where those of the rows that train do
 * not, and are in proportion to the distance from the mean of all rewards, or of all but the rows that were cut, or that failed: a baseline over a whole
 * batch, or of a critic, has neither. Null where there is no such row, or where nothing tells.
 */
function countedOutside(group: GroupView, thresholds: Thresholds): Counted | 'other-baseline' | null {
  if (!group.members.some(isMasked)) return null
  const rows = group.members.filter((member) => trains(member) || answersNothing(member))
  const sums = advantageSums(rows)
  if (rows.length === 0 || sums === null || isZeroSum(sums.sum, sums.absolute, thresholds)) return null
  for (const baseline of [group.members, withoutFailed(group.members), withoutCut(group.members)]) {
    const meanOfAll = mean(baseline.map(({ reward }) => reward as number))
    const masked = baseline.filter(isMasked)
    if (masked.length === 0 || !inProportion(rows, meanOfAll, thresholds)) continue
    return {
      rows: new Set(masked),
      rowsThatTell: rows.length,
      rowsThatTrain: rows.filter(trains).length,
      sumOfTrainedAdvantages: sums.sum,
      meanOfAll,
      meanOfRowsThatTrain: mean(rows.map(({ reward }) => reward as number)),
    }
  }
  return 'other-baseline'
}

/** Whether one positive factor makes the advantages of rows, which all have one, of the distances from `centre`, as far as stored digits go. */
function inProportion(rows: readonly TrajectoryFacts[], centre: number, thresholds: Thresholds): boolean {
  const known = rows.map((row) => ({ advantage: row.advantage as number, distance: (row.reward as number) - centre }))
  let products = 0
  let squares = 0
  let largest = 0
  for (const { advantage, distance } of known) {
    products += advantage * distance
    squares += distance ** 2
    largest = Math.max(largest, Math.abs(advantage))
  }
  if (!(products > 0 && squares > 0)) return false
  const tolerance = Math.max(thresholds['advantage-tolerance'] * largest, thresholds['advantage-digits'])
  return known.every(({ advantage, distance }) => Math.abs(advantage - (products / squares) * distance) <= tolerance)
}

/** Nothing of it is trained, though there was something to train. */
function isMasked(member: TrajectoryFacts): boolean {
  return member.trained === 0 && !answersNothing(member)
}

/** A limit cut it, or the source's own filter took it: an overlong filter masks such rows whole. */
export function isMaskedOnPurpose({ excluded, isTruncated, finishReason, endReason }: TrajectoryFacts): boolean {
  return excluded || isTruncated === true || isLengthStop(finishReason) || endReason.startsWith('cut')
}

/** … or by its length or its last turn it was cut, which M04 takes for a reason as well. */
function mayBeOnPurpose(member: TrajectoryFacts, view: DumpView): boolean {
  return isMaskedOnPurpose(member) || member.untrainedEnd === 'between-turns' || isAtLimit(member, view)
}

/** The model stopped before its first word, as at a stop string: there is nothing to train, no limit took it, and its reward is one of the group. */
function answersNothing({ trained, endReason, isTruncated, finishReason }: TrajectoryFacts): boolean {
  return trained === 0 && endReason === 'prompt-only' && isTruncated !== true && isModelStop(finishReason)
}

function trains(member: TrajectoryFacts): boolean {
  return (member.trained ?? 0) > 0 && !member.excluded
}
