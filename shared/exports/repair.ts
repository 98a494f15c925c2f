import { maskedWholeBecause } from '../checks/mask/all-zero.ts'
import { Expected, TokenState } from '../model/tokens.ts'
import type { ExportedTrajectory, ExportOrigin } from './export-kind.ts'

/** Masks as the structure oracle has them under the policy of the audit, and how many tokens of each rollout that changes. */
export interface Repairs {
  readonly origin: ExportOrigin
  /** By index in report order; 0 where the mask is right or a row stays masked whole, null where `repairedMask` has none. */
  readonly changed: ReadonlyMap<number, number | null>
  /** By index in report order, why a row was masked whole; rows that were not have no entry. */
  readonly maskedWhole: ReadonlyMap<number, string>
}

/**
 * Rollouts of an origin with their masks repaired. A row that was masked whole on purpose, because a limit cut it or a filter left it
 * out, stays so unless `maskedWhole` asks for it: no turn tells whether it was meant to be trained.
 */
export function repaired(origin: ExportOrigin, { maskedWhole: includes }: { readonly maskedWhole: boolean }): Repairs {
  const changed = new Map<number, number | null>()
  const maskedWhole = new Map<number, string>()
  return {
    changed,
    maskedWhole,
    origin: {
      report: () => origin.report(),
      facts: origin.facts,
      codesOf: (index) => origin.codesOf(index),
      metadataOf: (source) => origin.metadataOf(source),
      async load(index) {
        const loaded = await origin.load(index)
        const cause = loaded.view === null ? null : maskedWholeBecause(loaded.view)
        if (cause !== null) maskedWhole.set(index, cause)
        const mask = repairedMask(loaded)
        const changes = mask === null || (cause !== null && !includes) ? 0 : mask.changed
        changed.set(index, mask === null ? null : changes)
        return mask === null || changes === 0 ? loaded : withMask(loaded, mask.mask)
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
