import type { Confidence, Hypothesis, Priority, Status, ValidationMethod } from '../model.ts'
import { inserted, oneLine, type Splice, spliced } from './bound.ts'
import { type Addition, methodsOf, methodValue, writeMethods } from './hypothesis-methods.ts'
import {
  afterTitle,
  CONFIDENCE_LABELS,
  labelled,
  locationOf,
  placeFor,
  priorityOf,
  rankOf,
  rootCause,
  SECTIONS,
  statedStatus,
  statusPlaces,
  type TextField,
  TITLE,
  textOf,
} from './hypothesis-places.ts'
import { type ParsedPage, parsePage, sectionNamed } from './page.ts'
import {
  isPlaceholder,
  readConfidence,
  readPriority,
  rewriteStatus,
  writeConfidence,
  writePriority,
  writeStatus,
} from './words.ts'

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
