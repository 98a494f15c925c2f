import type { Page } from 'playwright-core'

/** What a person asked to see more columns of than there is room for. */
const MAY_SCROLL = '.sibling-scroll'

/** What of the page cannot be seen without scrolling sideways, or is cut at its side and not told whole where the pointer rests. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate((mayScroll) => {
    const found = new Set<string>()
    const nameOf = (element: Element) => {
      const classes = [...element.classList].map((name) => `.${name}`).join('')
      return `${element.tagName.toLowerCase()}${classes} “${(element.textContent ?? '').trim().slice(0, 40)}”`
    }
    if (document.documentElement.scrollWidth > window.innerWidth) found.add('the page scrolls sideways')
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element
      const style = getComputedStyle(element)
      const isClamped = style.webkitLineClamp !== 'none' && scrollHeight > clientHeight + 1
      // What is written in a field goes along under the caret.
      if (element.matches('input') || element.closest('.visually-hidden') !== null) continue
      if (scrollWidth <= clientWidth + 1 && !isClamped) continue
      const over = `${nameOf(element)} ${scrollWidth} > ${clientWidth}`
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') {
        if (!element.matches(mayScroll)) found.add(`scrolls sideways: ${over}`)
      } else if (style.overflowX === 'hidden' || style.overflowX === 'clip') {
        if (style.textOverflow !== 'ellipsis' && !isClamped) found.add(`cut: ${over}`)
        else {
          element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
          if (element.closest('[title]') === null) found.add(`cut, and not told whole: ${over}`)
        }
      }
    }
    return [...found]
  }, MAY_SCROLL)
}
