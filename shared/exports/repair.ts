import { Expected, TokenState } from '../model/tokens.ts'
import type { ExportedTrajectory, ExportOrigin } from './export-kind.ts'

/** Masks as the structure oracle has them under the policy of the audit, and how many tokens of each rollout that changes. */
export interface Repairs {
  readonly origin: ExportOrigin
  /** By index in report order; 0 where the mask is right, null where there is no oracle or no mask, so that it stays. */
  readonly changed: ReadonlyMap<number, number | null>
}

/** Rollouts of an origin with their masks repaired. */
export function repaired(origin: ExportOrigin): Repairs {
  const changed = new Map<number, number | null>()
  return {
    changed,
    origin: {
      report: () => origin.report(),
      facts: origin.facts,
      codesOf: (index) => origin.codesOf(index),
      metadataOf: (source) => origin.metadataOf(source),
      async load(index) {
        const loaded = await origin.load(index)
        const mask = repairedMask(loaded)
        changed.set(index, mask === null ? null : mask.changed)
        return mask === null || mask.changed === 0 ? loaded : withMask(loaded, mask.mask)
      },
    },
  }
}

/**
 * The token-aligned mask that the structure oracle wants: what it leaves open stays as it is, and what the dump does not tell is not
 * trained. Null where there is no mask, no oracle, or the whole row is excluded.
 */
export function repairedMask({
  view,
  trajectory,
}: ExportedTrajectory): { readonly mask: Uint8Array; readonly changed: number } | null {
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
