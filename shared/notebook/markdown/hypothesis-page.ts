import type { Confidence, Hypothesis, Priority, Status, ValidationMethod } from '../model.ts'
import { type Bound, block, inline, inserted, normal, oneLine, type Splice, spliced } from './bound.ts'
import { type Label, type ParsedPage, parsePage, partsOf, type Section, sectionNamed } from './page.ts'
import {
  isPlaceholder,
  readConfidence,
  readPriority,
  readStatus,
  rewriteStatus,
  writeConfidence,
  writePriority,
  writeStatus,
} from './words.ts'

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

/** What a page says of its hypothesis; a field that is absent does not stand in it. */
export interface StatedHypothesis extends Partial<Record<TextField, string>> {
  /** `H06`. */
  readonly number: string
  readonly title: string
  readonly priority?: Priority
  readonly status?: Status
  readonly statusNote?: string
  readonly confidence?: Confidence
  readonly codeLocation?: string
  readonly validation?: readonly ValidationMethod[]
}

/** Sections in the order of the framework's pages, by which a new one finds its place. */
const SECTIONS: readonly (readonly [field: TextField | 'validation' | 'status', heading: string, title: RegExp])[] = [
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

const TITLE = /^(?:hypothesis\s+)?(H\d{1,3})\b\s*[:.)–—-]*\s*/i
const METHOD = /^(?:(?:method|test|experiment)\s*\d*|\d+)\s*[:.)–—-]\s*/i
const SUCCESS = /^success criteri(?:a|on)$/
const STATUS_LABELS = ['hypothesis status', 'status']
const CONFIDENCE_LABELS = ['confidence level', 'confidence']
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

/** Paragraphs to be put at a place; of those for the same place the lowest rank comes first. */
interface Addition {
  readonly at: number
  readonly rank: number
  readonly text: string
}

interface Method {
  readonly id: string
  readonly section: Section | null
  readonly title: Bound | null
  readonly how: Bound
  readonly success: Bound | null
  readonly end: number
}

/** A page with the places of everything that is read from it. */
export interface HypothesisPage {
  readonly page: ParsedPage
  readonly stated: StatedHypothesis
}

/** Reads a page; null where it is headed by no hypothesis (`# Hypothesis H02: …`). */
export function readHypothesisPage(text: string): HypothesisPage | null {
  const page = parsePage(text)
  const heading = page.sections.find(({ level, title }) => level === 1 && TITLE.test(title))
  if (heading === undefined) return null
  const [whole, number = ''] = TITLE.exec(heading.title) ?? ['']
  const texts = Object.fromEntries(
    SECTIONS.flatMap(([field]) => {
      if (field === 'validation' || field === 'status') return []
      const value = textOf(page, field)?.value
      return value === undefined ? [] : [[field, isPlaceholder(value) ? '' : value]]
    }),
  ) as Partial<Record<TextField, string>>
  const status = statedStatus(page)
  const priority = readPriority(priorityOf(page)?.value ?? '')
  const confidence = readConfidence(labelled(page, CONFIDENCE_LABELS)?.value ?? '')
  const location = locationOf(page)?.value
  const methods = methodsOf(page)
  const stated: StatedHypothesis = {
    number: number.toUpperCase(),
    title: heading.title.slice(whole.length),
    ...texts,
    ...(priority === null ? {} : { priority }),
    ...(status === null ? {} : status),
    ...(confidence === null ? {} : { confidence }),
    ...(location === undefined ? {} : { codeLocation: location }),
    ...(methods === null ? {} : { validation: methods.map(methodValue) }),
  }
  return { page, stated }
}

