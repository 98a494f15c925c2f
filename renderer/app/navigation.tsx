import { useFiles } from '../state/files.ts'
import { show, useView, type View } from '../state/view.ts'
import { count } from '../text/numbers.ts'

/** The views there are. A single rollout belongs to Rollouts; the notebook needs no dump. */
export function Navigation() {
  const view = useView((state) => state.view)
  const phase = useFiles((files) => files.phase)
  const rollouts = useFiles((files) => files.rollouts)
  const isOpen = phase === 'reading' || phase === 'open'
  const entry = (to: View, label: string, note?: string) => (
    <Entry to={to} label={label} note={note} isHere={view === to || (to === 'rollouts' && view === 'rollout')} />
  )
  return (
    <nav className="navigation" aria-label="Views">
      {isOpen && (
        <>
          {entry('verdicts', 'Verdicts')}
          {entry('rollouts', 'Rollouts', count(rollouts))}
          {entry('groups', 'Groups')}
          {entry('lab', 'Lab')}
          {entry('compare', 'Compare')}
        </>
      )}
      {entry('notebook', 'Notebook')}
    </nav>
  )
}

function Entry({ to, label, note, isHere }: { to: View; label: string; note?: string | undefined; isHere: boolean }) {
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
