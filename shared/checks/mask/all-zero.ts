import { filtered, forEachOf, type Steps } from '../../model/steps.ts'
import type { Segmentation } from '../../model/tokens.ts'
import type { Check, DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts, UntrainedEnd } from '../facts/facts.ts'
import { isAtLimit } from '../limits/limits-left.ts'
import { filledTurns, tokenCount, writtenTurns } from '../oracles/edges.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { shapeOf } from '../oracles/shape.ts'
import { leftOutByRatio, leftOutByReward, leftOutOfBaselines } from './left-out-rows.ts'

export const M04: Check = {
  code: 'M04',
  name: 'nothing-trained',
  title: 'Nothing in the row is trained',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['mask'],
  looksAt: 'rollouts with sampled tokens',
  why: 'The rollout was paid for and gives no gradient; where most rows are so, the run stands still.',
  fix: 'Look for a template without generation markers, a wrong response marker, or a filter that drops the row.',
  cite: 'transformers#34172, TRL#4201, unsloth#2095, TRL#5826',
  trajectory(view, _settings, report) {
    if (hasNothingSampled(view)) return
    // What closes its last turn may still have been ended by a limit: the other rows tell, at the end.
    const affected = shapeOf(view).allZero && untrainedEnd(view) === undefined
    report.place(affected)
    if (affected) report.fault(faultOf(view.facts, causeOf(view)))
  },
  dump: lookAtStops,
}

/**
 * Rows that end with an end token and train nothing: one that is just as long as a limit was ended by it, whatever stands last. Where the row is padded with
 * that token, the first of the padding may be what stands last: of a few such rows nobody can tell, and a filter of cut rows takes a few. So it does of
 * those that end behind a reply or a header, where the model would have gone on.
 */
function* lookAtStops(view: DumpView, report: DumpReporter): Steps<void> {
  if (new FactColumns(view.facts).isEmpty('untrainedEnd')) return
  const unsure = yield* filtered(
    view.facts,
    ({ untrainedEnd }) => untrainedEnd !== undefined && untrainedEnd !== 'stop',
  )
  // A rollout that failed has no reward to learn from, where the others have theirs, and no advantage or one of 0.
  const rewarded = new FactColumns(view.facts).present('reward').reduce((sum, has) => sum + has, 0)
  const areRewarded = rewarded * 2 > view.facts.length
  const leftOut = leftOutGroups(view)
  const [byBaseline, byReward, byRatio] = [leftOutOfBaselines(view), leftOutByReward(view), leftOutByRatio(view)]
  const causeAmongOthers = (member: TrajectoryFacts) => {
    if (isAtLimit(member, view)) return 'just as long as a limit of the run'
    if (leftOut.has(member)) return 'in a group of one reward, all of which are masked whole'
    if (byReward.has(member)) return 'rewarded less than every row that trains'
    if (byBaseline.has(member)) return 'left out of the baseline of its group as well'
    if (byRatio.rows.has(member)) return byRatio.says
    return areRewarded && member.reward === null && !member.advantage ? 'without a reward, as one that failed' : null
  }
  const areFew = unsure.length <= view.settings.thresholds['masked-rows-share'] * view.facts.length
  yield* forEachOf(view.facts, (member) => {
    if (member.untrainedEnd === undefined) return
    const isBetween = member.untrainedEnd === 'between-turns' && areFew
    const fault = faultOf(
      member,
      causeAmongOthers(member) ?? (isBetween ? 'ended before an answer, as a limit ends it' : null),
    )
    report.unitAfterAll()
    if (member.untrainedEnd !== 'stop-or-padding' || fault.severity === 'info' || !areFew)
      report.fault({ member, ...fault })
    else {
      const message = `${fault.message}; it is padded with the token that ends its last turn, so that a limit may have cut it`
      report.fault({ member, ...fault, severity: 'warning', message })
    }
  })
}

/** Rollouts of complete groups whose rewards are all the same, so that no mask would let them train anything, where all of every such group are masked. */
function leftOutGroups({ groups }: DumpView): ReadonlySet<TrajectoryFacts> {
  const flat = groups.filter(({ rewards }) => rewards?.every((reward) => reward === rewards[0]))
  const members = flat.flatMap((group) => group.members)
  return new Set(members.every(({ trained }) => trained === 0) ? members : [])
}

function faultOf({ realLength, reward, endReason }: TrajectoryFacts, cause: string | null) {
  return {
    severity: cause === null ? ('error' as const) : ('info' as const),
    message: `None of the row's ${tokenCount(realLength)} carries loss${cause === null ? '' : `: the row is ${cause}`}`,
    evidence: { tokens: realLength, reward, cause, end_reason: endReason },
  }
}

function hasNothingSampled({ segmentation }: TrajectoryView): boolean {
  return segmentation !== null && segmentation.turns.length > 0 && writtenTurns(segmentation).length === 0
}

/** What ends a row that trains nothing, ends with a stop, and of which nothing of its own says why; undefined for every other. */
export function untrainedEnd(view: TrajectoryView): UntrainedEnd | undefined {
  const { mask, facts, segmentation, ids } = view
  if (mask === null || facts.trained !== 0 || facts.endReason !== 'stop') return undefined
  if (hasNothingSampled(view) || !shapeOf(view).allZero || causeOf(view) !== null) return undefined
  if (segmentation !== null && endsBetweenTurns(segmentation)) return 'between-turns'
  const end = ids.length - (segmentation?.padding.right ?? 0)
  return end === ids.length || ids[end - 1] !== ids[end] ? 'stop' : 'stop-or-padding'
}

/** Nothing of the model stands behind the last reply, or the header of its next turn. */
function endsBetweenTurns(segmentation: Segmentation): boolean {
  return segmentation.endsWithGenerationPrompt || filledTurns(segmentation).at(-1)?.kind === 'tool'
}

/** Why a row that trains nothing was masked whole, on purpose as it seems; null for every other row. */
export function maskedWholeBecause(view: TrajectoryView): string | null {
  return view.mask !== null && shapeOf(view).allZero ? causeOf(view) : null
}

/** Finish reasons of rollouts that nobody asked to end. */
const FAILED = /abort|error|time_?out|fail|cancel/i

/** Why a whole row may be masked on purpose; null where nothing in the dump says so. */
function causeOf({ trajectory, facts }: TrajectoryView): string | null {
  if (trajectory.excluded) return "excluded by the source's own flag"
  if (trajectory.isTruncated === true || isLengthStop(trajectory.finishReason)) return 'flagged as truncated'
  if (trajectory.finishReason !== null && FAILED.test(trajectory.finishReason))
    return `ended by "${trajectory.finishReason}"`
  const { meta } = trajectory
  if (meta.filtered === true || meta.is_filtered === true) return 'flagged as filtered'
  return facts.endReason.startsWith('cut') ? 'cut before its last turn ended' : null
}