/** The page with those fields written that are not as `before`, and everything else as it was. */
export function writeHypothesisPage(text: string, before: Hypothesis, now: Hypothesis): string {
  const page = parsePage(text)
  const splices: Splice[] = []
  const added: Addition[] = []
  const place = (field: TextField | 'validation' | 'status') => placeFor(page, field)
  if (now.title !== before.title) splices.push(...writeTitle(page, now.title))
  if (now.priority !== before.priority) {
    const there = priorityOf(page)
    if (there === null)
      added.push({ at: afterTitle(page), rank: -1, text: `## Priority: ${now.priority.toUpperCase()}` })
    else splices.push(there.write(writePriority(now.priority, there.value)))
  }
  for (const [field, heading] of SECTIONS) {
    if (field === 'validation' || field === 'status' || now[field] === before[field]) continue
    const there = textOf(page, field)
    if (there !== null) splices.push(there.write(now[field]))
    else if (field === 'rootCause' && now.codeLocation !== before.codeLocation) continue
    else if (now[field] !== '')
      added.push({ at: place(field), rank: rankOf(field), text: `## ${heading}\n\n${now[field].trim()}` })
  }
  if (now.codeLocation !== before.codeLocation) writeLocation(page, before, now, splices, added)
  if (now.status !== before.status || now.statusNote !== before.statusNote) {
    const there = statusPlaces(page)
    const note = now.statusNote === before.statusNote ? null : now.statusNote
    for (const each of there) splices.push(each.write(rewriteStatus({ status: now.status, note }, each.value)))
    if (there.length === 0) {
      const said = writeStatus(now.status, now.statusNote, 'CAPITALS')
      added.push({ at: place('status'), rank: rankOf('status'), text: `## Current Status: ${said}` })
    }
  }
  if (now.confidence !== before.confidence) {
    const there = labelled(page, CONFIDENCE_LABELS)
    if (there !== null) splices.push(there.write(writeConfidence(now.confidence, there.value)))
    else {
      const section = sectionNamed(page, /^current status\b/i)
      const said = `**Confidence Level**: ${writeConfidence(now.confidence, 'High')}`
      added.push({ at: section?.body ?? place('results'), rank: rankOf('status'), text: said })
    }
  }
  if (JSON.stringify(now.validation) !== JSON.stringify(before.validation)) {
    writeMethods(page, now.validation, splices, added, place('validation'))
  }
  const insertions = joined(page, added)
  return spliced(text, [...splices, ...insertions])
}

/** Paragraphs for the same place become one insertion, so that the blank lines between them are right. */
function joined(page: ParsedPage, added: readonly Addition[]): Splice[] {
  const byPlace = new Map<number, string[]>()
  for (const { at, text } of added.toSorted((a, b) => a.rank - b.rank))
    byPlace.set(at, [...(byPlace.get(at) ?? []), text])
  return [...byPlace].map(([at, texts]) => inserted(page, at, texts.join('\n\n')))
}

function writeTitle(page: ParsedPage, title: string): Splice[] {
  const heading = page.sections.find((section) => section.level === 1 && TITLE.test(section.title))
  if (heading === undefined) return []
  const lead = TITLE.exec(heading.title)?.[0].length ?? 0
  const said = oneLine(title)
  const apart = lead > 0 && !/\s$/.test(heading.title.slice(0, lead)) && said !== '' ? ': ' : ''
  return [{ start: heading.titleStart + lead, end: heading.titleEnd, text: apart + said }]
}

function afterTitle(page: ParsedPage): number {
  return page.sections.find(({ level, title }) => level === 1 && TITLE.test(title))?.ownEnd ?? 0
}

function placeFor(page: ParsedPage, field: string): number {
  const at = SECTIONS.findIndex(([each]) => each === field)
  for (const [, , title] of SECTIONS.slice(0, at).reverse()) {
    const section = page.sections.find((each) => each.level === 2 && title.test(headOf(each)))
    if (section !== undefined) return section.end
  }
  const priority = sectionNamed(page, /^priority\b/i)
  return priority?.end ?? afterTitle(page)
}

function rankOf(field: string): number {
  return SECTIONS.findIndex(([each]) => each === field)
}

/** A title without the value behind its colon. */
function headOf(section: Section): string {
  return section.title.replace(/:.*$/, '').trim()
}

