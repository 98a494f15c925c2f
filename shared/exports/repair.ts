import { maskedWholeBecause } from '../checks/mask/all-zero.ts'
import { Expected, TokenState } from '../model/tokens.ts'
import type { ExportedTrajectory, ExportOrigin, ReadTrajectory } from './export-kind.ts'

/** A token-aligned mask, and in how many of its tokens it is not the one that the dump has. */
export interface RepairedMask {
  readonly mask: Uint8Array
  readonly changed: number
}

/**
 * Masks as the structure oracle has them under the policy of the audit, and what of them was written. A row that was masked whole on
 * purpose, because a limit cut it or a filter left it out, stays so unless that is asked for: no turn tells whether it was meant to be
 * trained.
 */
export class MaskRepairs {
  /** By index in report order the tokens that were changed; 0 where there was none to change or none could be, null where `repairedMask` has none. */
  readonly changed = new Map<number, number | null>()
  /** By index in report order, why a row was masked whole; rows that were not have no entry. */
  readonly maskedWhole = new Map<number, string>()
  /** Tokens that train from now on and had no logprob beside them, or one of exactly 0.0, which a placeholder is as well (L05). */
  unscored = 0
  /** Rows in which the policy trains nothing, so that no trained token is left; those that were masked whole, on purpose, are counted as such alone. */
  untrained = 0

  constructor(private readonly includesMaskedWhole: boolean) {}

  /** The mask that a rollout is to have, counted as written; null where it stays as it is. */
  take({ index, ...loaded }: ReadTrajectory): RepairedMask | null {
    const cause = loaded.view === null ? null : maskedWholeBecause(loaded.view)
    if (cause !== null) this.maskedWhole.set(index, cause)
    const repaired = repairedMask(loaded)
    if (cause === null && repaired !== null && !repaired.mask.includes(1)) this.untrained++
    const stays = repaired === null || repaired.changed === 0 || (cause !== null && !this.includesMaskedWhole)
    this.wrote(index, repaired === null ? null : stays ? 0 : repaired.changed)
    if (stays) return null
    this.unscored += unscoredIn(loaded, repaired.mask)
    return repaired
  }

  /** Of a mask that could not be written as a whole. */
  wrote(index: number, tokens: number | null): void {
    this.changed.set(index, tokens)
  }
}

/** The rollouts of an origin with their masks repaired. */
export function repaired(origin: ExportOrigin, repairs: MaskRepairs): ExportOrigin {
  const mended = (loaded: ReadTrajectory): ReadTrajectory => {
    const mask = repairs.take(loaded)
    return mask === null ? loaded : { ...withMask(loaded, mask.mask), index: loaded.index }
  }
  return {
    report: () => origin.report(),
    facts: origin.facts,
    groups: () => origin.groups(),
    codesOf: (index) => origin.codesOf(index),
    metadataOf: (source) => origin.metadataOf(source),
    stored: (indices) => origin.stored(indices),
    load: async (index) => mended({ ...(await origin.load(index)), index }),
    async *read(indices) {
      for await (const loaded of origin.read(indices)) yield mended(loaded)
    },
  }
}

/**
 * The token-aligned mask that the structure oracle wants: what it leaves open stays as it is, and what the dump does not tell is not
 * trained. Null where there is no mask, no oracle, or the whole row is excluded.
 */
export function repairedMask({ view, trajectory }: ExportedTrajectory): RepairedMask | null {
  if (view === null || view.mask === null || view.expected === null || trajectory.excluded) return null
  const mask = view.mask.slice()
  let changed = 0
  for (let token = 0; token < mask.length; token++) {
    const expected = view.expected[token]
    const wanted = expected === Expected.trained ? 1 : expected === Expected.masked ? 0 : mask[token]
    if (wanted === mask[token]) continue
    mask[token] = wanted as number
    changed++
  }
  return { mask, changed }
}

/** How many of the tokens that a mask trains and the stored one does not are without a logprob that is surely one. */
function unscoredIn({ view }: ExportedTrajectory, mask: Uint8Array): number {
  if (view === null) return 0
  const { sampler, trainer } = view.trajectory.logprobs
  const streams = [sampler, trainer].filter((stream) => stream !== null)
  let unscored = 0
  for (let token = 0; token < mask.length; token++) {
    if (mask[token] !== 1 || view.mask?.[token] === 1) continue
    // Below zero and finite; NaN is neither.
    if (streams.some((stream) => !((stream[token] as number) < 0))) unscored++
  }
  return unscored
}

function withMask(loaded: ExportedTrajectory, mask: Uint8Array): ExportedTrajectory {
  const { view } = loaded
  if (view === null) return loaded
  const { weights } = view
  const states = view.states.slice()
  for (let token = 0; token < mask.length; token++) {
    if (states[token] === TokenState.padding && mask[token] !== 1) continue
    if (mask[token] === 1) states[token] = TokenState.trained
    else if (mask[token] === 0) states[token] = TokenState.masked
  }
  // A token that is trained from now on counts as one that no weight singles out.
  const weighed =
    weights === null
      ? null
      : Float32Array.from(mask, (flag, token) =>
          flag !== 1 ? 0 : (weights[token] ?? 0) > 0 ? (weights[token] as number) : 1,
        )
  return { ...loaded, view: { ...view, mask, weights: weighed, states } }
}
