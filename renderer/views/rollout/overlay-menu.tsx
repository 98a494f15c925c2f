import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
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

/** Pixels between the menu and its button, and between it and what it must not cover. */
const GAP = 4
/** A menu is never lower: what is left of a window this low shows no text either. */
const LEAST_HEIGHT = 80

/**
 * Under its button, or above it where there is more room and it needs that, and no higher than the room. Placed in the window, since the
 * parts that the button stands in are scrolled in a low one, and would cut it off.
 */
function usePlaceFor(menu: RefObject<HTMLElement | null>): CSSProperties | undefined {
  const [style, setStyle] = useState<CSSProperties>()
  useLayoutEffect(() => {
    const place = () => {
      const element = menu.current
      const button = element?.parentElement?.getBoundingClientRect()
      const view = element?.closest('.view')?.getBoundingClientRect()
      if (element == null || button === undefined) return
      const below = (view?.bottom ?? innerHeight) - button.bottom - 2 * GAP
      const above = button.top - 2 * GAP
      const isBelow = below >= above || element.scrollHeight <= below
      const room = Math.max(LEAST_HEIGHT, Math.min(isBelow ? below : above, innerHeight * 0.6))
      const edge = isBelow ? { top: button.bottom + GAP } : { bottom: innerHeight - button.top + GAP }
      const left = Math.max(GAP, Math.min(button.left, innerWidth - element.offsetWidth - GAP))
      setStyle({ ...edge, left, maxHeight: room })
    }
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [menu])
  return style
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
  const style = usePlaceFor(list)
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each option that is come to, and when the menu has its height
  useEffect(() => {
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' })
  }, [at, style])
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
        style={style}
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
