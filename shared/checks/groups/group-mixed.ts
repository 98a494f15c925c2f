import { count, counted } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { declaredSize } from '../grouping/group-views.ts'
import { otherGrouping, rowsText } from './other-grouping.ts'
import { goesOnFrom, majorityPrompt, promptKey, promptOf, rootsOf, strangers } from './prompts-of-group.ts'
import { questionsOf } from './questions-of-group.ts'
import { quotedScheme } from './scheme-words.ts'
import { incompleteReason, isZeroSum, trainedIn } from './statistics.ts'
import { untoldQuestions } from './untold-questions.ts'
import { haveWholeGroups, type OtherGrouping } from './windows.ts'

/**
 * A05. Rewards are compared between rollouts that do not belong together: a group holds rollouts of another prompt, has more rollouts
 * than were generated, or its advantages sum to 0 over other rows than its own.
 */
export const groupMixed: Check = {
  code: 'A05',
  name: 'group-mixed',
  title: 'Groups hold the wrong rollouts',
  hypotheses: ['H01', 'H05'],
  severity: 'error',
  unit: 'group',
  needs: ['ids', 'rewards', 'group'],
  looksAt: 'groups',
  why: 'A rollout is judged against answers to another question, so its advantage says nothing about what it did.',
  fix: 'Group by a key of the prompt, not by position, and check that num_generations divides every batch and shard.',
  cite: 'open-instruct#1794, TRL#3045',
  dump: lookAtGroups,
  unproved: (_tally, view) => untoldQuestions(view),
}

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const groups = view.groups.filter(({ members }) => members.length > 1)
  if (groups.length === 0) return
  const majorities = new Map<GroupView, string | null>()
  yield* within(
    0,
    0.1,
    forEachOf(groups, (group) => void majorities.set(group, majorityPrompt(group))),
  )
  const window = yield* within(0.1, 0.1, shiftedWindow(view, groups))
  const other = window === null ? yield* within(0.1, 0.1, otherGrouping(view)) : null
  if (other === null && !groups.some((group) => group.complete || isTooLarge(group, view))) {
    report.abstain('not-checkable', incompleteReason(view))
    return
  }
  // Where most groups have prompts of many kinds, prompts differ on purpose (dates, shuffled examples).
  let [pure, withPrompts] = [0, 0]
  yield* within(
    0.1,
    0.3,
    forEachOf(groups, (group) => {
      if (majorities.get(group) !== null && strangers(group, majorities.get(group) ?? null).length === 0) pure++
      if (hasPrompts(group)) withPrompts++
    }),
  )
  const promptsAgree = pure * 2 >= withPrompts
  const split = yield* within(0.3, 0.5, splitPrompts(view, groups))
  // Prompts of later calls, which no key joins to their rollouts, are many, and now and then those of another group.
  const isTakenApart = ({ members }: GroupView) => {
    const size = view.groupSize
    if (size === null) return false
    return members.filter((member) => 2 * (split.get(promptKey(member)) ?? 0) >= size).length * 2 >= members.length
  }
  const look = (group: GroupView) => {
    const large = isTooLarge(group, view)
    const isTakenOver = other?.groups.has(group) === true
    const foreign = strangers(group, majorities.get(group) ?? null)
    const isPooled = promptsAgree && areWholeGroups(foreign, group, view.groupSize)
    if (!group.complete && !large && !isTakenOver && !isPooled) return
    // Agents that are not trained are asked what the others wrote, and nobody learns from what they earn.
    if (group.members.every(({ excluded }) => excluded)) return
    const known = foreign.filter((member) => split.has(promptKey(member)))
    // Each has a prompt of its own that no other group has: whoever judges or repairs what another wrote is asked so.
    const eachItsOwn = majorities.get(group) === null && known.length === 0
    // Where prompts differ in most groups, answers that differ as well tell questions from what is meant.
    const questions = foreign.length === 0 ? 0 : questionsOf(group, promptOf)
    const mixed =
      isPooled || (foreign.length > 0 && ((promptsAgree && !eachItsOwn) || questions > 1 || isTakenApart(group)))
    const affected = mixed || large || window !== null || isTakenOver
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    report.fault({
      group,
      ...trainedIn(group.members),
      message: messageOf(group, mixed ? foreign.length : 0, large ? generatedFor(group, view) : null, window ?? other),
      evidence: {
        rollouts: group.members.length,
        group_size: generatedFor(group, view),
        prompt_hashes: group.members.map(({ promptHash }) => promptHash),
        rollouts_of_another_prompt: foreign.map(({ id }) => id),
        of_a_prompt_of_another_group: known.map(({ id }) => id),
        ...(questions > 1 ? { prompts_with_another_expected_answer: questions } : {}),
        advantages: group.members.map(({ advantage }) => advantage),
        window_whose_advantages_sum_to_0: window,
        ...(isTakenOver ? { advantages_taken_over: evidenceOf(other) } : {}),
      },
    })
  }
  yield* within(0.5, 1, forEachOf(groups, look))
}

