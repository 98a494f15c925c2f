import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { OverlayChoice, OverlayId } from '../../../shared/session/requests/rollout.ts'
import { WithCode } from '../../app/with-code.tsx'
import { observable } from '../../data/observable.ts'

/** Whether the choice of overlays is open. */
export const overlayMenu = observable(false)

const STATE = { id: null, title: 'state of the mask', missing: null } as const

interface Props {
  readonly choices: readonly OverlayChoice[]
  readonly chosen: OverlayId | null
  choose(id: OverlayId | null): void
}

/** The ways to colour tokens. One that the dump has no numbers for is listed with what to switch on. */
export function OverlayMenu({ choices, chosen, choose }: Props) {
  const entries = [STATE, ...choices]
  const [at, setAt] = useState(
    Math.max(
      0,
      entries.findIndex(({ id }) => id === chosen),
    ),
  )
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    list.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const close = () => overlayMenu.set(false)
  const take = (position: number) => {
    const entry = entries[position]
    if (entry === undefined || entry.missing !== null) return
    choose(entry.id)
    close()
  }
  const press = (event: KeyboardEvent) => {
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key]
    if (target !== undefined) setAt(Math.max(0, Math.min(entries.length - 1, target)))
    else if (event.key === 'Enter' || event.key === ' ') take(at)
    else if (event.key === 'Escape' || event.key === 'o') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <button type="button" className="overlay-away" tabIndex={-1} aria-hidden="true" onClick={close} />
      <div
        ref={list}
        className="overlay-menu"
        role="listbox"
        tabIndex={0}
        aria-label="Colour tokens by"
        aria-activedescendant={`overlay-${entries[at]?.id ?? 'state'}`}
        onKeyDown={press}
      >
        {entries.map((entry, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for its options
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the option
          <div
            key={entry.id ?? 'state'}
            id={`overlay-${entry.id ?? 'state'}`}
            role="option"
            className={`overlay-option${position === at ? ' active' : ''}`}
            aria-selected={entry.id === chosen}
            aria-disabled={entry.missing !== null}
            onClick={() => take(position)}
          >
            <span className="overlay-title">{entry.title}</span>
            {entry.id === chosen && <span className="ok-text">✓ shown</span>}
            {entry.missing !== null && (
              <span className="overlay-missing">
                <WithCode text={entry.missing} />
              </span>
            )}
          </div>
        ))}
      </div>
    </>
  )
}
