import type { RolloutRef } from '../../../shared/session/requests/compare.ts'
import type { Relative, Relatives } from '../../../shared/session/requests/rollout.ts'
import { selectRef } from '../../state/selection.ts'
import { say } from '../../state/view.ts'
import { count, counted, real } from '../../text/numbers.ts'
import { shownId } from '../../text/visible.ts'

/** Steps to the rollout before or after this one in its group. */
export function moveSibling(relatives: Relatives | null, of: RolloutRef | null, step: 1 | -1): void {
  const siblings = relatives?.siblings ?? []
  const at = siblings.findIndex((sibling) => sibling.index === of?.index)
  const next = siblings[at + step]
  if (of === null || at < 0 || siblings.length < 2) say('This rollout has no sibling in its group')
  else if (next === undefined)
    say(step === 1 ? 'This is the last rollout of its group' : 'This is the first rollout of its group')
  else selectRef({ run: of.run, index: next.index })
}

/** Where the rollout stands in its group, and the way to its neighbours there. */
export function Siblings({ relatives, of }: { relatives: Relatives | null; of: RolloutRef }) {
  const siblings = relatives?.siblings ?? []
  const at = siblings.findIndex((sibling) => sibling.index === of.index)
  if (siblings.length < 2 || at < 0) return null
  const before = siblings[at - 1]
  const after = siblings[at + 1]
  return (
    <span className="siblings">
      <button
        type="button"
        className="icon-button"
        aria-label="Previous rollout of the group"
        title={before === undefined ? undefined : `Key {: ${described(before)}`}
        disabled={before === undefined}
        onClick={() => moveSibling(relatives, of, -1)}
      >
        ‹
      </button>
      <span>
        {count(at + 1)}/{count(siblings.length)}
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Next rollout of the group"
        title={after === undefined ? undefined : `Key }: ${described(after)}`}
        disabled={after === undefined}
        onClick={() => moveSibling(relatives, of, 1)}
      >
        ›
      </button>
    </span>
  )
}

function described({ id, reward, advantage }: Relative): string {
  const numbers = [
    ...(reward === null ? [] : [`reward ${real(reward)}`]),
    ...(advantage === null ? [] : [`advantage ${real(advantage)}`]),
  ]
  return [shownId(id, 200), ...numbers].join(', ')
}

/** The sequences that one rollout was cut into, as tabs, each with what it begins with like the one on screen. */
export function Branches({ relatives, of }: { relatives: Relatives | null; of: RolloutRef }) {
  const branches = relatives?.branches ?? []
  if (branches.length < 2) return null
  const own = branches.find((branch) => branch.index === of.index)
  return (
    <div className="branches">
      <div className="branch-tabs" role="tablist" aria-label="Branches of this rollout">
        {branches.map((branch, position) => (
          <button
            key={branch.index}
            type="button"
            role="tab"
            aria-selected={branch.index === of.index}
            title={branch.broken ?? undefined}
            onClick={() => selectRef({ run: of.run, index: branch.index })}
          >
            branch {position + 1}
            <span className="quiet">
              {counted(branch.length, 'token')}
              {branch.shared !== null && ` · first ${count(branch.shared)} as here`}
            </span>
          </button>
        ))}
      </div>
      {own?.broken && <p className="branch-broken">{own.broken}</p>}
    </div>
  )
}
