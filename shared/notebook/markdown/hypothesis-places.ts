import type { Status } from '../model.ts'
import { type Bound, block, inline } from './bound.ts'
import { type Label, type ParsedPage, type Section, sectionNamed } from './page.ts'
import { readStatus } from './words.ts'

/** Fields that stand in a section, or behind a label, as one text. */
export type TextField =
  | 'description'
  | 'rootCause'
  | 'why'
  | 'invalidation'
  | 'questions'
  | 'alternatives'
  | 'interactions'
  | 'testing'
  | 'related'
  | 'results'
  | 'notes'
  | 'nextAction'

/** Sections in the order of the framework's pages, by which a new one finds its place. */
export const SECTIONS: readonly (readonly [
  field: TextField | 'validation' | 'status',
  heading: string,
  title: RegExp,
])[] = [
  ['description', 'Description', /^(?:description|claim|overview|hypothesis statement)$/i],
  ['rootCause', 'Root Cause', /^root causes?(?: analysis)?$/i],
  ['why', 'Why It Explains Our Behavior', /^why (?:it|this) explains\b/i],
  ['validation', 'Validation Methods', /^(?:validation|diagnostic) methods?$/i],
  ['invalidation', 'Invalidation Criteria', /^invalidation criteria$/i],
  ['questions', 'Diagnostic Questions', /^(?:diagnostic|critical|key) questions$/i],
  ['alternatives', 'Alternative Explanations', /^alternatives?\b/i],
  ['interactions', 'Interaction with Other Hypotheses', /^interactions?\b/i],
  ['status', 'Current Status', /^current status\b/i],
  ['testing', 'Experimental Priority', /^experimental priority$/i],
  ['related', 'Related Hypotheses', /^related hypotheses$/i],
  ['results', 'Results', /^results?(?: and conclusions?)?$|^conclusions?$/i],
  ['notes', 'Notes', /^notes$/i],
  ['nextAction', 'Next Action', /^next (?:action|step)s?$/i],
]

/** What heads a page: `Hypothesis H02:`. */
export const TITLE = /^(?:hypothesis\s+)?(H\d{1,3})\b\s*[:.)–—-]*\s*/i
const STATUS_LABELS = ['hypothesis status', 'status']
export const CONFIDENCE_LABELS = ['confidence level', 'confidence']
/** Labels with a meaning of their own, which end the text of a section that they stand in. */
const SPECIAL = [
  'next action',
  'next actions',
  'notes',
  'reasoning',
  'hypothesis status',
  'status',
  ...CONFIDENCE_LABELS,
]
/** Sections whose text may hold any label. */
const PLACED = ['description', 'rootCause', 'why', 'validation', 'invalidation', 'questions', 'alternatives'] as const

/** Where the text behind the title begins. */
export function afterTitle(page: ParsedPage): number {
  return page.sections.find(({ level, title }) => level === 1 && TITLE.test(title))?.ownEnd ?? 0
}

/** Where a section would stand that the page does not have yet. */
export function placeFor(page: ParsedPage, field: string): number {
  const at = SECTIONS.findIndex(([each]) => each === field)
  for (const [, , title] of SECTIONS.slice(0, at).reverse()) {
    const section = page.sections.find((each) => each.level === 2 && title.test(headOf(each)))
    if (section !== undefined) return section.end
  }
  const priority = sectionNamed(page, /^priority\b/i)
  return priority?.end ?? afterTitle(page)
}

/** The place of a field among the sections. */
export function rankOf(field: string): number {
  return SECTIONS.findIndex(([each]) => each === field)
}

/** A title without the value behind its colon. */
function headOf(section: Section): string {
  return section.title.replace(/:.*$/, '').trim()
}

/** The text of a field; null where the page has no place for it. */
export function textOf(page: ParsedPage, field: TextField): Bound | null {
  if (field === 'results') {
    const reasoning = labelBlock(page, ['reasoning'])
    if (reasoning !== null) return reasoning
  }
  if (field === 'nextAction' || field === 'notes') {
    const label = labelBlock(page, field === 'notes' ? ['notes'] : ['next action', 'next actions'])
    if (label !== null) return label
  }
  const [, , title] = SECTIONS.find(([each]) => each === field) as (typeof SECTIONS)[number]
  const section = page.sections.find((each) => each.level === 2 && title.test(each.title.trim()))
  if (section === undefined) return null
  const from = field === 'rootCause' ? behindLocation(page, section) : section.body
  const isPlaced = PLACED.some((each) => each === field)
  const label = page.labels.find(({ start, name }) => start >= from && start < section.end && SPECIAL.includes(name))
  return block(page, from, isPlaced ? section.end : (label?.start ?? section.end), section.level)
}

