import { endNotice, useView } from '../state/view.ts'
import { spelt } from '../text/visible.ts'

/** A notice may name an id, and an id may be anything. */
const LONGEST_NOTICE = 500

/** What just happened, said to those who listen and shown to those who look, where it covers nothing; each of its places shows it no more once one has. */
export function Notice() {
  const { text, said, isOver } = useView((state) => state.notice)
  return (
    <div className="notice-place" role="status" aria-live="polite">
      {text !== '' && (
        <p key={said} className="notice" hidden={isOver} onAnimationEnd={() => endNotice(said)}>
          {spelt(text.slice(0, LONGEST_NOTICE))}
        </p>
      )}
    </div>
  )
}
