import type { AdvantageFit, AdvantageScheme } from '../../checks/groups/advantages.ts'
import type { TableFormat } from '../../exports/table-text.ts'
import type { Finding, Severity } from '../../model/report.ts'
import type { Histogram, Row } from '../protocol.ts'
import type { ExportFile } from './export.ts'

/**
 * What a group's rewards are good for; every group is of one kind. `incomplete`: rollouts or rewards are missing, so nothing is said.
 * `dead`: all rewards are the same. `noise`: they differ by less than the noise floor. `contrast`: they tell rollouts apart.
 */
export const GROUP_KINDS = ['dead', 'noise', 'contrast', 'incomplete'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

/** What else a group may have. `copies`: rollouts that are the same, token by token. `untrained`: rollouts that shape its baseline and train nothing. */
export const GROUP_MARKS = ['copies', 'untrained', 'findings'] as const
export type GroupMark = (typeof GROUP_MARKS)[number]

export const GROUP_SORTS = [
  'order',
  'id',
  'step',
  'rollouts',
  'mean',
  'std',
  'amplification',
  'advantage',
  'findings',
] as const
export type GroupSort = (typeof GROUP_SORTS)[number]

/** Which groups, in which order. An empty query is all of them, in the order of their first rollouts. */
export interface GroupQuery {
  readonly kinds?: readonly GroupKind[]
  /** Of which a group has at least one. */
  readonly marks?: readonly GroupMark[]
  /** Complete groups whose std is from `atLeast` to below `below`. */
  readonly std?: { readonly atLeast: number; readonly below: number }
  readonly step?: number
  /** Part of the group's id. */
  readonly text?: string
  readonly sort?: GroupSort
  readonly descending?: boolean
}

/** How advantages are made of rewards here. `assumed`: nothing tells, and numbers are what dividing by the group's std would give. */
export interface GroupScaling {
  readonly scheme: AdvantageScheme
  readonly scaled: boolean
  readonly eps: number
  readonly origin: 'given' | 'fitted' | 'assumed'
}

/** All groups of the dump at a glance: what H01 and H05 rest on. Rewards in their own units; null = nothing to take it from. */
export interface GroupSummary {
  readonly groups: number
  /** Rollouts that belong to no group. */
  readonly ungrouped: number
  /** Rollouts stand in order of their groups, as their format documents: where they name none, a size tells which belong together. */
  readonly inOrder: boolean
  /** Rollouts that a group should have. */
  readonly size: number | null
  /** Nothing but questions that are repeated tells the size. */
  readonly isSizeOfQuestions: boolean
  readonly kinds: Readonly<Record<GroupKind, number>>
  readonly marks: Readonly<Record<GroupMark, number>>
  /** Why no group is complete; null where one is. */
  readonly incompleteBecause: string | null
  readonly scaling: GroupScaling
  /** How many times the rewards of groups that are not dead are multiplied on their way to advantages; null without such groups. */
  readonly amplified: { readonly median: number; readonly greatest: number } | null
  /** How well each scheme reproduces the stored advantages; null where none can be compared. */
  readonly fit: AdvantageFit | null
  /** Mean over complete groups of the unbiased std of their rewards, std of their means, and the ratio of the two. */
  readonly meanStd: number | null
  readonly betweenStd: number | null
  readonly contrastRatio: number | null
  /** Of complete groups. */
  readonly rewards: { readonly least: number; readonly greatest: number } | null
  /** Share of groups that chance alone leaves without contrast; null for graded rewards. */
  readonly chanceOfDead: number | null
  /** Numbers that H01 and H05 are decided by. */
  readonly bounds: {
    /** Std below which a spread is noise: the least, and the greatest where groups are held against several ranges. */
    readonly noiseFloor: number
    readonly greatestNoiseFloor: number
    /** Mean std from which H05 is contradicted: a share of the range; null where there are several. */
    readonly meanStd: number | null
    readonly deadShare: number
    readonly contrastRatio: number
    readonly amplification: number
  }
  /** Std of the complete groups that have contrast or noise. Dead groups are counted in `kinds`. */
  readonly stds: Histogram
  /** By training step, ascending; empty where the dump has none. Long runs are told by every k-th step and their last one. */
  readonly steps: readonly GroupStep[]
  /** How many steps there are, with those that `steps` leaves out. */
  readonly allSteps: number
}

export interface GroupStep {
  readonly step: number
  readonly rollouts: number
  /** Over rollouts with a finite reward. */
  readonly meanReward: number | null
  readonly complete: number
  readonly dead: number
  readonly meanStd: number | null
}

/** One line of the list of groups. */
export interface GroupRow {
  /** Its place among all groups, in the order of their first rollouts. */
  readonly position: number
  readonly id: string
  readonly step: number | null
  readonly rollouts: number
  readonly kind: GroupKind
  readonly marks: readonly GroupMark[]
  /** Of the first 64 rollouts; null is absent or no finite number. */
  readonly rewards: readonly (number | null)[]
  /** Null in incomplete groups. */
  readonly mean: number | null
  readonly std: number | null
  /** Greatest minus least. */
  readonly gap: number | null
  /** 1 / (the std that divides + eps), under `GroupSummary.scaling`. */
  readonly amplification: number | null
  /** Largest |advantage| that is stored. */
  readonly largestAdvantage: number | null
  /** Rollouts that are copies of others. */
  readonly copies: number
  /** Rollouts that count in the baseline and train nothing. */
  readonly untrained: number
  /** Of findings about the group, sorted; those that the policy intends excepted. */
  readonly codes: readonly string[]
  readonly worst: Severity | null
}

/** One way to make advantages of the rewards of a group. */
export interface GroupScheme {
  readonly scheme: AdvantageScheme
  /** Null where the scheme has none. */
  readonly eps: number | null
  /** Largest difference to the stored advantages of this group, as a share of the largest of these; null where nothing can be compared. */
  readonly residual: number | null
  readonly inUse: boolean
}

export interface GroupMember {
  readonly row: Row
  /** In the order of `GroupDetail.schemes`; null where rewards are missing. */
  readonly advantages: readonly number[] | null
  /** Counts in the baseline, and no token of it is trained. */
  readonly untrained: boolean
  /** Place among the members of the first one that has the same tokens; null for that one and for all others. */
  readonly copyOf: number | null
}

/** The rollouts of one group, side by side. */
export interface GroupDetail {
  readonly row: GroupRow
  readonly size: number | null
  /** What is missing, in a sentence; null for a complete group. */
  readonly incompleteBecause: string | null
  /** Std below which its spread is noise; null in an incomplete group. */
  readonly noiseFloor: number | null
  readonly schemes: readonly GroupScheme[]
  /** |advantage| that the scheme in use cannot exceed in such a group; null where none follows. */
  readonly bound: number | null
  /** Mean reward of the rollouts that train, where some do not; null elsewhere. */
  readonly meanOfTraining: number | null
  /** Names of the reward components that any member has, sorted. */
  readonly components: readonly string[]
  /** At most 512, in order. */
  readonly members: readonly GroupMember[]
  readonly membersOmitted: number
  /** Indices of all rollouts of the group. */
  readonly indices: readonly number[]
  readonly findings: readonly Finding[]
  /** The first question as messages have it; null without messages. At most 2,000 characters. */
  readonly question: string | null
}

export interface GroupRequests {
  groupSummary: { input: Record<string, never>; output: GroupSummary }
  /** Positions of matching groups, in order. */
  groups: { input: GroupQuery; output: { positions: Int32Array; total: number } }
  groupRows: { input: { positions: readonly number[] }; output: readonly GroupRow[] }
  /** Fails with a sentence where there is no such group. */
  group: { input: { position: number }; output: GroupDetail }
  /** The groups of a query as a table, one line each. */
  groupTable: { input: { query: GroupQuery; as: TableFormat }; output: ExportFile }
  /** The rollouts of one group as a table, with their advantages under each scheme. */
  siblingTable: { input: { position: number; as: TableFormat }; output: ExportFile }
  /** Indices of all rollouts of these groups, ascending. */
  groupMembers: { input: { positions: readonly number[] }; output: { indices: readonly number[] } }
}
