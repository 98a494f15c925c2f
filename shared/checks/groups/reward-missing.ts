import { count, counted, percent } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { tellingOfBroken } from './broken-rewards.ts'
import { shown, trainedIn } from './statistics.ts'
import { type ZeroedPart, zeroedParts } from './zeroed-parts.ts'

/**
 * A10. A reward is no number, or is missing where most others are there, or all of them were set to one number, most often 0, or all those of one
 * environment or of one step. One above 0 is none of these: a dump may hold nothing but what succeeded. Where half of the rollouts or more have none, that may be meant (a judge that is
 * asked about some, a row of each call that is paid at the last), and nothing is said of those. It is an error and no note where the advantages of the
 * group are no numbers either, or not one reward is; and a warning where nothing tells of advantages, and most groups have such a reward.
 */
export const rewardMissing: Check = {
  code: 'A10',
  name: 'reward-missing',
  title: 'Rewards are missing, not numbers, or zeroed',
  hypotheses: ['H05'],
  severity: 'info',
  unit: 'trajectory',
  needs: ['rewards'],
  looksAt: 'rollouts',
  why: 'One NaN makes the mean of its group NaN, and a reward that is always the same teaches nothing.',
  fix: 'Look at what the reward function does when it fails, and at flags that zero rewards (defect V13).',
  cite: 'verifiers#186',
  dump: lookAtRewards,
}

function* lookAtRewards(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  const [has, rewards] = [columns.present('reward'), columns.numbers('reward')]
  let rewarded = 0
  for (let at = has.indexOf(1); at >= 0; at = has.indexOf(1, at + 1)) rewarded++
  const lacking = view.facts.length - rewarded
  const expected = rewarded > lacking
  const only = rewards[has.indexOf(1)] ?? Number.NaN
  const zeroed =
    only <= 0 &&
    Number.isFinite(only) &&
    rewarded >= view.settings.thresholds['zeroed-rollouts'] &&
    rewards.every((reward, at) => has[at] === 0 || reward === only)
  const isBroken = (at: number) => has[at] === 1 && !Number.isFinite(rewards[at])
  const broken = rewards.reduce((sum, _, at) => sum + (isBroken(at) ? 1 : 0), 0)
  yield 0.1
  if (!expected && lacking > 0 && !zeroed && broken === 0) {
    report.abstain(
      'not-checkable',
      `${count(lacking)} of ${counted(view.facts.length, 'rollout')} have no reward: with so many nothing tells whether they should have one`,
    )
    return
  }
  // A few may be what a trainer leaves out; where none is a number, no group of the run has a mean.
  const noneCounts = expected && rewarded >= view.settings.thresholds['zeroed-rollouts'] && broken === rewarded
  const ofBroken = broken > 0 ? yield* within(0.1, 0.2, tellingOfBroken(view, { rewarded, broken }, noneCounts)) : null
  const parts = zeroed ? [] : yield* within(0.2, 0.4, zeroedParts(view))
  const inParts = new Set(parts.flatMap(({ groups }) => groups.flatMap(({ members }) => members)))
  const look = (facts: TrajectoryFacts, at: number) => {
    const missing = has[at] === 0
    if (missing && !expected) return
    const isNone = isBroken(at)
    const affected = missing || isNone || zeroed || inParts.has(facts)
    report.unit(affected)
    report.place(affected)
    if (!missing && !isNone) return
    const { reward } = facts
    const told = isNone ? ofBroken?.(facts) : null
    report.fault({
      member: facts,
      message:
        told?.message ?? `The rollout has no reward, while ${count(rewarded)} of ${count(view.facts.length)} have one`,
      ...(told?.severity === undefined ? {} : { severity: told.severity }),
      evidence: {
        reward: reward === null ? null : String(reward),
        ...(told?.fate == null ? {} : { group: told.fate }),
        rewarded,
        rollouts: view.facts.length,
      },
    })
  }
  yield* within(0.4, 1, forEachOf(view.facts, look))
  for (const part of parts) tellOf(part, report)
  if (!zeroed) return
  const scored =
    only === 0
      ? view.facts.filter(({ rewards }) => Object.values(rewards ?? {}).some((value) => value !== 0)).length
      : 0
  report.fault({
    message: `All ${rewarded} rewards are ${shown(only)}${scored > 0 ? `, while components of ${scored} rollouts are not` : ''}`,
    evidence: { reward: only, rollouts: rewarded, rollouts_with_components_other_than_0: scored },
  })
}

/** Group by group, of which a person may open some. */
function tellOf(part: ZeroedPart, report: DumpReporter): void {
  const { environment, step, reward, rollouts, others, zeroedOthers } = part
  const ofStep = step === null ? '' : ` in step ${count(step)}`
  const where = environment === null ? ofStep.trimStart() : `of environment ${environment}${ofStep}`
  const besides =
    step === null
      ? 'while those of others differ: it is too hard, or its rewards were lost'
      : `while ${percent(1 - zeroedOthers / others)} of the groups of its other steps have others`
  for (const group of part.groups) {
    report.fault({
      group,
      ...trainedIn(group.members),
      message: `All ${counted(group.members.length, 'reward')} of group ${group.id} are ${shown(reward)}, as are all ${count(rollouts)} ${where}, ${besides}`,
      evidence: {
        reward,
        environment,
        step,
        rollouts,
        groups: part.groups.length,
        other_groups: others,
        other_groups_of_this_reward: zeroedOthers,
      },
    })
  }
}
