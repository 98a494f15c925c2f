import { SCHEME_NAMES } from '../../../shared/checks/groups/scheme-words.ts'
import type { GroupSummary } from '../../../shared/session/requests/groups.ts'
import { count, counted, real } from '../../text/numbers.ts'

/** What the groups teach, in two sentences: how many teach nothing and why, and what becomes of the rewards of the others. */
export function Conclusion({ summary }: { summary: GroupSummary }) {
  const { dead, noise, contrast } = summary.kinds
  if (dead + noise + contrast === 0) return null
  return (
    <p>
      <strong>{taught(summary)}</strong> {scaledBy(summary)}
      {summary.marks.untrained > 0 &&
        ` In ${counted(summary.marks.untrained, 'group')} some rollouts shape the baseline and train nothing.`}
    </p>
  )
}

function taught({ kinds: { dead, noise, contrast }, bounds }: GroupSummary): string {
  const complete = dead + noise + contrast
  if (dead + noise === 0) {
    return complete === 1
      ? 'The one complete group teaches: its rewards tell its rollouts apart.'
      : `All ${count(complete)} complete groups teach: rewards tell their rollouts apart.`
  }
  const [least, greatest] = [bounds.noiseFloor, bounds.greatestNoiseFloor].map((floor) =>
    real(Number(floor.toPrecision(3))),
  )
  const floor = least === greatest ? least : `${least} to ${greatest} by the range of each kind of reward`
  const parts = [
    ...(dead === 0 ? [] : [`${teaching(dead, complete)} nothing, since all rewards in a group are the same`]),
    ...(noise === 0
      ? []
      : [
          `${teaching(noise, dead === 0 ? complete : null)} noise: rewards differ by less than the noise floor, ${floor}`,
        ]),
  ]
  const rest =
    contrast === 0
      ? 'None tells rollouts apart.'
      : `${count(contrast)} ${contrast === 1 ? 'tells' : 'tell'} rollouts apart.`
  return `${parts.join('; ')}. ${rest}`
}

/** `5 of 12 complete groups teach` */
function teaching(groups: number, of: number | null): string {
  return `${count(groups)}${of === null ? '' : ` of ${counted(of, 'complete group')}`} ${groups === 1 ? 'teaches' : 'teach'}`
}

/** What dividing by a std does to the groups that are not dead. */
function scaledBy({ scaling, amplified }: GroupSummary): string | null {
  if (amplified === null) return null
  const name = SCHEME_NAMES[scaling.scheme]
  const isAssumed = scaling.origin === 'assumed'
  if (!isAssumed && !scaling.scaled)
    return `Advantages are ${name}: no std divides them, so differences of rewards stay as they are.`
  const median = times(amplified.median)
  const greatest = times(amplified.greatest)
  const by = median === greatest ? `${median} in every one` : `${median} in the median group and by ${greatest} at most`
  return isAssumed
    ? `Nothing tells how rewards are scaled here; dividing by the std of the group would multiply differences of rewards by ${by}.`
    : `The scheme in use (${name}) multiplies differences of rewards by ${by}.`
}

function times(value: number): string {
  return value >= 100 ? count(value) : real(Number(value.toPrecision(3)))
}
