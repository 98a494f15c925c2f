import type { Policy } from '../../model/policy.ts'
import type { CheckResult, HypothesisResult } from '../../model/report.ts'
import type { Part } from '../../model/tokens.ts'
import type { Unrepairable } from '../lab/anatomy.ts'
import type { CutInDump } from '../lab/cut-in-dump.ts'
import type { CutRules, LimitCost, TriedLimit, TriedLimits } from '../lab/limits.ts'
import type { LossPicture, LossSettings } from '../lab/loss.ts'

/** Which rollouts were looked into: all of them, or so many evenly spread over the dump. */
export interface LabBasis {
  readonly lookedInto: number
  readonly rollouts: number
  /** With turns, which tell a prompt from a completion; the others are cut as a whole alone. */
  readonly withTurns: number
  readonly withDocuments: number
  /** How a run like that of the first rollout without token ids would come to hold them; null where every rollout has some. */
  readonly howToRecordIds: string | null
}

export interface LimitsTried {
  readonly basis: LabBasis
  readonly cost: LimitCost
  readonly inDump: CutInDump
  /** What a limit would cost at other values, the other limits as they are tried; ascending. From at most 2,000 rollouts. */
  readonly curve: readonly LimitPoint[]
  /** Longest that each limit could cut, of what the rollouts hold and of what their messages go on with. */
  readonly reach: Readonly<Record<TriedLimit, number>>
}

export interface LimitPoint {
  readonly value: number
  /** Shares, null where there is none of it. */
  readonly cut: number
  /** Answers that are not whole, those that were cut or never came before the dump was written among them. */
  readonly answers: number | null
  readonly supporting: number | null
}

export interface RepairTried {
  readonly basis: LabBasis
  /** Rollouts with a mask and an oracle, and those whose mask would change; those that were masked whole on purpose stand apart. */
  readonly repairable: number
  readonly changed: number
  readonly parts: readonly { readonly part: Part; readonly toTrain: number; readonly toMask: number }[]
  /** The first rollouts whose mask changes, with how many tokens; at most 200. */
  readonly examples: readonly { readonly index: number; readonly tokens: number }[]
  /** Indices of all rollouts that were looked into and change. */
  readonly indices: readonly number[]
  /** Rollouts that train nothing and of which the dump tells why. Their turns cannot tell whether they were meant to be trained. */
  readonly maskedWhole: readonly { readonly because: string; readonly indices: readonly number[] }[]
  /** Rollouts that were looked into and cannot be repaired, by what keeps them from it. */
  readonly unrepairable: Readonly<Record<Unrepairable, number>>
  /** How a run like that of the first rollout without a mask would come to hold one; null where every rollout has one. */
  readonly howToRecord: string | null
}

/** A run of tokens whose mask changes. Half-open, in stored ids. */
export interface RepairedRun {
  readonly start: number
  readonly end: number
  readonly to: 'trained' | 'masked'
  readonly part: Part
  /** The turn it stands in, 0-based over all turns; null outside of turns. */
  readonly turn: number | null
  /** At most 120 characters. */
  readonly text: string
}

/** One rollout's mask as it is stored, and as the structure of its turns asks for. */
export interface RolloutRepair {
  readonly index: number
  readonly id: string
  /** Drawings of the row, as `TrajectoryFacts.strip`. */
  readonly before: Uint8Array
  readonly after: Uint8Array
  /** The first 200 runs, and how many there are. */
  readonly runs: readonly RepairedRun[]
  readonly runsInAll: number
  readonly tokens: number
}

/** A check or a verdict that comes out otherwise under another policy. */
export interface PolicyTried {
  readonly policy: Policy
  readonly checks: readonly {
    readonly code: string
    readonly title: string
    readonly before: Pick<CheckResult, 'status' | 'affected' | 'checked' | 'intended'>
    readonly after: Pick<CheckResult, 'status' | 'affected' | 'checked' | 'intended'>
  }[]
  readonly verdicts: readonly {
    readonly id: HypothesisResult['id']
    readonly title: string
    readonly before: HypothesisResult['verdict']
    readonly after: HypothesisResult['verdict']
  }[]
}

/** Rollouts that were looked into so far, of those that have to be; bytes for `tryPolicy`. */
export interface LabProgress {
  readonly done: number
  readonly of: number
}

export interface LabRequests {
  /** What limits would cut away. Reads rollouts again the first time. */
  tryLimits: {
    input: CutRules & { limits: TriedLimits; curve: TriedLimit }
    output: LimitsTried
    partial: LabProgress
  }
  /** What the update rests on under another loss. */
  tryLoss: { input: LossSettings; output: LossPicture & { basis: LabBasis }; partial: LabProgress }
  /** What repaired masks would change. */
  tryRepair: { input: Record<string, never>; output: RepairTried; partial: LabProgress }
  /** Null where its mask cannot be repaired: no oracle, no mask, or the source leaves the row out. */
  repairOf: { input: { index: number }; output: RolloutRepair | null; partial: LabProgress }
  /** Audits the same files under another policy, beside what is open. */
  tryPolicy: {
    input: { policy: Policy['id']; intend: readonly string[] }
    output: PolicyTried
    partial: LabProgress
  }
}
