import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { rangeOf, rewardsOf } from './statistics.ts'

/** What the rows of rollouts that are several are trained with. */
export interface RowCredit {
  /** Complete groups. */
  readonly complete: number
  /** Rollouts of complete groups that train two rows or more. */
  readonly several: number
  /** Of these, those whose rows do not all have one advantage. */
  readonly uneven: number
  /** The same, by their group. */
  readonly groups: ReadonlyMap<GroupView, readonly Uneven[]>
  /** Uneven rows have the advantage of their rollout, with the sign turned: in every rollout in the same rows. */
  readonly isTurned: boolean
}

interface Uneven {
  readonly rollout: TrajectoryFacts
  readonly advantages: readonly number[]
}

/** Of either sign there must be as many rollouts: those whose turns are rewarded by chance have the same rows turned sooner than so many. */
const FEWEST_TURNED = 4

/** What rows that train have, where they do not all have one; else null. */
function unevenAmong(rows: readonly TrajectoryFacts[], thresholds: Thresholds): readonly number[] | null {
  const advantages = advantagesOf(rows)
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const advantage of advantages) {
    least = Math.min(least, advantage)
    greatest = Math.max(greatest, advantage)
  }
  const slack = thresholds['advantage-tolerance'] * Math.max(Math.abs(least), Math.abs(greatest))
  return advantages.length > 1 && greatest - least > slack ? advantages : null
}

function advantagesOf(rows: readonly TrajectoryFacts[]): number[] {
  return rows.flatMap(({ advantage, trained, excluded }) =>
    advantage === null || trained === 0 || excluded ? [] : [advantage],
  )
}

export const measuringRowCredit = onceForDump(measuring)

function* measuring(view: DumpView): Steps<RowCredit> {
  const { thresholds } = view.settings
  const groups = new Map<GroupView, Uneven[]>()
  let [complete, several, uneven] = [0, 0, 0]
  const turns = new TurnedRows(thresholds)
  const look = (group: GroupView) => {
    if (!group.complete) return
    complete++
    if (group.parts === undefined) return
    for (const rollout of group.members) {
      const rows = group.parts.get(rollout)
      if (rows === undefined) continue
      const own = advantagesOf(rows)
      if (own.length < 2) continue
      several++
      turns.look(own, haveOneReward(rows))
      const advantages = unevenAmong(rows, thresholds)
      if (advantages === null) continue
      uneven++
      const found = groups.get(group)
      if (found === undefined) groups.set(group, [{ rollout, advantages }])
      else found.push({ rollout, advantages })
    }
  }
  yield* forEachOf(view.groups, look)
  return { complete, several, uneven, groups, isTurned: uneven > 0 && turns.areTurned() }
}

function haveOneReward(rows: readonly TrajectoryFacts[]): boolean {
  const first = rows[0]?.reward ?? null
  return rows.every(({ reward }) => reward === null || reward === first)
}

/** Whether rows behind the first have its advantage or the same with the other sign, each row in all rollouts alike. */
class TurnedRows {
  private readonly signs: number[] = []
  private readonly byFirst = { positive: 0, negative: 0 }
  private isOtherwise = false

  constructor(private readonly thresholds: Thresholds) {}

  /** @param isOne rows have one reward: those of two players that one game was stored as are rewarded, and credited, against each other */
  look([first = 0, ...others]: readonly number[], isOne: boolean): void {
    if (!isOne) this.isOtherwise = true
    if (this.isOtherwise || first === 0) return
    const slack = this.thresholds['advantage-tolerance'] * Math.abs(first)
    let turned = 0
    for (const [at, other] of others.entries()) {
      const sign = Math.abs(other - first) <= slack ? 1 : Math.abs(other + first) <= slack ? -1 : 0
      this.signs[at] ??= sign
      if (sign === 0 || this.signs[at] !== sign) this.isOtherwise = true
      if (sign === -1) turned++
    }
    if (turned > 0) this.byFirst[first > 0 ? 'positive' : 'negative']++
  }

  areTurned(): boolean {
    return !this.isOtherwise && Math.min(this.byFirst.positive, this.byFirst.negative) >= FEWEST_TURNED
  }
}

/** Whether most groups hold rollouts without an advantage that is theirs as a whole, so that the first of their rows tell no formula. */
export function isByRow({ complete, groups }: RowCredit, thresholds: Thresholds): boolean {
  return groups.size > thresholds['uneven-share'] * complete
}

/** Why a formula over rollouts says nothing of those whose rows have several advantages; null where there is none. */
export function whyByRow({ several, uneven }: RowCredit): string | null {
  if (uneven === 0) return null
  const differ = `rows of ${count(uneven)} of ${counted(several, 'rollout')} that train several have different advantages`
  return `${differ}: credit may be given by turn or by step, which no formula over the rewards of rollouts gives`
}

/** Why no two rollouts of a group with different rewards have one advantage each; null where two have, or nothing is stored. */
export function whyNotOne(groups: readonly GroupView[], credit: RowCredit, thresholds: Thresholds): string | null {
  if (isByRow(credit, thresholds)) return whyByRow(credit)
  return groups.some((group) => isGivenByToken(group, thresholds))
    ? 'advantages are given token by token: no two rollouts of a group with different rewards have one each'
    : null
}

/** Its rewards differ, and no two members have one advantage each, for their tokens have different ones (A12). */
function isGivenByToken(group: GroupView, thresholds: Thresholds): boolean {
  const { members } = group
  const isUneven = ({ advantage, maxAdvantage }: TrajectoryFacts) => advantage === null && maxAdvantage !== null
  return (
    members.filter(({ advantage }) => advantage !== null).length < 2 &&
    members.some(isUneven) &&
    rangeOf(rewardsOf(group)) > thresholds['same-reward']
  )
}