function evidenceOf({ groups, ofTraining, ...other }: OtherGrouping): Record<string, unknown> {
  return { ...other, ...(ofTraining ? { rows_that_train: true } : {}), groups: groups.size }
}

interface Window {
  readonly size: number
  /** Rows before the first whole window. */
  readonly shift: number
}

function messageOf(
  group: GroupView,
  foreign: number,
  size: number | null,
  taken: Window | OtherGrouping | null,
): string {
  const rollouts = group.members.length
  if (foreign > 0)
    return `${count(foreign)} of ${counted(rollouts, 'rollout')} of group ${group.id} have another prompt than the rest`
  if (size !== null)
    return `Group ${group.id} has ${counted(rollouts, 'rollout')} where ${count(size)} are generated for a prompt`
  if (taken !== null && 'scheme' in taken) {
    return `Advantages are those of ${quotedScheme(taken.scheme)} over ${rowsText(taken)}, and not over the ${counted(rollouts, 'rollout')} of group ${group.id}`
  }
  const { size: rows, shift } = taken as Window
  return `Advantages sum to 0 over ${count(rows)} rows from row ${count(shift)} on, and not over the ${counted(rollouts, 'rollout')} of group ${group.id}`
}

/**
 * Prompts whose rollouts would make one group and lie in two or more, with how many rollouts each has. Of a prompt with more rollouts than a
 * group holds, variants were dealt out on purpose.
 */
function* splitPrompts({ groupSize }: DumpView, groups: readonly GroupView[]): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, { rollouts: number; groups: number; last: GroupView | null }>()
  yield* forEachOf(groups, (group) => {
    let [before, count]: [TrajectoryFacts | null, { rollouts: number; groups: number; last: GroupView | null } | null] =
      [null, null]
    for (const member of group.members) {
      if (member.promptHash === null) continue
      // The members of a group mostly have one prompt.
      if (count === null || before === null || !haveOnePrompt(before, member)) {
        const key = promptKey(member)
        count = counts.get(key) ?? { rollouts: 0, groups: 0, last: null }
        counts.set(key, count)
        before = member
      }
      count.rollouts++
      if (count.last !== group) count.groups++
      count.last = group
    }
  })
  const split = new Map<string, number>()
  for (const [prompt, count] of counts) {
    if (count.groups > 1 && count.rollouts <= (groupSize ?? 0)) split.set(prompt, count.rollouts)
  }
  return split
}

function haveOnePrompt(a: TrajectoryFacts, b: TrajectoryFacts): boolean {
  return promptOf(a) === promptOf(b) && a.step === b.step && a.place.source === b.place.source
}

function hasPrompts({ members }: GroupView): boolean {
  return members.some(({ promptHash }) => promptHash !== null)
}

/** Rollouts of another prompt are as many as are generated for one, and the others are: one key was given to several questions. */
function areWholeGroups(foreign: readonly TrajectoryFacts[], { members }: GroupView, size: number | null): boolean {
  if (
    size === null ||
    size < 2 ||
    foreign.length < size ||
    members.length % size !== 0 ||
    foreign.length === members.length
  )
    return false
  const counts = new Map<string | null, number>()
  for (const member of members) counts.set(promptOf(member), (counts.get(promptOf(member)) ?? 0) + 1)
  return counts.size === members.length / size && [...counts.values()].every((count) => count === size)
}

/** Rollouts that were generated for its prompt: trainers that give hard questions more of them declare so for each group. */
function generatedFor({ members }: GroupView, { groupSize, settings }: DumpView): number | null {
  return settings.options.groupSize ?? declaredSize(members) ?? groupSize
}

