import { chanceOfNoContrast } from '../../checks/groups/all-same-reward.ts'
import { incompleteReason, mean } from '../../checks/groups/statistics.ts'
import { contrastBounds, flatBounds, withinBounds } from '../../hypotheses/bounds.ts'
import { measureRewards } from '../../hypotheses/reward.ts'
import { finite } from '../../model/finite.ts'
import type { Histogram } from '../protocol.ts'
import { GROUP_KINDS, GROUP_MARKS, type GroupStep, type GroupSummary } from '../requests/groups.ts'
import type { GroupBook } from './groups.ts'
import { type KnownGroup, marksOf } from './known.ts'

const BINS = 40
/** Steps that are told: a drawing is no wider. */
const MOST_STEPS = 400

const summaries = new WeakMap<GroupBook, GroupSummary>()

/** What H01 and H05 rest on, as one look at all groups. */
export function groupSummary(book: GroupBook): GroupSummary {
  const known = summaries.get(book)
  if (known !== undefined) return known
  const summary = summaryOf(book)
  summaries.set(book, summary)
  return summary
}

function summaryOf(book: GroupBook): GroupSummary {
  const { dump } = book.origin
  const { thresholds } = dump.settings
  const { known } = book
  const complete = known.filter(({ spread }) => spread !== null)
  const measures = measureRewards(dump)
  const isKnown = complete.length > 0
  const grouped = known.reduce((sum, { group }) => sum + group.members.length, 0)
  const branches = dump.facts.filter(({ branchOf }) => branchOf !== null).length
  return {
    groups: known.length,
    ungrouped: branches > 0 ? dump.facts.filter(({ group }) => group === null).length : dump.facts.length - grouped,
    inOrder: dump.groupsByOrder ?? false,
    size: dump.groupSize,
    isSizeOfQuestions: dump.sizeOfQuestions !== undefined,
    kinds: counted(GROUP_KINDS, (kind) => known.filter((each) => each.kind === kind).length),
    marks: counted(GROUP_MARKS, (mark) => known.filter((each) => marksOf(each).includes(mark)).length),
    incompleteBecause: isKnown || known.length === 0 ? null : incompleteReason(dump),
    scaling: book.scaling,
    amplified: amplified(complete),
    fit: book.fit,
    // Rewards may be so large that their spread is no number.
    meanStd: isKnown ? finite(measures.within) : null,
    betweenStd: finite(measures.between),
    contrastRatio: finite(measures.contrastRatio),
    rewards: isKnown ? ends(complete) : null,
    chanceOfDead: isKnown ? chanceOfNoContrast(complete.map(({ group }) => group)) : null,
    bounds: {
      noiseFloor: measures.noiseFloors[0],
      greatestNoiseFloor: measures.noiseFloors[1],
      meanStd:
        measures.scales.length === 1
          ? finite(withinBounds(thresholds).supported.threshold * (measures.scales[0]?.range ?? 0))
          : null,
      deadShare: flatBounds(thresholds).supported.threshold,
      contrastRatio: contrastBounds(thresholds).supported.threshold,
      amplification: thresholds.amplification,
    },
    stds: histogram(complete.flatMap(({ spread }) => (spread?.contrast ? spread.std : []))),
    ...stepsOf(book),
  }
}

function amplified(complete: readonly KnownGroup[]): GroupSummary['amplified'] {
  const times = complete.flatMap(({ spread }) => (spread?.contrast ? spread.amplification : [])).filter(Number.isFinite)
  if (times.length === 0) return null
  const sorted = Float64Array.from(times).sort()
  return { median: sorted[Math.floor((sorted.length - 1) / 2)]!, greatest: sorted.at(-1)! }
}

function ends(complete: readonly KnownGroup[]): { readonly least: number; readonly greatest: number } {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (const { spread } of complete) {
    for (const reward of spread?.rewards ?? []) {
      least = Math.min(least, reward)
      greatest = Math.max(greatest, reward)
    }
  }
  return { least, greatest }
}

function counted<Name extends string>(names: readonly Name[], count: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>
}

/** At most 41 bins of a round width from 0 on. A std that is too large for a number has no place among them. */
function histogram(values: readonly number[]): Histogram {
  const drawn = values.filter(Number.isFinite)
  const most = drawn.reduce((a, b) => Math.max(a, b), 0)
  if (most === 0) return { from: 0, width: 1, counts: [] }
  const power = 10 ** Math.floor(Math.log10(most / BINS))
  const round = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most / BINS)
  // Near the least number there is none that is round.
  const width = round !== undefined && round > 0 ? round : most
  const counts = new Array<number>(Math.floor(most / width) + 1).fill(0)
  for (const value of drawn) counts[Math.floor(value / width)]! += 1
  return { from: 0, width, counts }
}

function stepsOf({ origin: { dump }, known }: GroupBook): Pick<GroupSummary, 'steps' | 'allSteps'> {
  const rewards = new Map<number, { rollouts: number; sum: number; rewarded: number }>()
  for (const { step, reward } of dump.facts) {
    if (step === null) continue
    const at = rewards.get(step) ?? { rollouts: 0, sum: 0, rewarded: 0 }
    at.rollouts++
    if (reward !== null && Number.isFinite(reward)) {
      at.sum += reward
      at.rewarded++
    }
    rewards.set(step, at)
  }
  const groups = new Map<number, KnownGroup[]>()
  for (const each of known) {
    const step = each.group.members[0]?.step ?? null
    if (step === null || each.spread === null) continue
    const at = groups.get(step)
    if (at === undefined) groups.set(step, [each])
    else at.push(each)
  }
  const steps = [...rewards].sort(([a], [b]) => a - b)
  // The last step is always told: what is said of a whole run goes from its first to its last.
  const stride = Math.ceil((steps.length - 1) / (MOST_STEPS - 1))
  const told: GroupStep[] = steps
    .filter((_, at) => at % stride === 0 || at === steps.length - 1)
    .map(([step, { rollouts, sum, rewarded }]) => {
      const own = groups.get(step) ?? []
      return {
        step,
        rollouts,
        meanReward: rewarded === 0 ? null : sum / rewarded,
        complete: own.length,
        dead: own.filter(({ kind }) => kind === 'dead').length,
        meanStd: own.length === 0 ? null : mean(own.map(({ spread }) => spread?.std ?? 0)),
      }
    })
  return { steps: told, allSteps: steps.length }
}
