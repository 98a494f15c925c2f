import type { Confidence, Hypothesis, Phase, Priority, Status } from '../model.ts'
import { inserted, oneLine, type Splice, spliced } from './bound.ts'
import { type Cell, type ParsedPage, parsePage, type Row, type Section } from './page.ts'
import {
  readConfidence,
  readPriority,
  readStatus,
  rewriteStatus,
  writeConfidence,
  writePriority,
  writeStatus,
} from './words.ts'

/** What the table of statuses, or the roadmap, says of a hypothesis. */
export interface ReadmeEntry {
  /** `H06`. */
  readonly number: string
  readonly title: string
  readonly priority?: Priority
  readonly status?: Status
  readonly statusNote?: string
  readonly confidence?: Confidence
  readonly phase?: Phase
}

interface StatusRow {
  readonly number: string
  readonly title: string
  readonly row: Row
  readonly priority: Cell | undefined
  readonly status: Cell | undefined
  readonly confidence: Cell | undefined
}

interface RoadmapEntry {
  readonly number: string
  readonly title: string
  readonly phase: Phase
  readonly section: Section
}

const NAMED = /\bH(\d{1,3})\b\s*[:.)–—-]*\s*([^\][|]*)/i

/** Reads the table of statuses and the roadmap. A hypothesis that stands in both has two entries. */
export function readReadme(text: string): ReadmeEntry[] {
  const page = parsePage(text)
  const rows = statusRows(page).map(({ number, title, priority, status, confidence }): ReadmeEntry => {
    const said = readStatus(status?.text ?? '')
    const [urgency, trust] = [readPriority(priority?.text ?? ''), readConfidence(confidence?.text ?? '')]
    return {
      number,
      title,
      ...(urgency === null ? {} : { priority: urgency }),
      ...(said.status === null && said.note === '' ? {} : { status: said.status ?? 'pending', statusNote: said.note }),
      ...(trust === null ? {} : { confidence: trust }),
    }
  })
  const phases = roadmap(page).map(({ number, title, phase }): ReadmeEntry => ({ number, title, phase }))
  return [...rows, ...phases]
}

/** A change of a hypothesis as the README sees it; `matches` finds its rows among those of one number. */
export interface ReadmeChange {
  readonly before: Hypothesis
  readonly now: Hypothesis
  matches(entry: { readonly number: string; readonly title: string }): boolean
}

/** The README with the cells and the roadmap of what changed rewritten, and rows for what is new. */
export function writeReadme(text: string, changes: readonly ReadmeChange[], fresh: readonly Hypothesis[]): string {
  const page = parsePage(text)
  const splices: Splice[] = []
  const [rows, entries] = [statusRows(page), roadmap(page)]
  for (const { before, now, matches } of changes) {
    for (const { priority, status, confidence } of rows.filter(matches)) {
      if (status !== undefined && (now.status !== before.status || now.statusNote !== before.statusNote)) {
        const note = now.statusNote === before.statusNote ? null : now.statusNote
        splices.push(cell(status, rewriteStatus({ status: now.status, note }, status.text)))
      }
      if (priority !== undefined && now.priority !== before.priority) {
        splices.push(cell(priority, writePriority(now.priority, priority.text)))
      }
      if (confidence !== undefined && now.confidence !== before.confidence) {
        splices.push(cell(confidence, writeConfidence(now.confidence, confidence.text)))
      }
    }
    if (now.phase !== before.phase) splices.push(...moved(page, entries.find(matches), now.phase))
  }
  const last = rows.at(-1)?.row ?? statusTable(page)?.at(-1)
  if (last !== undefined && fresh.length > 0) {
    const lines = fresh.map((hypothesis) => `${rowText(page, hypothesis)}${page.ending}`).join('')
    const apart = last.next === last.end ? page.ending : ''
    splices.push({ start: last.next, end: last.next, text: apart + lines })
  }
  return spliced(text, splices)
}

/** Whether the roadmap can show that a hypothesis changed its phase. */
export function canMove(text: string, change: ReadmeChange): boolean {
  const page = parsePage(text)
  return moved(page, roadmap(page).find(change.matches), change.now.phase).length > 0
}

function moved(page: ParsedPage, entry: RoadmapEntry | undefined, phase: Phase): Splice[] {
  const target = phases(page).findLast((each) => each.phase === phase)
  if (entry === undefined || target === undefined) return []
  const { start, end } = entry.section
  const text = page.text.slice(start, end).trimEnd().replaceAll('\r\n', '\n')
  return [{ start, end, text: '' }, inserted(page, target.section.end, text)]
}

function cell({ start, end }: Cell, text: string): Splice {
  return { start, end, text: cellText(text) }
}

function cellText(text: string): string {
  return oneLine(text).replaceAll('|', '\\|')
}

function statusRows(page: ParsedPage): StatusRow[] {
  return page.tables.flatMap(([header, , ...rows]) => {
    const column = (name: RegExp) => (header?.cells ?? []).findIndex(({ text }) => name.test(text))
    const [hypothesis, status] = [column(/hypothes[ie]s|^id$|^#$/i), column(/^\W*status/i)]
    if (hypothesis === -1 || status === -1) return []
    const [priority, confidence] = [column(/^\W*priority/i), column(/^\W*confidence/i)]
    return rows.flatMap((row): StatusRow[] => {
      const named = NAMED.exec(row.cells[hypothesis]?.text ?? '')
      if (named === null) return []
      // Where the name has a column of its own, that tells two of the same number apart.
      const title = named[2]?.trim() || (row.cells[hypothesis + 1]?.text ?? '')
      return [
        {
          number: numberText(named[1]),
          title,
          row,
          priority: row.cells[priority],
          status: row.cells[status],
          confidence: row.cells[confidence],
        },
      ]
    })
  })
}

function statusTable(page: ParsedPage): readonly Row[] | undefined {
  return page.tables.find(([first]) => first?.cells.some(({ text }) => /^\W*status/i.test(text)))
}

function rowText(page: ParsedPage, { id, title, priority, status, statusNote, confidence }: Hypothesis): string {
  const header = statusTable(page)?.[0]
  const cells = (header?.cells ?? []).map(({ text }) => {
    if (/hypothes[ie]s|^id$|^#$/i.test(text)) return `${/^H\d+/.exec(id)?.[0] ?? id}: ${title}`
    if (/^\W*status/i.test(text)) return writeStatus(status, statusNote, '✅')
    if (/^\W*priority/i.test(text)) return priority.toUpperCase()
    if (/^\W*confidence/i.test(text)) return writeConfidence(confidence, 'High')
    return ''
  })
  return `| ${cells.map(cellText).join(' | ')} |`
}

function phases(page: ParsedPage): { phase: Phase; section: Section }[] {
  return page.sections.flatMap((section): { phase: Phase; section: Section }[] => {
    const number = /^\W*phase\s+(\d)\b/i.exec(section.title)?.[1]
    if (number === '1' || number === '2' || number === '3') return [{ phase: number, section }]
    return /^\W*later\b/i.test(section.title) ? [{ phase: 'later', section }] : []
  })
}

function roadmap(page: ParsedPage): RoadmapEntry[] {
  return phases(page).flatMap(({ phase, section: outer }) =>
    page.sections.flatMap((section): RoadmapEntry[] => {
      if (section.start < outer.body || section.start >= outer.end) return []
      const named = NAMED.exec(section.title)
      if (named === null) return []
      return [{ number: numberText(named[1]), title: named[2]?.trim() ?? '', phase, section }]
    }),
  )
}

function numberText(digits = ''): string {
  return `H${digits.padStart(2, '0')}`
}
