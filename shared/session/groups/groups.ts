import type { DumpView, GroupView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import {
  ADVANTAGE_SCHEMES,
  type AdvantageFit,
  type AdvantageScheme,
  DEFAULT_ADVANTAGE_EPS,
  isScaled,
  recomputeAdvantages,
  residualOf,
} from '../../checks/groups/advantages.ts'
import { boundOf } from '../../checks/groups/bounds.ts'
import { idsOf, partsOf } from '../../checks/groups/copies.ts'
import { isInformative } from '../../checks/groups/informative.ts'
import { fitOf, measuringSpreads, type Spreads, scalingOf, spreadsOf } from '../../checks/groups/scaling.ts'
import { mean, rewardsOf } from '../../checks/groups/statistics.ts'
import { measuringSteps, type StepScales, stepOf } from '../../checks/groups/step-scales.ts'
import { firstQuestion } from '../../checks/texts/pairing.ts'
import { clipped } from '../../model/clipped.ts'
import { finite } from '../../model/finite.ts'
import { inNaturalOrder } from '../../model/natural-order.ts'
import { counted } from '../../model/number-text.ts'
import type { Finding } from '../../model/report.ts'
import { atOnce, type Steps, within } from '../../model/steps.ts'
import { codesOf } from '../audit/collected.ts'
import { indexOfPlace } from '../concluding/fault-rows.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { Row } from '../protocol.ts'
import type { GroupDetail, GroupMember, GroupQuery, GroupRow, GroupScaling, GroupScheme } from '../requests/groups.ts'
import { findingsByGroup, type KnownGroup, knownGroup, marksOf, untrainedIn } from './known.ts'
import { groupsThatFit } from './query.ts'

/** What the groups of a run are told from. A session is one. */
export interface GroupOrigin {
  readonly dump: DumpView
  /** Findings about groups and about the whole dump. */
  readonly findingsOfDump: readonly Finding[]
  rows(indices: readonly number[]): Row[]
  load(index: number): Promise<LoadedTrajectory>
}

/** Rewards of a group that its line in the list draws. */
const MOST_REWARDS = 64
/** A group may be a whole dump; nobody compares more rollouts than these by eye. */
const MOST_MEMBERS = 512
const QUESTION_CHARACTERS = 2000
const GROUPS_OF_A_STEP = 1000

/** All groups of a dump, gone through once. */
export class GroupBook {
  readonly scaling: GroupScaling
  readonly fit: AdvantageFit | null
  /** Of all rewards of complete groups. */
  readonly range: number

  private constructor(
    readonly origin: GroupOrigin,
    readonly known: readonly KnownGroup[],
    { range }: Spreads,
    private readonly scaleOf: (group: GroupView) => StepScales,
  ) {
    this.scaling = scalingHere(origin.dump)
    this.fit = fitOf(origin.dump)
    this.range = range
  }

  static *gathering(origin: GroupOrigin): Steps<GroupBook> {
    const { dump } = origin
    const scaling = scalingHere(dump)
    yield 0.05
    yield* within(0.05, 0.15, measuringSpreads(dump, null))
    const floor = scalingOf(dump)?.floor ?? 0
    const all = spreadsOf(dump, { ...scaling, floor, weight: 1, origin: 'given', declared: null, fit: fitOf(dump) })
    yield 0.15
    const spreads = new Map(all.groups.map((spread) => [spread.group, spread]))
    const found = findingsByGroup(origin.findingsOfDump)
    yield 0.25
    const known: KnownGroup[] = []
    for (const group of dump.groups) {
      known.push(knownGroup(group, spreads.get(group) ?? null, found.get(group.id) ?? [], dump))
      if (known.length % GROUPS_OF_A_STEP === 0) yield 0.25 + (0.7 * known.length) / dump.groups.length
    }
    const judged = all.groups.map(({ group }) => group)
    return new GroupBook(origin, known, all, yield* within(0.95, 1, measuringSteps(judged)))
  }

  /** Positions of the groups that a query keeps, in its order; groups without a value in the sorted column come last. */
  query(query: GroupQuery): Int32Array {
    return groupsThatFit(this.known, query)
  }

  /** Throws with a sentence where there is no such group. */
  at(position: number): KnownGroup {
    const known = this.known[position]
    if (known === undefined) throw new Error(`There is no group ${position}; this dump has ${this.known.length}.`)
    return known
  }

  row(position: number): GroupRow {
    const { group, kind, spread, copies, untrained, largestAdvantage: largest, findings, worst } = this.at(position)
    return {
      position,
      id: group.id,
      step: stepOf(group),
      rollouts: group.members.length,
      kind,
      marks: marksOf(this.at(position)),
      rewards: group.members.slice(0, MOST_REWARDS).map(({ reward }) => finite(reward)),
      mean: spread === null ? null : mean(spread.rewards),
      std: spread?.std ?? null,
      gap: spread?.gap ?? null,
      amplification: spread === null || !spread.contrast ? null : spread.amplification,
      largestAdvantage: largest,
      copies,
      untrained,
      codes: codesOf(findings),
      worst,
    }
  }

  indices(position: number): number[] {
    const { facts } = this.origin.dump
    return this.at(position).group.members.map(({ place }) => indexOfPlace(facts, place))
  }

  schemes(position: number): GroupScheme[] {
    const { group } = this.at(position)
    const { thresholds } = this.origin.dump.settings
    const isTold = group.complete && isInformative(group, thresholds)
    return ADVANTAGE_SCHEMES.map((scheme) => {
      const eps = isScaled(scheme) ? this.epsOf(scheme) : null
      return {
        scheme,
        eps,
        residual: isTold
          ? finite(residualOf(group, scheme, eps ?? 0, this.scaleOf(group), 1, this.floorOf(scheme)))
          : null,
        inUse: this.scaling.origin !== 'assumed' && scheme === this.scaling.scheme,
      }
    })
  }

  async detail(position: number): Promise<GroupDetail> {
    const { group, findings, kind, spread } = this.at(position)
    const { dump } = this.origin
    const indices = this.indices(position)
    const schemes = this.schemes(position)
    const trainingRewards = group.members.flatMap(({ trained, reward }) =>
      trained === 0 ? [] : (finite(reward) ?? []),
    )
    return {
      row: this.row(position),
      size: dump.groupSize,
      incompleteBecause: kind === 'incomplete' ? whyIncomplete(group, dump.groupSize) : null,
      noiseFloor: spread?.scale.floor ?? null,
      schemes,
      bound:
        this.scaling.origin === 'assumed' || group.members.length < 2
          ? null
          : boundOf(this.scaling.scheme, group.members.length, this.range),
      meanOfTraining: untrainedIn(group) > 0 && trainingRewards.length > 0 ? mean(trainingRewards) : null,
      components: componentNames(group),
      members: this.members(position, schemes, indices),
      membersOmitted: Math.max(0, indices.length - MOST_MEMBERS),
      indices,
      findings,
      question: await this.question(indices[0]),
    }
  }

  /** The rollouts of a group, those beyond `most` left out. */
  members(
    position: number,
    schemes: readonly GroupScheme[],
    indices: readonly number[],
    most = MOST_MEMBERS,
  ): GroupMember[] {
    const { group } = this.at(position)
    const rows = this.origin.rows(indices.slice(0, most))
    const byScheme = this.advantages(group, schemes)
    const firstOf = new Map<string, number>()
    return rows.map((row, at) => {
      const { trained } = row.facts
      const ids = idsOf(partsOf(group, group.members[at] as TrajectoryFacts))
      const copyOf = ids === null ? null : (firstOf.get(ids) ?? null)
      if (ids !== null && copyOf === null) firstOf.set(ids, at)
      return {
        row,
        advantages: byScheme?.map((values) => values[at] as number) ?? null,
        untrained: trained === 0 && untrainedIn(group) > 0,
        copyOf,
      }
    })
  }

  private advantages(group: GroupView, schemes: readonly GroupScheme[]): number[][] | null {
    if (group.members.length < 2 || !group.members.every(({ reward }) => finite(reward) !== null)) return null
    const rewards = rewardsOf(group)
    const { ofAll } = this.scaleOf(group)
    return schemes.map(({ scheme, eps }) => recomputeAdvantages(scheme, rewards, eps ?? 0, ofAll, this.floorOf(scheme)))
  }

  /** Of the scheme in use; another is shown as it is. */
  private floorOf(scheme: AdvantageScheme): number {
    return this.fit?.accepted === true && this.fit.scheme === scheme ? this.fit.floor : 0
  }

  /** What fits the stored advantages best under a scheme, else what is in use. */
  private epsOf(scheme: AdvantageScheme): number {
    if (scheme === this.scaling.scheme || this.fit === null) return this.scaling.eps
    const fitted = [this.fit, ...this.fit.runnersUp].find((each) => each.scheme === scheme)
    return fitted?.eps ?? this.scaling.eps
  }

  private async question(index: number | undefined): Promise<string | null> {
    if (index === undefined) return null
    const { trajectory } = await this.origin.load(index)
    return clipped(firstQuestion(trajectory.messages)?.content ?? '', QUESTION_CHARACTERS) || null
  }
}

const books = new WeakMap<DumpView, GroupBook>()

/** The groups of what has been read so far. */
export function groupsOf(origin: GroupOrigin): GroupBook {
  return atOnce(gatheringGroups(origin))
}

/** The same in steps; a million rollouts take seconds. */
export function* gatheringGroups(origin: GroupOrigin): Steps<GroupBook> {
  const { dump } = origin
  const known = books.get(dump)
  if (known !== undefined) return known
  const book = yield* GroupBook.gathering(origin)
  books.set(dump, book)
  return book
}

function scalingHere(dump: DumpView): GroupScaling {
  const known = scalingOf(dump)
  if (known !== null) return { scheme: known.scheme, scaled: known.scaled, eps: known.eps, origin: known.origin }
  const eps = dump.settings.options.advantageEps ?? DEFAULT_ADVANTAGE_EPS
  return { scheme: 'group-std-unbiased', scaled: true, eps, origin: 'assumed' }
}

function whyIncomplete({ members, isAskedOnce }: GroupView, sizeOfOthers: number | null): string {
  const size = isAskedOnce ? null : sizeOfOthers
  const absent = members.filter(({ reward }) => reward === null).length
  const odd = members.filter(({ reward }) => reward !== null && !Number.isFinite(reward)).length
  const reasons = [
    ...(members.length === 1 && (size ?? 1) <= 1 ? ['it is a single rollout'] : []),
    ...(size !== null && members.length < size
      ? [`it has ${members.length} of ${size} rollouts`]
      : size !== null && members.length > size
        ? [`it has ${counted(members.length, 'rollout')} where ${size} belong in a group`]
        : []),
    ...(absent > 0 ? [`${absent} ${absent === 1 ? 'rollout has' : 'rollouts have'} no reward`] : []),
    ...(odd > 0 ? [`${odd} ${odd === 1 ? 'reward is' : 'rewards are'} NaN or infinite`] : []),
  ]
  return reasons.length === 0 ? 'Its members declare another group size.' : `Not judged: ${reasons.join(', and ')}.`
}

function componentNames({ members }: GroupView): string[] {
  const names = new Set<string>()
  for (const { rewards } of members) for (const name of Object.keys(rewards ?? {})) names.add(name)
  return [...names].sort(inNaturalOrder)
}
