import type { TrajectoryView } from '../../checks/check.ts'
import { repairedMask } from '../../exports/repair.ts'
import { counted } from '../../model/number-text.ts'
import { TokenState } from '../../model/tokens.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { Overlay } from '../requests/rollout.ts'
import { absentMask } from './absent-stream.ts'

/** Why a rollout with ids has no mask to repair, in a sentence; null where it has one. */
export function missingForRepair(loaded: LoadedTrajectory): string | null {
  const { view, trajectory } = loaded
  if (trajectory.excluded) return 'Its source leaves this row out of the loss, so no mask of it counts.'
  if (view?.mask == null) return absentMask(loaded)
  return view.expected === null
    ? 'Which tokens belong to which turn is not known, so nothing tells which mask is meant. It takes a tokenizer whose turns fit the ids.'
    : null
}

/** The mask that the turns ask for, as numbers: 1 = trained, 0 = masked, NaN where padding stays padding. Throws where there is none. */
export function repairOverlay(loaded: LoadedTrajectory): Pick<Overlay, 'values' | 'scale' | 'changed'> {
  const repaired = repairedMask(loaded)
  if (repaired === null) throw new Error(missingForRepair(loaded) ?? 'There is no mask to repair.')
  const { states, mask: stored } = loaded.view as TrajectoryView
  let scored = 0
  const values = Float32Array.from(repaired.mask, (flag, token) => {
    const isOne = flag === 1 || (flag === 0 && states[token] !== TokenState.padding)
    if (isOne) scored++
    return isOne ? flag : Number.NaN
  })
  const { changed } = repaired
  const beside =
    changed === 0
      ? 'the stored mask is the same'
      : `${counted(changed, 'token')} ${changed === 1 ? 'differs' : 'differ'} from the stored mask`
  return {
    values,
    changed: changed === 0 ? null : Uint8Array.from(repaired.mask, (flag, token) => Number(flag !== stored?.[token])),
    scale: {
      kind: 'sequential',
      from: 0,
      to: 1,
      centre: 0,
      isLog: false,
      how: `1 is trained, 0 is masked; ${beside}`,
      about:
        'The mask that the structure of the turns asks for under the policy in force; what the structure leaves open is as stored.',
      unit: '',
      scored,
      placeholders: 0,
      beyond: 0,
    },
  }
}
