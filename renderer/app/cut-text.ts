/** Elements whose title says what they have no room for. */
const titled = new WeakSet<HTMLElement>()

/** A title is read at a glance; more than this (characters) of a text is read where it is opened. */
const LONGEST_TITLE = 600

/** Text that ends in dots, because there is no room for the rest, is told whole where the pointer rests on it. To be called once. */
export function tellCutText(): void {
  document.addEventListener('pointerover', ({ target }) => {
    for (let at = target instanceof HTMLElement ? target : null; at !== null; at = at.parentElement) {
      const isOurs = titled.has(at)
      if (at.hasAttribute('title') && !isOurs) return
      if (isCut(at)) {
        titled.add(at)
        at.title = at.innerText.trim().slice(0, LONGEST_TITLE)
        return
      }
      // A row of a long list shows another text by now.
      if (isOurs) {
        titled.delete(at)
        at.removeAttribute('title')
      }
    }
  })
}

function isCut(element: HTMLElement): boolean {
  const isWide = element.scrollWidth > element.clientWidth
  if (!isWide && element.scrollHeight <= element.clientHeight) return false
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return isWide ? textOverflow === 'ellipsis' : webkitLineClamp !== 'none'
}
