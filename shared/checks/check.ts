import type { AuditOptions, MaskAlignment, Policy } from '../model/policy.ts'
import type { CheckStatus, HypothesisId, Scope, Severity, Unit } from '../model/report.ts'
import type { Steps } from '../model/steps.ts'
import type { LimitInForce, LimitName, Limits, LimitsByRollout, LimitsLeftOut, Stream } from '../model/streams.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Segmentation, Span, Turn } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import type { TrajectoryFacts } from './facts/facts.ts'
import type { SoundPlaces } from './oracles/plain-turns.ts'
import type { DatasetFacts } from './truncation/dataset.ts'

/** One trajectory, prepared: what every check of tokens looks at. All arrays have length S (= `ids.length`). */
export interface TrajectoryView {
  readonly trajectory: Trajectory
  readonly ids: Int32Array
  /** Token-aligned (already shifted where the dump is target-aligned); 1, 0 or 255; null where the dump has no mask. */
  readonly mask: Uint8Array | null
  /** How the dump aligns its own mask, which `trajectory` holds as it is stored. */
  readonly maskAlignment: MaskAlignment
  /** Loss weight per token; null where the mask is 0/1 or absent. */
  readonly weights: Float32Array | null
  /** One `TokenState` per token. */
  readonly states: Uint8Array
  /** Null without a tokenizer that frames turns. */
  readonly segmentation: Segmentation | null
  /** Structure oracle under the policy, one `Expected` per token; null without segmentation and where no turn was found. */
  readonly expected: Uint8Array | null
  /** Structure oracle under plain RL, whatever the policy: what M03 compares before the policy explains it. */
  readonly expectedRl: Uint8Array | null
  /** Provenance oracle, one `Provenance` per token; null where nothing in the dump tells. */
  readonly provenance: Uint8Array | null
  /** The model writes the blocks between its headers and its words itself, as this rollout or those beside it show: an exact 0.0 there is a logprob. */
  readonly writesBlocks: boolean
  /** Who writes the think tags that turns begin with, as far as rollouts beside it show it; null where they do not. */
  readonly tagsBeside: TagWriter | null
  /** Tokens by which the masks of other rollouts lie late (negative: early), all that show how they lie; 0 where they do not. */
  readonly shiftBeside: -1 | 0 | 1
  readonly tokenizer: Tokenizer | null
  readonly facts: TrajectoryFacts
  /** Those of the audit's settings, for what is found out about a view once for all checks. */
  readonly thresholds: Thresholds
  /** Decoded text of a range of tokens (U+FFFD for partial characters). */
  text(span: Span): string
}

/** A vocabulary that the ids must be of, whatever they are read with. */
export interface ModelVocabulary {
  readonly title: string
  /** The model as the dump names it; null where its turns alone tell the family. */
  readonly model: string | null
  readonly size: number
  /** Ids below `size` that name no piece. */
  readonly holes: readonly number[]
  /** The id that opens its turns, null where it frames none. */
  readonly turnStart: number | null
}

/** The template ends its generation prompt with the tag, or the model opens its thoughts itself. */
export type TagWriter = 'template' | 'model'

/** What is fixed for the whole audit before the first trajectory is looked at. Structured-cloneable but for the tokenizer. */
export interface AuditSettings {
  readonly options: AuditOptions
  readonly policy: Policy
  readonly alignment: MaskAlignment
  /** A uniform lag of one that nothing decides: alignment was assumed, and the person should declare it. */
  readonly alignmentUndecided: boolean
  /** The files of which that holds, in words, where it does not hold of all. */
  readonly alignmentUndecidedIn?: string
  /** Other rollouts of the dump show that the model writes the blocks between its headers and its words; absent where none does. */
  readonly writesBlocks?: true
  /** Who writes the think tags that turns begin with, as other rollouts of the dump show it; absent where they do not. */
  readonly thinkTags?: TagWriter
  /** Tokens by which the masks of the dump lie late (negative: early), as far as they show it; absent where they lie in place, or not all alike. */
  readonly maskShift?: -1 | 1
  /** Rows are padded with the token that ends their turns, and most train the end that comes before: an untrained one is padding. Absent elsewhere. */
  readonly padsBehindCuts?: true
  /** Limits that the person gave. Those of a record are its own; those of the dump exist only after the pass (`DumpView.limits`). */
  readonly limits: Partial<Limits>
  /** The number in force for each threshold. */
  readonly thresholds: Thresholds
  /** That of the model which the dump names, where the ids are read with another tokenizer or with none; absent elsewhere. */
  readonly modelVocabulary?: ModelVocabulary
  /** The tokenizer was guessed, and another family would fit the rollouts it was guessed by as well; absent elsewhere. */
  readonly isTokenizerGuessed?: true
}

