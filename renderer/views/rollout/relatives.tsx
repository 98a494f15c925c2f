import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { RolloutRef } from '../../../shared/session/requests/compare.ts'
import type { Relative, Relatives } from '../../../shared/session/requests/rollout.ts'
import { tabByKey } from '../../app/tab-keys.ts'
import { focusChosen } from '../../app/use-chosen-focus.ts'
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

/** Whether a branch was chosen at its tab: the screen of the next one is another, whose tab has the focus then. */
let wasChosenAtTab = false

/** The sequences that one rollout was cut into, as tabs, each with what it begins with like the one on screen. */
export function Branches({ relatives, of }: { relatives: Relatives | null; of: RolloutRef }) {
  const branches = relatives?.branches ?? []
  const tabs = useRef<HTMLDivElement>(null)
  const areShown = branches.length >= 2
  useEffect(() => {
    if (!areShown || !wasChosenAtTab) return
    wasChosenAtTab = false
    focusChosen(tabs.current)
  }, [areShown])
  if (!areShown) return null
  const own = branches.find((branch) => branch.index === of.index)
  const choose = (index: number) => {
    wasChosenAtTab = index !== of.index
    selectRef({ run: of.run, index })
  }
  const press = (event: KeyboardEvent) => {
    const indices = branches.map(({ index }) => index)
    const next = tabByKey(event.key, indices, of.index)
    if (next === null) return
    event.preventDefault()
    choose(next)
  }
  return (
    <div className="branches">
      <div
        ref={tabs}
        className="branch-tabs"
        role="tablist"
        aria-label="Branches of this rollout"
        tabIndex={-1}
        onKeyDown={press}
      >
        {branches.map((branch, position) => (
          <button
            key={branch.index}
            type="button"
            role="tab"
            tabIndex={branch.index === of.index ? 0 : -1}
            aria-selected={branch.index === of.index}
            title={branch.broken ?? undefined}
            onClick={() => choose(branch.index)}
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
