import { counted } from '../../model/number-text.ts'
import { number, type Piece, shown } from './pieces.ts'

/** What a piece needs to know of what an update would rest on. */
export interface PinnedLoss {
  readonly known: number
  readonly rollouts: number
  readonly largestAdvantage: number | null
  readonly meanAbsoluteAdvantage: number | null
  readonly groups: { readonly complete: number; readonly dead: number; readonly amplified: number }
  readonly byLength: readonly { readonly pull: number | null }[]
}

/** Another scaling of advantages, epsilon or loss. `key` is what is tried. */
export function lossPiece(key: Piece['key'], loss: PinnedLoss): Piece {
  const { known, rollouts, largestAdvantage, meanAbsoluteAdvantage, groups, byLength } = loss
  const longest = byLength.at(-1)?.pull ?? null
  return {
    kind: 'what-if',
    title: `What if ${said(key)}: largest advantage ${shown(largestAdvantage)}`,
    numbers: [
      number('rollouts with an advantage', known),
      number('rollouts that train', rollouts),
      number('largest advantage', largestAdvantage),
      number('mean |advantage| over rollouts that train', meanAbsoluteAdvantage),
      number('complete groups', groups.complete),
      number('groups without contrast', groups.dead),
      number('groups blown up tenfold', groups.amplified),
      ...(longest === null ? [] : [number('pull of the longest quarter', longest)]),
    ],
    key: { panel: 'loss', ...key },
    verdict: 'H01',
    at: null,
  }
}

export interface PinnedRepair {
  readonly repairable: number
  readonly changed: number
  readonly parts: readonly { readonly part: string; readonly toTrain: number; readonly toMask: number }[]
}

/** The mask that the turns ask for. */
export function repairPiece({ repairable, changed, parts }: PinnedRepair): Piece {
  return {
    kind: 'what-if',
    title: `What if masks were repaired: ${changed} of ${repairable} change`,
    numbers: [
      number('masks that change', changed),
      number('masks', repairable),
      ...parts.flatMap(({ part, toTrain, toMask }) => [
        ...(toTrain === 0 ? [] : [number(`${part} to train`, toTrain, 'tokens')]),
        ...(toMask === 0 ? [] : [number(`${part} to mask`, toMask, 'tokens')]),
      ]),
    ],
    key: { panel: 'repair' },
    verdict: 'H02',
    at: null,
  }
}

export interface PinnedPolicy {
  readonly checks: readonly {
    readonly code: string
    readonly before: { readonly affected: number }
    readonly after: { readonly affected: number }
  }[]
  readonly verdicts: readonly { readonly id: string; readonly before: string; readonly after: string }[]
}

/** Another policy, or codes that are meant: what comes out otherwise. `key` is what is tried. */
export function policyPiece(key: Piece['key'], { checks, verdicts }: PinnedPolicy): Piece {
  return {
    kind: 'what-if',
    title: `What if ${said(key)}: ${counted(checks.length, 'check')} and ${counted(verdicts.length, 'verdict')} otherwise`,
    numbers: [
      ...checks.map(({ code, before, after }) => number(code, `${before.affected} → ${after.affected}`)),
      ...verdicts.map(({ id, before, after }) => number(id, `${before} → ${after}`)),
    ],
    key: { panel: 'policy', ...key },
    verdict: 'H02',
    at: null,
  }
}

function said(key: Piece['key']): string {
  return Object.entries(key)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