/** How a check tells what it saw in one trajectory. Everything reported is a sum, so partial audits merge. */
export interface Reporter {
  /**
   * One place looked at (a turn edge, a turn, a token run). `turn` is the assistant ordinal of the contract's `by_turn`; without it
   * the place is the whole row. `token` where the place is a single token that may be the last of the row.
   */
  place(affected: boolean, at?: PlaceAt): void
  /** As `place` of each, in place of any of the rollout; without `byEdge` none is at an edge. */
  sound(places: SoundPlaces, byEdge?: boolean): void
  /** A fault: one per trajectory and turn. `affectedTokens` are counted, with their loss weight, once per token. */
  fault(fault: FaultAt): void
}

export interface PlaceAt {
  readonly turn?: number
  readonly boundary?: string
  readonly token?: number
}

/** What a fault says of itself, wherever it was seen. */
interface FaultOf {
  /** Overrides the code's severity for this finding (C04, M04, M10). */
  readonly severity?: Severity
  /** The declared policy explains it: listed, but fails nothing. */
  readonly intended?: boolean
  readonly scope?: Scope
}

export interface FaultAt extends FaultOf {
  readonly turn?: Turn | null
  readonly tokens?: Span | null
  /** As functions where words cost something, which nobody asks for once findings are counted alone. */
  readonly message: string | (() => string)
  readonly evidence?: Record<string, unknown> | (() => Record<string, unknown>)
  /** Tokens affected; default: those of `tokens`. */
  readonly affected?: readonly Span[]
}

export interface GroupView {
  readonly id: string
  readonly members: readonly TrajectoryFacts[]
  /** Its size is the declared or the dump's common group size, and no member lacks a reward. */
  readonly complete: boolean
  /** Of a complete group, in member order: a dozen checks ask for them, and a look at each row of a million rollouts takes its time. */
  readonly rewards?: readonly number[]
  /** All sequences, in order, of each member that was stored as several and stands for them as their first; one map for all groups, absent where there is none. */
  readonly parts?: ReadonlyMap<TrajectoryFacts, readonly TrajectoryFacts[]>
  /** A single rollout in a file that asks its questions once, beside files that do not: none is missing of it. */
  readonly isAskedOnce?: true
}

export interface DumpView {
  readonly settings: AuditSettings
  /** Streams that at least one trajectory carries. */
  readonly streams: ReadonlySet<Stream>
  /** There is a tokenizer, and it frames no turns in the ids; absent where it does or none is. */
  readonly isUnframed?: boolean
  readonly facts: readonly TrajectoryFacts[]
  readonly groups: readonly GroupView[]
  readonly groupSize: number | null
  /** How large groups are where questions that are repeated alone tell it; absent where something else does. */
  readonly sizeOfQuestions?: number
  /** Without keys, consecutive rollouts are groups of a given size, as the format of all files documents; absent where nothing was said of it. */
  readonly groupsByOrder?: boolean
  readonly limits: Record<LimitName, LimitInForce | null>
  /** Limits of which rollouts declare several values, and nobody gave one; absent where there are none. */
  readonly limitsByRollout?: LimitsByRollout
  /** What `limitsByRollout` does not list; absent where it lists all. */
  readonly limitsLeftOut?: LimitsLeftOut
  /** The dataset that the run was started with, where it was given beside the dump. */
  readonly dataset?: DatasetFacts | null
  /** A second run that was given beside this one. */
  readonly against?: DumpView | null
}

export interface DumpFault extends FaultOf {
  readonly message: string
  readonly evidence?: Record<string, unknown>
  readonly member?: TrajectoryFacts
  readonly group?: GroupView
  readonly turn?: Pick<Turn, 'index'> | null
  readonly tokens?: Span | null
  readonly affectedTokens?: number
  readonly affectedWeight?: number
}

/** A place that `trajectory` has told of: `turn` is its ordinal. */
export interface DumpPlaceAt {
  readonly turn?: number
  readonly boundary?: string
  /** Nothing of the row comes behind it. */
  readonly endsRow?: boolean
}

