import { forEachOf, type Steps } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** As many groups must tell their sizes by their advantages: one or two fit by chance. */
const FEWEST_TOLD = 4
/** Of so many groups that tell, one may have the advantages of something else, as where it is faulty. */
const DENYING_OF = 20
/** What rounding leaves, as a share of the largest advantage: bfloat16 keeps 8 bits. */
const ROUNDING = 0.01

/**
 * Sizes that groups of a dump have where no size is the common one, as where tasks ask for unlike numbers of rollouts: those of groups
 * whose advantages are made of their own rows. What lacks a row has advantages about a mean of others, and fits by chance alone, so that nearly all groups
 * must. Empty where nothing tells.
 */
export function* sizesByAdvantages(
  groups: readonly { readonly members: readonly TrajectoryFacts[] }[],
): Steps<ReadonlySet<number>> {
  const sizes = new Set<number>()
  let [told, denying] = [0, 0]
  yield* forEachOf(groups, ({ members }) => {
    const isOwn = isOfOwnMean(members)
    if (isOwn === null) return
    told++
    if (isOwn) sizes.add(members.length)
    else denying++
  })
  return told >= FEWEST_TOLD && denying * DENYING_OF <= told ? sizes : new Set()
}

/** Whether advantages are in proportion to the distances of rewards from their mean; null where rewards are the same, or something is not stored. */
function isOfOwnMean(members: readonly TrajectoryFacts[]): boolean | null {
  let [sum, largest] = [0, 0]
  for (const { reward, advantage } of members) {
    if (reward === null || advantage === null || !Number.isFinite(reward) || !Number.isFinite(advantage)) return null
    sum += reward
    largest = Math.max(largest, Math.abs(advantage))
  }
  const mean = sum / members.length
  let [products, squares] = [0, 0]
  for (const { reward, advantage } of members) {
    products += (advantage as number) * ((reward as number) - mean)
    squares += ((reward as number) - mean) ** 2
  }
  // Rewards that differ by rounding have advantages of anything.
  if (members.length < 2 || squares <= members.length * LEVEL ** 2 || largest === 0) return null
  const factor = products / squares
  const isOff = ({ reward, advantage }: TrajectoryFacts) =>
    Math.abs((advantage as number) - factor * ((reward as number) - mean)) > ROUNDING * largest
  return factor > 0 && !members.some(isOff)
}

/** A std that is rounding. */
const LEVEL = 1e-6
