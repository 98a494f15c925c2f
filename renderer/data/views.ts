import type { SortColumn } from '../../shared/session/protocol.ts'
import { columnsFrom, useColumns } from '../state/columns.ts'
import { addProblem } from '../state/files.ts'
import { useFilters } from '../state/filters.ts'
import { say } from '../state/view.ts'
import { chooseColumns } from './columns.ts'
import { database, type InspectorDatabase, type SavedView } from './database.ts'
import { whyNot } from './marks.ts'
import { observable } from './observable.ts'

export const LONGEST_VIEW_NAME = 60

/** Ways to look at the table that a person gave a name, sorted by it. */
export const savedViews = observable<readonly SavedView[]>([])

export async function loadViews(from: InspectorDatabase = database): Promise<void> {
  try {
    savedViews.set(sorted(await from.views.toArray()))
  } catch {
    // Marks say that nothing can be kept here.
  }
}

/** Keeps query, columns and order of the table under a name, in place of what had this name before. */
export async function saveView(typed: string, into: InspectorDatabase = database): Promise<void> {
  const name = typed.replace(/\s+/g, ' ').trim().slice(0, LONGEST_VIEW_NAME)
  if (name === '') return
  const { query, sort, descending } = useFilters.getState()
  const view = {
    name,
    query,
    sort,
    descending,
    columns: useColumns.getState().shown,
    savedAt: new Date().toISOString(),
  }
  savedViews.set(sorted([...savedViews.get().filter((other) => other.name !== name), view]))
  try {
    await into.views.put(view)
    say(`View “${name}” kept`)
  } catch (error) {
    addProblem(`The view could not be saved: ${whyNot(error)} It lasts until this window is closed.`)
  }
}

/** Shows the table as it was when the view was kept. */
export async function openView(view: SavedView, into: InspectorDatabase = database): Promise<void> {
  // Kept by another version, or by hand: an order that the engine does not know it says so about.
  useFilters.setState({ query: view.query, sort: view.sort as SortColumn, descending: view.descending })
  await chooseColumns(columnsFrom(view.columns) ?? useColumns.getState().shown, into)
}

export async function removeView(name: string, from: InspectorDatabase = database): Promise<void> {
  savedViews.set(savedViews.get().filter((other) => other.name !== name))
  try {
    await from.views.delete(name)
    say(`View “${name}” removed`)
  } catch (error) {
    addProblem(`The view could not be removed: ${whyNot(error)}`)
  }
}

function sorted(views: readonly SavedView[]): readonly SavedView[] {
  return [...views].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}
