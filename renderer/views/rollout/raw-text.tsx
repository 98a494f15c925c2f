import { Fragment, type ReactNode, useMemo } from 'react'

/** Characters that are laid out together, and at most where no line ends: all of a long record at once would hold up the page. */
const PART = 8000
const LONGEST_PART = 2 * PART

/** A record as it is written, in parts that are laid out once they come near the window, with what was found in it marked. */
export function RawText({
  text,
  starts,
  length,
  current,
}: {
  readonly text: string
  /** Where what was found begins, in order. */
  readonly starts: readonly number[]
  /** Of what was found, in characters. */
  readonly length: number
  /** Which of it is looked at. */
  readonly current: number
}) {
  const ends = useMemo(() => partEnds(text), [text])
  let hit = 0
  return ends.map((end, at) => {
    const from = ends[at - 1] ?? 0
    // What was found may begin in one part and end in the next.
    while (hit < starts.length && (starts[hit] as number) + length <= from) hit++
    const hits: [position: number, from: number, to: number][] = []
    for (let next = hit; next < starts.length && (starts[next] as number) < end; next++) {
      const start = starts[next] as number
      hits.push([next, Math.max(start, from), Math.min(start + length, end)])
    }
    return (
      <span key={from} className="raw-part">
        {marked(text, from, end, hits, current)}
      </span>
    )
  })
}

function marked(
  text: string,
  from: number,
  end: number,
  hits: readonly (readonly [position: number, from: number, to: number])[],
  current: number,
): ReactNode {
  let at = from
  const pieces = hits.map(([position, start, stop]) => {
    const before = text.slice(at, start)
    at = stop
    return (
      <Fragment key={position}>
        {before}
        <mark className={position === current ? 'current-hit' : undefined}>{text.slice(start, stop)}</mark>
      </Fragment>
    )
  })
  return (
    <>
      {pieces}
      {text.slice(at, end)}
    </>
  )
}

/** Where parts of a text end: behind a line, or behind a comma or a space of one that is too long. */
export function partEnds(text: string): number[] {
  const ends: number[] = []
  let from = 0
  while (text.length - from > LONGEST_PART) {
    const window = text.slice(from, from + LONGEST_PART)
    const line = window.indexOf('\n', PART - 1)
    const gap = Math.max(window.lastIndexOf(','), window.lastIndexOf(' '))
    from += line >= 0 ? line + 1 : gap >= PART ? gap + 1 : wholeCharacter(window)
    ends.push(from)
  }
  return [...ends, text.length]
}

/** A part does not end between the halves of a character. */
function wholeCharacter(window: string): number {
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length
}
