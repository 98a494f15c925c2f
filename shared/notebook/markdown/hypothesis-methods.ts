import type { ValidationMethod } from '../model.ts'
import { type Bound, block, inline, normal, oneLine, type Splice } from './bound.ts'
import { rankOf, SECTIONS } from './hypothesis-places.ts'
import { type Label, type ParsedPage, partsOf, type Section } from './page.ts'

/** Paragraphs to be put at a place; of those for the same place the lowest rank comes first. */
export interface Addition {
  readonly at: number
  readonly rank: number
  readonly text: string
}

const METHOD = /^(?:(?:method|test|experiment)\s*(?:\d+\s*)?|\d+\s*)[:.)–—-]\s*/i
const SUCCESS = /^success criteri(?:a|on)$/
/** A validation method, with the places of what is said of it. */
export interface Method {
  readonly id: string
  readonly section: Section | null
  readonly title: Bound | null
  readonly how: Bound
  readonly success: Bound | null
  readonly end: number
}

function methodsSection(page: ParsedPage): Section | undefined {
  const title = SECTIONS.find(([each]) => each === 'validation')?.[2] as RegExp
  return page.sections.find((each) => each.level === 2 && title.test(each.title.trim()))
}

/** Null where the page has no such section. A section without parts is one method. */
export function methodsOf(page: ParsedPage): Method[] | null {
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

/** As the notebook keeps it. */
export function methodValue({ id, title, how, success }: Method): ValidationMethod {
  return { id, title: title?.value ?? '', how: how.value, success: success?.value ?? '' }
}

/** Writes those that are not as the page has them: into `splices` what stands there, into `added` what does not. */
export function writeMethods(
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
