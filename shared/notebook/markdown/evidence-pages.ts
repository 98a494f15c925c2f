import { evidenceItem } from '../hand-out/hand-out.ts'
import type { Hypothesis, Page } from '../model.ts'

/**
 * A page for each hypothesis that something was pinned to, beside the page of the hypothesis, which has no place for it. What such a page
 * holds already stays: it may be what others pinned.
 *
 * @param before pages of the folder by path
 */
export function evidencePages(hypotheses: readonly Hypothesis[], before: ReadonlyMap<string, string>): Page[] {
  return hypotheses.flatMap(({ id, title, evidence }) => {
    const path = `evidence/${id.replace(/[^\w-]/g, '_')}.md`
    const known = before.get(path)
    const fresh = evidence.map(evidenceItem).filter((item) => known?.includes(item) !== true)
    if (fresh.length === 0) return []
    const start = known ?? `# Evidence pinned to ${id} ${title.replaceAll('\n', ' ')}\n\n`
    const gap = start.endsWith('\n') ? '' : '\n'
    return [{ path, text: `${start}${gap}${fresh.join('\n')}\n` }]
  })
}
