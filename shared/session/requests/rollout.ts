import type { LossType } from '../../checks/groups/token-weights.ts'
import type { RunName } from './compare.ts'

/** What the tokens of a rollout can be coloured by, beside their state. */
export const OVERLAYS = [
  'advantage',
  'sampler',
  'trainer',
  'reference',
  'delta',
  'entropy',
  'kl',
  'weight-grpo',
  'weight-dapo',
  'weight-bnpo',
  'weight-dr_grpo',
  'repair',
] as const
export type OverlayId = (typeof OVERLAYS)[number]

/** Steps between the middle and the end of an overlay's scale. */
export const OVERLAY_STEPS = 4

/** One way to colour tokens, and whether this rollout can be. */
export interface OverlayChoice {
  readonly id: OverlayId
  readonly title: string
  /** Why it cannot be shown and what to do about it; null where it can. */
  readonly missing: string | null
}

/** A number for each token of a rollout, with the scale that it is coloured by. Arrays have length S and are transferred. */
export interface Overlay {
  readonly id: OverlayId
  readonly title: string
  /** NaN where there is no number: not scored, a placeholder, or padding. */
  readonly values: Float32Array
  /**
   * Step of the scale: −OVERLAY_STEPS … OVERLAY_STEPS, 0 = the middle of a diverging scale or the lowest step of a sequential one;
   * `NO_STEP` where there is no number.
   */
  readonly steps: Int8Array
  /** 1 on tokens whose number is not the one that the dump stores; null where none does, and for overlays that show what is stored. */
  readonly changed: Uint8Array | null
  readonly scale: OverlayScale
}

/** A step that is none. */
export const NO_STEP = -128

export interface OverlayScale {
  /** `diverging`: signed, `centre` in the middle and both ends at the same distance; `sequential`: from `from` to `to`, which is the strong end. */
  readonly kind: 'sequential' | 'diverging'
  readonly from: number
  readonly to: number
  readonly centre: number
  /** Equal factors, not equal differences, are at equal distances. */
  readonly isLog: boolean
  /** How the range was made and what was left out, in sentences. */
  readonly how: string
  /** What a value means, in a sentence. */
  readonly about: string
  /** Written behind a value: `×`. */
  readonly unit: string
  /** Tokens with a number, those left out of it as placeholders, and those whose number lies beyond the range. */
  readonly scored: number
  readonly placeholders: number
  readonly beyond: number
}

/** A rollout of the same prompt, or another part of the same rollout. */
export interface Relative {
  readonly index: number
  readonly id: string
  readonly reward: number | null
  readonly advantage: number | null
  readonly length: number
}

/** Where a rollout stands among those of its group, and among the parts of its record. */
export interface Relatives {
  /** Members of its group in report order, itself among them; empty where it names no group. */
  readonly siblings: readonly Relative[]
  /** Sequences of the same rollout (branches, steps that do not extend each other), itself among them; fewer than two = it has none. */
  readonly branches: readonly (Relative & {
    /** Tokens that it begins with as the rollout asked for does; null where either has no ids, and for itself. */
    readonly shared: number | null
    /** Where its prompt left what the calls before it hold, in a sentence; null where nothing tells. */
    readonly broken: string | null
  })[]
}

/** A place where two rows of ids differ: half-open ranges in the recorded ids and in the other row. */
export interface IdDifference {
  readonly recorded: readonly [start: number, end: number]
  readonly other: readonly [start: number, end: number]
  readonly cause: DifferenceCause
  /** What it is, in a sentence. */
  readonly words: string
}

export const DIFFERENCE_CAUSES = [
  'token-split',
  'marker-spelt',
  'thinking-stripped',
  'thinking-added',
  'call-reserialised',
  'default-system-prompt',
  'date',
  'tools',
  'newline',
  'end-of-turn',
  'header',
  'bos',
  'cut',
  'text',
] as const
export type DifferenceCause = (typeof DIFFERENCE_CAUSES)[number]

/** The recorded ids, or those that a person asked to be reconstructed, beside another row: what the messages render to, or the recorded text encoded again. */
export interface IdComparison {
  readonly kind: 'render' | 'retokenise'
  /** Why there is nothing to compare with; null where there is. */
  readonly impossible: string | null
  /** How the other row was made, in a sentence. */
  readonly how: string
  /** The other row and its texts, as in `TrajectoryDetail`. */
  readonly ids: Int32Array
  readonly text: string
  readonly textOffsets: Uint32Array
  readonly differences: readonly IdDifference[]
  /** Differences beyond the most that are listed. */
  readonly omitted: number
  /** Tokens that both rows have in the same order. */
  readonly common: number
}

/** What one trained token of a rollout counts in the loss, before the advantage. */
export interface TokenWeight {
  readonly type: LossType
  /** Its factor in the loss, as TRL computes it; null where that hangs on a constant that is not known. */
  readonly token: number | null
  /** The same against the mean trained token of the batch. */
  readonly ratio: number
}

export interface TokenWeights {
  /** In the order of `LOSS_TYPES`. */
  readonly weights: readonly TokenWeight[]
  /** What the batch is made of: rollouts of one step, or of the whole file where it tells no steps. */
  readonly of: 'step' | 'file'
  readonly rollouts: number
  /** Those of the batch that train nothing. */
  readonly untrained: number
}

/** A rollout by its index in report order, of the open run unless it says otherwise. */
export interface RolloutOf {
  readonly run?: RunName
  readonly index: number
}

/** What a screen may ask of one rollout beside its detail. */
export interface RolloutRequests {
  /** In the order of `OVERLAYS`. */
  overlays: { input: RolloutOf; output: readonly OverlayChoice[] }
  /** Fails with a sentence where the rollout cannot be coloured so: `OverlayChoice.missing`. */
  overlay: { input: RolloutOf & { overlay: OverlayId }; output: Overlay }
  /** Null where the rollout is in no batch of the loss. */
  lossWeights: { input: RolloutOf; output: TokenWeights | null }
  compareIds: { input: RolloutOf & { kind: IdComparison['kind'] }; output: IdComparison }
  relatives: { input: RolloutOf; output: Relatives }
}
