import type { Report } from '../../shared/model/report.ts'
import type { Row } from '../../shared/session/protocol.ts'
import { showCheck, type View } from '../state/view.ts'
import { shownId } from '../text/visible.ts'
import type { Command } from './command.ts'
import { openRollout, showRollouts } from './go.ts'
import { SECTIONS } from './sections.ts'

export interface EntryGroup {
  readonly title: string
  readonly entries: readonly Command[]
}

/** More of one kind than this are found by more letters. */
const MOST_FOUND = 8
const LONGEST_ID = 120

/** Whether every word stands in the text, in any case. */
export function fits(words: readonly string[], text: string): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

/** What a command is found by. */
export function searchedText({ title, also = '' }: Command): string {
  return `${title} ${also}`
}

/** Commands of other views than the one on screen: `go` shows the first view that a command works in, and gives it there. */
export function commandsElsewhere(
  commands: readonly Command[],
  view: View,
  go: (view: View, command: Command) => void,
): EntryGroup[] {
  const entries = commands.flatMap((command): Command[] => {
    const { where } = command
    const first = Array.isArray(where) && !where.includes(view) ? (where as readonly View[])[0] : undefined
    return first === undefined ? [] : [{ ...command, run: () => go(first, command) }]
  })
  return entries.length === 0 ? [] : [{ title: 'In another view', entries }]
}

/** Those given last first, then those of the view on screen, then the rest. Each command stands once. */
export function groupCommands(commands: readonly Command[], recent: readonly string[], view: View): EntryGroup[] {
  const given = recent.flatMap((id) => commands.find((command) => command.id === id) ?? [])
  const placed = new Set(given)
  const sections = [...SECTIONS].sort((a, b) => Number(b.view === view) - Number(a.view === view))
  const groups = sections.map(({ title, has }): EntryGroup => {
    const entries = commands.filter((command) => !placed.has(command) && has(command))
    for (const command of entries) placed.add(command)
    return { title, entries }
  })
  return [{ title: 'Recent', entries: given }, ...groups].filter(({ entries }) => entries.length > 0)
}

/** Checks, by code or words, whose page is opened, and defects that were found, whose rollouts are. */
export function foundInReport(report: Report | null, words: readonly string[]): EntryGroup[] {
  if (report === null) return []
  const checks = report.checks.filter(({ code, title }) => fits(words, `${code} ${title}`))
  const defects = report.defects.filter(({ id, title }) => fits(words, `${id} ${title}`))
  const groups: EntryGroup[] = [
    {
      title: 'Defects of this dump',
      entries: defects.slice(0, MOST_FOUND).map((defect) => ({
        id: `defect-${defect.id}`,
        title: `${defect.id} ${defect.title}: show its rollouts`,
        keys: [],
        run: () => showRollouts({ codes: defect.checks }),
      })),
    },
    {
      title: 'Checks',
      entries: checks.slice(0, MOST_FOUND).flatMap(({ code, title, affected, intended }): Command[] => [
        {
          id: `check-${code}`,
          title: `${code} ${title}: what it is`,
          keys: [],
          run: () => showCheck(code),
        },
        ...(affected + intended === 0
          ? []
          : [
              {
                id: `rollouts-${code}`,
                title: `${code} ${title}: show its rollouts`,
                keys: [],
                run: () => showRollouts({ codes: [code] }),
              },
            ]),
      ]),
    },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

export function foundRollouts(rows: readonly Row[]): EntryGroup[] {
  if (rows.length === 0) return []
  const entries = rows.map(
    ({ index, facts }): Command => ({
      id: `rollout-${index}`,
      title: `Open rollout ${shownId(facts.id, LONGEST_ID)}`,
      keys: [],
      run: () => openRollout(index),
    }),
  )
  return [{ title: 'Rollouts', entries }]
}