/** More rollouts than the size says. A key that returns with every epoch makes whole multiples where no step tells them apart. */
function isTooLarge(group: GroupView, view: DumpView): boolean {
  const { members } = group
  const size = generatedFor(group, view)
  if (size === null || members.length <= size) return false
  const roots = rootsOf(group)
  if (members.filter((member) => !goesOnFrom(member, roots)).length <= size) return false
  if (view.settings.options.groupSize !== size && members.every((member) => member.groupSize === null)) return false
  return members[0]?.step !== null || members.length % size !== 0
}

/**
 * The window of rows over which advantages sum to 0 where they do not over the groups; null where groups do, where some advantage is not
 * known, or where no window does. A mean over other rows leaves just this trace.
 */
function* shiftedWindow(view: DumpView, groups: readonly GroupView[]): Steps<Window | null> {
  const rows = view.facts
  const size = view.groupSize
  const { thresholds } = view.settings
  if (size === null || size < 2 || rows.length < thresholds['shifted-windows'] * size) return null
  const columns = new FactColumns(rows)
  if (columns.present('advantage').includes(0) || columns.present('reward').includes(0)) return null
  // Rewards themselves, or rewards less a value of the critic, have no baseline among the rows.
  const off = yield* filtered(groups, ({ complete, members }) => complete && !sumsToZero(members, thresholds))
  if (off.length * 2 < groups.length) return null
  const sums = runningSums(columns.numbers('advantage'))
  yield 1
  for (const window of [size, size * 2, size / 2]) {
    if (window < 2 || !Number.isInteger(window)) continue
    for (let shift = window === size ? 1 : 0; shift < window; shift++) {
      if (
        windowsSumToZero(sums, rows.length, window, shift, thresholds) &&
        !areOfWholeGroups(view, size, window, shift)
      )
        return { size: window, shift }
      yield 1
    }
  }
  return null
}

/**
 * Each window is several groups, none of them torn: a mean over a step or a batch, as REINFORCE++ takes it (arXiv 2501.03262), leaves the same trace.
 * Which rows are of one step is not in every dump; whether that mean is meant is A04's to tell.
 */
function areOfWholeGroups({ facts, groups }: DumpView, size: number, window: number, shift: number): boolean {
  if (window % size !== 0 || shift % size !== 0) return false
  const windows: Int32Array[] = []
  for (let start = shift; start + window <= facts.length; start += window)
    windows.push(Int32Array.from({ length: window }, (_, at) => start + at))
  return haveWholeGroups(windows, facts, groups)
}

/** Running sums over rows, so that a window costs the same whatever its size: element i is the sum over the first i rows. */
interface RunningSums {
  readonly advantage: Float64Array
  readonly absolute: Float64Array
}

function runningSums(advantages: Float64Array): RunningSums {
  const advantage = new Float64Array(advantages.length + 1)
  const absolute = new Float64Array(advantages.length + 1)
  for (let i = 0; i < advantages.length; i++) {
    advantage[i + 1] = (advantage[i] as number) + (advantages[i] as number)
    absolute[i + 1] = (absolute[i] as number) + Math.abs(advantages[i] as number)
  }
  return { advantage, absolute }
}

/** Looks at rows / window windows; over all shifts of one size, at as many as there are rows. */
function windowsSumToZero(
  sums: RunningSums,
  rows: number,
  window: number,
  shift: number,
  thresholds: Thresholds,
): boolean {
  let windows = 0
  for (let start = shift; start + window <= rows; start += window) {
    const sum = (sums.advantage[start + window] as number) - (sums.advantage[start] as number)
    const absolute = (sums.absolute[start + window] as number) - (sums.absolute[start] as number)
    if (!isZeroSum(sum, absolute, thresholds)) return false
    if (absolute > thresholds['same-reward']) windows++
  }
  return windows >= thresholds['shifted-windows']
}

function sumsToZero(rows: readonly TrajectoryFacts[], thresholds: Thresholds): boolean {
  let sum = 0
  let absolute = 0
  for (const { advantage } of rows) {
    sum += advantage ?? 0
    absolute += Math.abs(advantage ?? 0)
  }
  return isZeroSum(sum, absolute, thresholds)
}
