import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isOfOnePrompt } from './split-groups.ts'

/** Rows that are taken for a group. */
interface Bucket {
  readonly id: string
  readonly members: TrajectoryFacts[]
}

/** Pairs of a prompt and a reward that must tell it; none may deny it. */
const FEWEST_TOLD = 4
/** Of an advantage, what rounding leaves of the difference of two that are one. */
const ROUNDING = 1e-3

/**
 * The groups of prompts, where keys were counted off over rows of which some had been dropped before (open-instruct numbers prompts behind the filter of
 * truncated ones): the rollouts of one prompt then lie under two keys, and what they were compared with is not what the keys say. Advantages tell: those of
 * one prompt and reward are one number whatever their keys, and those of one key and reward are not. A trainer that did compare the rows of a key has it the
 * other way round, and its groups are as they are stored (A05).
 *
 * @param size of most of the stored groups, which no group of a prompt exceeds
 * @returns null where the keys are those of groups, or nothing tells
 */
export function* groupsOfPrompts(stored: readonly Bucket[], size: number | null): Steps<Bucket[] | null> {
  if (size === null || (yield* within(0, 0.3, areOfOnePromptEach(stored)))) return null
  const ofPrompts = new Agreement()
  const ofKeys = new Agreement()
  const prompts = new Map<string, TrajectoryFacts[]>()
  let isTold = true
  const add = (member: TrajectoryFacts, bucket: number) => {
    const { promptHash, reward, advantage } = member
    if (promptHash === null || advantage === null || reward === null) {
      isTold = false
      return
    }
    const prompt = `${member.place.source} ${member.step} ${promptHash}`
    const rows = prompts.get(prompt)
    if (rows === undefined) prompts.set(prompt, [member])
    else rows.push(member)
    // One that trains nothing may have been given 0 for just that.
    if (member.trained === 0) return
    ofPrompts.add(`${prompt} ${reward}`, String(bucket), advantage)
    ofKeys.add(`${bucket} ${reward}`, prompt, advantage)
  }
  const addAll = ({ members }: Bucket, bucket: number) => {
    for (const member of members) if (isTold) add(member, bucket)
  }
  yield* within(0.3, 1, forEachOf(stored, addAll))
  if (!isTold) return null
  const [agreeing, parted] = [ofPrompts.counts(), ofKeys.counts()]
  if (agreeing.together < FEWEST_TOLD || agreeing.apart > 0 || parted.apart <= parted.together) return null
  const groups = [...prompts.values()]
  return groups.some((members) => members.length > size) ? null : named(groups, stored)
}

function* areOfOnePromptEach(stored: readonly Bucket[]): Steps<boolean> {
  let are = true
  yield* forEachOf(stored, ({ members }) => {
    are &&= isOfOnePrompt(members)
  })
  return are
}

/** Whether rows that share something have one advantage wherever else they differ. */
class Agreement {
  private readonly shared = new Map<string, { least: number; most: number; side: string; sides: number }>()

  add(key: string, side: string, advantage: number): void {
    const found = this.shared.get(key)
    if (found === undefined) {
      this.shared.set(key, { least: advantage, most: advantage, side, sides: 1 })
      return
    }
    found.least = Math.min(found.least, advantage)
    found.most = Math.max(found.most, advantage)
    if (side !== found.side) found.sides++
    found.side = side
  }

  /** Of those on several sides. */
  counts(): { readonly together: number; readonly apart: number } {
    let [together, apart] = [0, 0]
    for (const { least, most, sides } of this.shared.values()) {
      if (sides < 2) continue
      if (most - least <= ROUNDING * Math.max(Math.abs(least), Math.abs(most))) together++
      else apart++
    }
    return { together, apart }
  }
}

/** By the key that most of their rows are stored under. */
function named(groups: readonly TrajectoryFacts[][], stored: readonly Bucket[]): Bucket[] {
  const idOf = new Map<TrajectoryFacts, string>()
  for (const { id, members } of stored) for (const member of members) idOf.set(member, id)
  const uses = new Map<string, number>()
  return groups.map((members) => {
    const counts = new Map<string, number>()
    for (const member of members) {
      const id = idOf.get(member) as string
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    const [id] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))
    const use = (uses.get(id) ?? 0) + 1
    uses.set(id, use)
    return { id: use === 1 ? id : `${id} (prompt ${use})`, members }
  })
}
