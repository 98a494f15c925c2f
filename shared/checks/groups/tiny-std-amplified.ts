import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { fitting, type GroupSpread, isNoise, measuringSpreads, scalingOf } from './scaling.ts'
import { SCHEME_FORMULAS } from './scheme-formulas.ts'
import { completeGroups, rangeOf, trainedIn } from './statistics.ts'

/** A02. A reward gap that is noise is divided by an equally small std, and becomes an advantage of full size. */
export const tinyStdAmplified: Check = {
  code: 'A02',
  name: 'tiny-std-amplified',
  title: 'A tiny reward spread is amplified',
  hypotheses: ['H01', 'H05'],
  severity: 'warning',
  unit: 'group',
  needs: ['rewards', 'group'],
  looksAt: 'complete groups',
  why: 'Dividing by a tiny standard deviation turns noise in the reward into updates as large as those of real successes.',
  fix: 'Switch reward scaling off (or scale by the batch), or drop groups whose spread is below the noise of the reward.',
  cite: 'tinker-cookbook#579, open-instruct#636',
  dump: lookAtGroups,
}

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  if (completeGroups(view, report) === null) return
  yield* within(0, 0.3, fitting(view))
  const scaling = scalingOf(view)
  if (scaling === null) {
    report.abstain('not-checkable', 'nothing tells whether advantages are scaled: declare the reward scaling')
    return
  }
  if (!scaling.scaled) {
    report.abstain(
      'not-applicable',
      `advantages are not scaled (${scaling.origin}: ${SCHEME_FORMULAS[scaling.scheme]})`,
    )
    return
  }
  const { groups } = yield* within(0.3, 0.6, measuringSpreads(view, scaling))
  const least = view.settings.thresholds.amplification
  const look = (spread: GroupSpread) => {
    const affected = isNoise(spread) && spread.amplification >= least
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const { group, std, gap, amplification, rewards, scale } = spread
    report.fault({
      group,
      ...trainedIn(group.members),
      message: `Rewards of group ${group.id} differ by ${digits(gap)} only, and are amplified ${digits(amplification)} times`,
      evidence: {
        rewards,
        std,
        noise_floor: scale.floor,
        gap,
        amplification,
        scheme: scaling.scheme,
        eps: scaling.eps,
        ...(scaling.floor === 0 ? {} : { floor: scaling.floor }),
        scaling_known_from: scaling.origin,
        component_with_the_gap: widestComponent(group),
      },
    })
  }
  yield* within(0.6, 1, forEachOf(groups, look))
}

/** The reward component that differs most within the group; null where components are not stored. */
function widestComponent(group: GroupView): string | null {
  let widest: string | null = null
  let gap = 0
  for (const name of Object.keys(group.members[0]?.rewards ?? {})) {
    const values = group.members.flatMap(({ rewards }) => rewards?.[name] ?? [])
    const range = rangeOf(values)
    if (range <= gap) continue
    widest = name
    gap = range
  }
  return widest
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)))
}