function textOf(page: ParsedPage, field: TextField): Bound | null {
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
function labelled(page: ParsedPage, names: readonly string[]): Bound | null {
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

function priorityOf(page: ParsedPage): Bound | null {
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
function statusPlaces(page: ParsedPage): Bound[] {
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

function statedStatus(page: ParsedPage): { status: Status; statusNote: string } | null {
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

function rootCause(page: ParsedPage): Section | undefined {
  const title = SECTIONS.find(([each]) => each === 'rootCause')?.[2] as RegExp
  return page.sections.find((each) => each.level === 2 && title.test(each.title.trim()))
}

function locationOf(page: ParsedPage): Bound | null {
  const section = rootCause(page)
  const label = section === undefined ? undefined : locationLabel(page, section)
  if (label === undefined) return null
  const raw = page.text.slice(label.value, label.lineEnd)
  const code = /^`([^`]+)`\s*$/.exec(raw)
  return code === null
    ? inline(page, label.value, label.lineEnd)
    : inline(page, label.value + 1, label.value + 1 + (code[1] as string).length)
}

function writeLocation(
  page: ParsedPage,
  before: Hypothesis,
  now: Hypothesis,
  splices: Splice[],
  added: Addition[],
): void {
  const there = locationOf(page)
  if (there !== null) {
    splices.push(there.write(now.codeLocation))
    return
  }
  const section = rootCause(page)
  const said = `**Code Location**: \`${oneLine(now.codeLocation)}\``
  if (section !== undefined) {
    if (now.codeLocation !== '') added.push({ at: section.body, rank: 0, text: said })
    return
  }
  const text = now.rootCause !== before.rootCause ? now.rootCause.trim() : ''
  const parts = ['## Root Cause', ...(now.codeLocation === '' ? [] : [said]), ...(text === '' ? [] : [text])]
  if (parts.length > 1)
    added.push({ at: placeFor(page, 'rootCause'), rank: rankOf('rootCause'), text: parts.join('\n\n') })
}

function methodsSection(page: ParsedPage): Section | undefined {
  const title = SECTIONS.find(([each]) => each === 'validation')?.[2] as RegExp
  return page.sections.find((each) => each.level === 2 && title.test(each.title.trim()))
}

/** Null where the page has no such section. A section without parts is one method. */
function methodsOf(page: ParsedPage): Method[] | null {
  const section = methodsSection(page)
  if (section === undefined) return null
  const parts = partsOf(page, section)
  if (parts.length === 0) {
    const whole = page.text.slice(section.body, section.end).trim()
    return whole === '' ? [] : [methodAt(page, 'm1', section, null)]
  }
  return parts.map((part, at) => methodAt(page, `m${at + 1}`, part, part))
}

function methodAt(page: ParsedPage, id: string, section: Section, headed: Section | null): Method {
  const success = page.labels.find(
    ({ start, name, isItem }) => start >= section.body && start < section.end && !isItem && SUCCESS.test(name),
  )
  const titled = headed === null ? null : (METHOD.exec(headed.title)?.[0].length ?? 0)
  const title = headed === null ? null : inline(page, headed.titleStart + (titled ?? 0), headed.titleEnd)
  const end = success?.start ?? section.end
  return {
    id,
    section: headed,
    title,
    how: block(page, section.body, end, section.level),
    success: success === undefined ? null : successBlock(page, success, section),
    end: section.end,
  }
}

function successBlock(page: ParsedPage, label: Label, section: Section): Bound {
  const raw = page.text.slice(label.value, section.end)
  if (raw.trim() === '') return inline(page, label.value, label.lineEnd)
  return block(page, label.value + (raw.length - raw.trimStart().length), section.end, section.level)
}

function methodValue({ id, title, how, success }: Method): ValidationMethod {
  return { id, title: title?.value ?? '', how: how.value, success: success?.value ?? '' }
}

function writeMethods(
  page: ParsedPage,
  now: readonly ValidationMethod[],
  splices: Splice[],
  added: Addition[],
  place: number,
): void {
  const there = methodsOf(page)
  const section = methodsSection(page)
  const fresh: string[] = []
  let number = there?.length ?? 0
  for (const method of now) {
    const known = there?.find(({ id }) => id === method.id)
    if (known === undefined) {
      number++
      fresh.push(methodText(method, number))
      continue
    }
    const value = methodValue(known)
    if (known.title !== null && value.title !== method.title) splices.push(known.title.write(method.title))
    if (value.how !== method.how) splices.push(known.how.write(method.how))
    if (value.success === method.success) continue
    if (known.success !== null) splices.push(known.success.write(method.success))
    else if (method.success !== '')
      added.push({ at: known.end, rank: 0, text: `**Success Criteria**: ${method.success.trim()}` })
  }
  for (const known of there ?? []) {
    if (now.some(({ id }) => id === known.id)) continue
    if (known.section !== null) splices.push({ start: known.section.start, end: known.end, text: '' })
    else if (section !== undefined) splices.push({ start: section.body, end: section.end, text: page.ending })
  }
  if (fresh.length === 0) return
  if (section === undefined)
    added.push({ at: place, rank: rankOf('validation'), text: `## Validation Methods\n\n${fresh.join('\n\n')}` })
  else added.push({ at: section.end, rank: 0, text: fresh.join('\n\n') })
}

function methodText({ title, how, success }: ValidationMethod, number: number): string {
  const parts = [`### Method ${number}: ${oneLine(title)}`, normal(how).trim()]
  if (success.trim() !== '') parts.push(`**Success Criteria**: ${normal(success).trim()}`)
  return parts.filter((part) => part !== '').join('\n\n')
}
