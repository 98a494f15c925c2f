import { useEffect, useRef } from 'react'
import type { Completion } from '../../../shared/query/language/complete.ts'
import { WithCode } from '../../app/with-code.tsx'
import { count } from '../../text/numbers.ts'

export type Offer = Pick<Completion, 'insert' | 'label' | 'means' | 'count'> & {
  /** `history`: a whole query, asked as soon as it is taken. */
  readonly kind: Completion['kind'] | 'history'
}

interface CompletionListProps {
  readonly offers: readonly Offer[]
  /** The one that Enter would take; -1 = none. */
  readonly at: number
  /** Tab takes the first where none is chosen. */
  readonly takesFirst: boolean
  /** What keeps the query from being read as it stands, where the next word may mend it; null where nothing does. */
  readonly problem: string | null
  readonly onTake: (offer: Offer) => void
}

/** What may be written at the caret, with what it means and how many rollouts have it. */
export function CompletionList({ offers, at, takesFirst, problem, onTake }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (at >= 0) list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div className="completions" hidden={offers.length === 0}>
      <div
        ref={list}
        id="query-completions"
        className="completion-offers"
        role="listbox"
        aria-label="Completions"
        // The line keeps the focus, or it would close before the click arrives.
        onMouseDown={(event) => event.preventDefault()}
      >
        {offers.map((offer, position) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the same words may be offered for two reasons
            key={`${position} ${offer.insert}`}
            id={`completion-${position}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={position === at}
            onClick={() => onTake(offer)}
          >
            <code>{offer.label}</code>
            <span className="completion-means">
              <WithCode text={offer.means} />
            </span>
            {offer.count !== null && <span className="number quiet">{count(offer.count)}</span>}
          </button>
        ))}
      </div>
      {problem !== null && (
        <p className="completion-problem" id="query-problems" role="alert">
          So far it cannot be read. <WithCode text={problem} />
        </p>
      )}
      <p className="completion-keys quiet">
        {at >= 0 ? (
          <>
            <kbd>Tab</kbd> or <kbd>Enter</kbd> takes the chosen one · <kbd>↑</kbd> <kbd>↓</kbd> choose another
          </>
        ) : (
          <>
            {takesFirst && (
              <>
                <kbd>Tab</kbd> takes the first ·{' '}
              </>
            )}
            <kbd>↓</kbd> chooses one · <kbd>Enter</kbd> asks what is written
          </>
        )}
      </p>
    </div>
  )
}
