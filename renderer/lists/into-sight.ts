/** Pixels that stay free below what is brought into sight. */
const BELOW = 12

/**
 * Scrolls as little as it takes to show what was unfolded below its line; of more than there is room for its beginning, and the line stays in
 * sight.
 */
export function bringIntoSight(body: Element | null, line: Element | null): void {
  const scroller = scrollerOf(body)
  if (body === null || line === null || scroller === null) return
  const window = scroller.getBoundingClientRect()
  const hidden = body.getBoundingClientRect().bottom + BELOW - window.bottom
  const room = line.getBoundingClientRect().top - BELOW - window.top
  const by = Math.min(hidden, room)
  if (by > 0) scroller.scrollTop += by
}

/** What scrolls it up and down. */
function scrollerOf(element: Element | null): Element | null {
  for (let at = element?.parentElement ?? null; at !== null; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at)
    if ((overflowY === 'auto' || overflowY === 'scroll') && at.scrollHeight > at.clientHeight) return at
  }
  return null
}
