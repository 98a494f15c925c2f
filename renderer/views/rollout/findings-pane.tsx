import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { LEAST_HEIGHT, mostHeight, setFindingsHeight, useFindingsHeight } from '../../state/findings-height.ts'

/** Pixels that an arrow key moves the edge by: about a line. */
const STEP = 24

/** The findings below the tokens, with an edge by which a person gives them more or less of the window. */
export function FindingsPane({ label, children }: { label: string; children: ReactNode }) {
  const height = useFindingsHeight((state) => state.height)
  const list = useRef<HTMLElement>(null)
  /** What the window leaves the list; there is nothing to measure before it is drawn. */
  const [left, setLeft] = useState(LEAST_HEIGHT)
  const isPainted = usePaintedFrames(1) > 0
  useEffect(() => {
    if (isPainted && height === null && list.current !== null) setLeft(list.current.offsetHeight)
  }, [height, isPainted])
  return (
    <div className="findings-pane">
      <Edge list={list} height={height} left={left} />
      <section
        ref={list}
        className="findings"
        aria-label={label}
        // As high as was asked for, however few there are: the edge stays where it was put.
        style={height === null ? undefined : { height, maxHeight: '60vh' }}
      >
        {children}
      </section>
    </div>
  )
}

function Edge(props: { list: RefObject<HTMLElement | null>; height: number | null; left: number }) {
  const { list, height, left } = props
  const held = useRef<{ readonly y: number; readonly height: number } | null>(null)
  const now = () => list.current?.offsetHeight ?? LEAST_HEIGHT
  const set = (to: number | null) => setFindingsHeight(to, innerHeight)
  const press = (event: KeyboardEvent) => {
    const target = {
      ArrowUp: now() + STEP,
      ArrowDown: now() - STEP,
      Home: LEAST_HEIGHT,
      End: mostHeight(innerHeight),
      Enter: height === null ? mostHeight(innerHeight) : null,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    set(target)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the findings"
      aria-valuemin={LEAST_HEIGHT}
      aria-valuemax={mostHeight(innerHeight)}
      aria-valuenow={height ?? left}
      aria-valuetext={height === null ? 'what the window leaves' : `${height} pixels`}
      tabIndex={0}
      className="findings-edge"
      title="Drag it, or use the arrow keys, to give the findings more room; Enter or a double click: as much as there is, and back"
      onKeyDown={press}
      onDoubleClick={() => set(height === null ? mostHeight(innerHeight) : null)}
      // Else what is selected around it would be dragged.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={(event) => {
        event.currentTarget.focus()
        event.currentTarget.setPointerCapture(event.pointerId)
        held.current = { y: event.clientY, height: now() }
      }}
      onPointerMove={(event) => {
        const from = held.current
        if (from !== null && Math.abs(event.clientY - from.y) > 2) set(from.height + from.y - event.clientY)
      }}
      onLostPointerCapture={() => {
        held.current = null
      }}
    />
  )
}