/** The last label of one of these names, outside the sections whose text may itself hold such a label. */
function lastLabel(page: ParsedPage, names: readonly string[]): Label | undefined {
  const taken = PLACED.flatMap((field) => {
    const title = SECTIONS.find(([each]) => each === field)?.[2]
    return page.sections.filter((each) => each.level === 2 && title?.test(each.title.trim()))
  })
  const free = page.labels.filter(({ start }) => !taken.some((section) => start >= section.body && start < section.end))
  for (const name of names) {
    const label = free.findLast((each) => each.name === name)
    if (label !== undefined) return label
  }
  return undefined
}

/** The line behind a label. */
export function labelled(page: ParsedPage, names: readonly string[]): Bound | null {
  const label = lastLabel(page, names)
  return label === undefined ? null : inline(page, label.value, label.lineEnd)
}

/** Everything behind a label up to the next label, heading or break. */
function labelBlock(page: ParsedPage, names: readonly string[]): Bound | null {
  const label = lastLabel(page, names)
  if (label === undefined) return null
  const next = page.labels.find(({ start, isItem }) => start > label.start && (label.isItem || !isItem))
  const section = page.sections.find(({ start }) => start > label.start)
  const inside = page.sections.findLast(({ body, ownEnd }) => body <= label.start && label.start < ownEnd)
  const end = Math.min(
    next?.start ?? page.text.length,
    section?.start ?? page.text.length,
    inside?.ownEnd ?? page.text.length,
  )
  const raw = page.text.slice(label.value, end)
  const start = label.value + (raw.length - raw.trimStart().length)
  // What is written where nothing stood goes on the label's line.
  if (raw.trim() === '') return inline(page, label.value, label.lineEnd)
  return block(page, start, end, 6)
}

/** Behind its heading or its label. */
export function priorityOf(page: ParsedPage): Bound | null {
  const section = page.sections.find(({ level, title }) => level <= 3 && /^priority\b/i.test(title))
  if (section === undefined) return labelled(page, ['priority'])
  const said = /^priority\s*:?\s*/i.exec(section.title)?.[0].length ?? 0
  if (section.title.length > said) return inline(page, section.titleStart + said, section.titleEnd)
  return firstLine(page, section) ?? inline(page, section.titleEnd, section.titleEnd)
}

/** The first line under a heading that is not blank; null where it is a label, which speaks for itself. */
function firstLine(page: ParsedPage, section: Section): Bound | null {
  const line = page.lines.find(
    ({ start, text }) => start >= section.body && start < section.ownEnd && text.trim() !== '',
  )
  const isLabel = page.labels.some(({ start }) => start === line?.start)
  return line === undefined || isLabel ? null : inline(page, line.start, line.end)
}

/** Every place that says the status, the one that counts first: a conclusion is newer than the heading that began as “untested”. */
export function statusPlaces(page: ParsedPage): Bound[] {
  const places: Bound[] = []
  const conclusion = labelled(page, STATUS_LABELS)
  if (conclusion !== null) places.push(conclusion)
  for (const name of [/^hypothesis status\b/i, /^current status\b/i, /^status\b/i]) {
    const section = page.sections.find(({ level, title }) => level === 2 && name.test(title))
    if (section === undefined) continue
    const said = /^[^:]*:?\s*/.exec(section.title)?.[0].length ?? 0
    if (section.title.length > said) {
      places.push(inline(page, section.titleStart + said, section.titleEnd))
      continue
    }
    const first = firstLine(page, section)
    if (first !== null) places.push(first)
  }
  return places
}

/** The newest status that is one, with its note. */
export function statedStatus(page: ParsedPage): { status: Status; statusNote: string } | null {
  const said = statusPlaces(page).map(({ value }) => readStatus(value))
  const [firm] = said.filter(({ status }) => status !== null)
  if (firm?.status) return { status: firm.status, statusNote: firm.note }
  const [loose] = said.filter(({ note }) => note !== '')
  return loose === undefined ? null : { status: 'pending', statusNote: loose.note }
}

/** `**Code Location**: …` where it opens the root cause. */
function locationLabel(page: ParsedPage, section: Section): Label | undefined {
  const first = page.lines.find(({ start, text }) => start >= section.body && start < section.end && text.trim() !== '')
  return page.labels.find(({ start, name }) => start === first?.start && /^code locations?$/.test(name))
}

function behindLocation(page: ParsedPage, section: Section): number {
  return locationLabel(page, section)?.next ?? section.body
}

/** The section that tells it. */
export function rootCause(page: ParsedPage): Section | undefined {
  const title = SECTIONS.find(([each]) => each === 'rootCause')?.[2] as RegExp
  return page.sections.find((each) => each.level === 2 && title.test(each.title.trim()))
}

/** Where in the code the cause is said to be. */
export function locationOf(page: ParsedPage): Bound | null {
  const section = rootCause(page)
  const label = section === undefined ? undefined : locationLabel(page, section)
  if (label === undefined) return null
  const raw = page.text.slice(label.value, label.lineEnd)
  const code = /^`([^`]+)`\s*$/.exec(raw)
  return code === null
    ? inline(page, label.value, label.lineEnd)
    : inline(page, label.value + 1, label.value + 1 + (code[1] as string).length)
}
