import type { Problem } from '../model.ts'
import { type Bound, block, inline, inserted, oneLine, type Splice, spliced } from './bound.ts'
import { type ParsedPage, parsePage, type Section } from './page.ts'

type ProblemText = Exclude<keyof Problem, 'criteria'>

const SECTIONS: readonly (readonly [field: ProblemText, heading: string, title: RegExp])[] = [
  ['statement', 'Overview', /^(?:overview|description|problem(?: statement)?|the problem)$/i],
  ['environment', 'Environment Setup', /^environment(?: setup)?$/i],
  ['works', 'What Works', /^what works$/i],
  ['baseline', 'Baseline Performance', /^baseline\b/i],
]
const CRITERIA = /^success criteria$/i
const ITEM = /^([ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+)(\[[ xX]\][ \t]+)?/

interface Item {
  readonly text: Bound
  /** Where a box is, its inside. */
  readonly box: { readonly start: number; readonly checked: boolean } | null
  readonly start: number
  readonly next: number
  readonly marker: string
}

/** What the page states of the problem. A box that is ticked is met; without boxes the page does not say. */
export function readProblem(text: string): Partial<Problem> {
  const page = parsePage(text)
  const texts = SECTIONS.flatMap(([field, , title]): [ProblemText, string][] => {
    const there = textOf(page, title)
    return there === null ? [] : [[field, there.value]]
  })
  const section = criteriaOf(page)
  const items = section === undefined ? null : itemsOf(page, section)
  return {
    ...Object.fromEntries(texts),
    ...(items === null || items.length === 0
      ? {}
      : {
          criteria: items.map((item, at) => ({
            id: `c${at + 1}`,
            text: item.text.value,
            met: item.box?.checked ?? false,
          })),
        }),
  }
}

/** The page with those fields written that are not as `before`. */
export function writeProblem(text: string, before: Problem, now: Problem): string {
  const page = parsePage(text)
  const splices: Splice[] = []
  const added: string[] = []
  for (const [field, heading, title] of SECTIONS) {
    if (now[field] === before[field]) continue
    const there = textOf(page, title)
    if (there !== null) splices.push(there.write(now[field]))
    else if (now[field] !== '') added.push(`## ${heading}\n\n${now[field].trim()}`)
  }
  const section = criteriaOf(page)
  if (JSON.stringify(now.criteria) !== JSON.stringify(before.criteria)) {
    const items = section === undefined ? [] : itemsOf(page, section)
    const fresh: string[] = []
    now.criteria.forEach((criterion, at) => {
      const was = before.criteria.find(({ id }) => id === criterion.id)
      const item = was === undefined ? undefined : items[before.criteria.indexOf(was)]
      if (item === undefined) {
        fresh.push(`${at + 1}. ${oneLine(criterion.text)}`)
        return
      }
      if (criterion.text !== was?.text) splices.push(item.text.write(criterion.text))
      if (item.box !== null && criterion.met !== was?.met) {
        splices.push({ start: item.box.start, end: item.box.start + 1, text: criterion.met ? 'x' : ' ' })
      }
    })
    before.criteria.forEach((criterion, at) => {
      const item = items[at]
      if (item !== undefined && now.criteria.every(({ id }) => id !== criterion.id)) {
        splices.push({ start: item.start, end: item.next, text: '' })
      }
    })
    const last = items.at(-1)
    if (fresh.length > 0 && last !== undefined) {
      const apart = /\n$/.test(page.text.slice(0, last.next)) ? '' : page.ending
      const lines = fresh.map((line) => `${line}${page.ending}`).join('')
      splices.push({ start: last.next, end: last.next, text: apart + lines })
    } else if (fresh.length > 0) added.push(`## Success Criteria\n\n${fresh.join('\n')}`)
  }
  if (added.length > 0) splices.push(inserted(page, section?.start ?? page.text.length, added.join('\n\n')))
  return spliced(text, splices)
}

function textOf(page: ParsedPage, title: RegExp): Bound | null {
  const section = page.sections.find((each) => each.level > 1 && title.test(each.title.trim()))
  return section === undefined ? null : block(page, section.body, section.end, section.level)
}

function criteriaOf(page: ParsedPage): Section | undefined {
  return page.sections.find(({ level, title }) => level > 1 && CRITERIA.test(title.trim()))
}

function itemsOf(page: ParsedPage, section: Section): Item[] {
  return page.lines.flatMap((line): Item[] => {
    if (line.start < section.body || line.start >= section.ownEnd || line.fenced) return []
    const found = ITEM.exec(line.text)
    // What is indented belongs to the item above it.
    if (found === null || /^(?:\t| {2})/.test(line.text)) return []
    const [whole, marker = '', box] = found
    return [
      {
        text: inline(page, line.start + whole.length, line.end),
        box: box === undefined ? null : { start: line.start + marker.length + 1, checked: /x/i.test(box) },
        start: line.start,
        next: line.next,
        marker,
      },
    ]
  })
}