/** How a check over the whole dump tells what it saw. */
export interface DumpReporter {
  /** One unit (trajectory, group or source) looked at. */
  unit(affected: boolean): void
  /** A unit and its place that `trajectory` looked at and found sound: beside its neighbours it is not. */
  unitAfterAll(at?: DumpPlaceAt): void
  /** Such a place of a unit that is affected already. */
  placeAfterAll(at?: DumpPlaceAt): void
  place(affected: boolean, at?: { readonly turn?: number; readonly boundary?: string }): void
  fault(fault: DumpFault): void
  /** Numbers over the whole dump that belong to every finding of the code: limits in force, rewards split by what is looked at. */
  context(numbers: Readonly<Record<string, unknown>>): void
  /** The check could not decide for this dump: `not-checkable` with this reason, or `not-applicable`. */
  abstain(status: Extract<CheckStatus, 'not-checkable' | 'not-applicable'>, reason: string): void
}

/**
 * One fault code. One file (or one per family), one line in `registry.ts`, one fixture that trips it and one near miss.
 * A check has `trajectory`, `dump`, or both (then `trajectory` reports local faults, `dump` those that need neighbours).
 */
export interface Check {
  readonly code: string
  readonly name: string
  readonly title: string
  readonly hypotheses: readonly HypothesisId[]
  readonly severity: Severity
  readonly unit: Unit
  readonly needs: readonly Stream[]
  /** What must be given beside the dump, with the option that gives it. */
  readonly beside?: string
  /** What a place is, in the plural: `assistant turn ends`, `turn edges`, `complete groups`. */
  readonly looksAt: string
  readonly why: string
  readonly fix: string
  /** How each kind of its faults is mended, where it tells of several that have little in common: by the `kinds` of the evidence of a finding. */
  readonly fixes?: Readonly<Record<string, string>>
  readonly cite: string
  /** Faults of a whole row that leave it nothing to look at there, or nothing that tells: where nearly all rows have one, none of its own proves nothing. */
  readonly hiddenBy?: readonly string[]
  /** Faults that tell of its own, so that it counts no rollout that has one and nothing else: where nearly all have one, the few others prove nothing. */
  readonly toldBy?: readonly string[]
  /** What it reports are trained tokens that the model did not write, of which the oracles alone cannot say so: they count in the share of H02. */
  readonly namesUnwritten?: true
  /** It judges turns by whose they are: where turns are of no role that is known, it proves nothing that it found nothing. */
  readonly ofRoles?: true
  /** It also judges how long the arrays are, so that it is put to a row whose mask does not fit its ids. */
  readonly ofLengths?: true
  /** It looks at how a row ends, whichever turn it ends with. */
  readonly ofRowEnd?: true
  /** It compares steps, and takes the rollouts of some: that its fault is of these, or of the files that they lie in, says nothing new. */
  readonly ofSteps?: true
  /** Called only where the trajectory carries all of `needs` that a trajectory can carry; report nothing = nothing to look at. */
  trajectory?(view: TrajectoryView, settings: AuditSettings, report: Reporter): void
  /** One that takes long over many rollouts works in steps. */
  readonly dump?:
    | ((view: DumpView, report: DumpReporter) => void)
    | ((view: DumpView, report: DumpReporter) => Steps<void>)
  /**
   * Where no unit is affected: why that proves nothing, in a sentence; null where it does. The check is then not checkable. One that asks every rollout
   * works in steps.
   */
  readonly unproved?:
    | ((tally: CheckTally, dump: DumpView) => string | null)
    | ((tally: CheckTally, dump: DumpView) => Steps<string | null>)
}

/** Sums that one check gathered; partial audits add up. */
export interface CheckTally {
  checked: number
  affected: number
  intended: number
  placesChecked: number
  placesAffected: number
  affectedTokens: number
  /** In the units of `weightUnits`. */
  affectedWeight: bigint
  byTurn: Record<string, number>
  /** Of `byTurn`, turns whose faults all stand at the end of the row: it would end so after any number of turns. */
  byTurnAtEnd: Record<string, number>
  /** Units by assistant turn in which the check looked at a place, faulty or not; a place without a turn is the whole row. */
  byTurnChecked: Record<string, number>
  /** Of `byTurnChecked`, turns in which it looked at the end of the row alone. */
  byTurnCheckedAtEnd: Record<string, number>
  byBoundary: Record<string, { checked: number; affected: number }>
}
