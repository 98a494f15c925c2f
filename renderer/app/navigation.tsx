import { useFiles } from '../state/files.ts'
import { show, useView, type View } from '../state/view.ts'
import { count } from '../text/numbers.ts'

/** The views there are. A single rollout belongs to Rollouts. */
export function Navigation() {
  const view = useView((state) => state.view)
  const rollouts = useFiles((files) => files.rollouts)
  return (
    <nav className="navigation" aria-label="Views">
      <Entry to="verdicts" label="Verdicts" isHere={view === 'verdicts'} />
      <Entry to="rollouts" label="Rollouts" note={count(rollouts)} isHere={view !== 'verdicts'} />
    </nav>
  )
}

function Entry({ to, label, note, isHere }: { to: View; label: string; note?: string; isHere: boolean }) {
  return (
    <button
      type="button"
      className="navigation-entry"
      aria-current={isHere ? 'page' : undefined}
      onClick={() => show(to)}
    >
      <span>{label}</span>
      {note !== undefined && <span className="navigation-note">{note}</span>}
    </button>
  )
}
