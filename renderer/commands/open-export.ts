import { list } from '../data/list.ts'
import { type ExportSubject, useExporting } from '../state/exporting.ts'
import { useFiles } from '../state/files.ts'
import { describeFilters, isFiltered, useFilters } from '../state/filters.ts'
import { useMarks } from '../state/marks.ts'
import { useSelection } from '../state/selection.ts'
import { openDialog, useView } from '../state/view.ts'
import { groupSubjects } from '../views/groups/export-subjects.ts'
import { selectedInSight } from './at-cursor.ts'

/**
 * Asks how rollouts are to be exported. Chosen to begin with is what is named; else what the view is about, what is flagged, or what
 * the table shows.
 */
export function openExport(first?: string): void {
  const ofView = useView.getState().view === 'groups' ? groupSubjects() : []
  const nearest = ofView[0]?.id ?? (useMarks.getState().here.length > 0 ? 'flagged' : 'shown')
  offer(ofView, { first: first ?? nearest, repairs: false })
}

/** Asks the same of certain rollouts, whose masks are to be repaired. */
export function openRepairedExport(subject: ExportSubject): void {
  offer([subject], { first: subject.id, repairs: true })
}

/**
 * Opens the dialog. While it is open its counts stay those of the window behind it: a flag may land in it, from the key before this one
 * or from another window, and more of a run may be read.
 */
function offer(own: readonly ExportSubject[], how: { readonly first: string; readonly repairs: boolean }): void {
  const renew = () => useExporting.setState({ subjects: [...own, ...rolloutSubjects()] })
  renew()
  useExporting.setState(how)
  openDialog('export')
  const stops = [
    useMarks.subscribe((now, before) => now.here !== before.here && renew()),
    useFiles.subscribe((now, before) => now.rollouts !== before.rollouts && renew()),
    list.subscribe(renew),
    useView.subscribe(({ dialog }) => {
      if (dialog !== 'export') for (const stop of stops) stop()
    }),
  ]
}

function rolloutSubjects(): ExportSubject[] {
  const filters = useFilters.getState()
  const shown = list.get()
  const flagged = useMarks.getState().here
  const all = useFiles.getState().rollouts
  const { second } = useSelection.getState()
  const selected = selectedInSight()
  const why = describeFilters(filters)
  return [
    {
      id: 'flagged',
      title: 'Flagged rollouts',
      says: flagged.length === 0 ? '(none yet: f flags one)' : null,
      rollouts: flagged.length,
      why: 'flagged',
      indices: () => flagged,
    },
    ...(isFiltered(filters)
      ? [
          {
            id: 'shown',
            title: 'What the table shows',
            says: why,
            rollouts: shown.length,
            why,
            indices: () => shown,
          },
        ]
      : []),
    ...(selected === null || second !== null
      ? []
      : [
          {
            id: 'selected',
            title: 'The selected rollout',
            says: null,
            rollouts: 1,
            why: 'selected',
            indices: () => [selected],
          },
        ]),
    {
      id: isFiltered(filters) ? 'all' : 'shown',
      title: 'All rollouts',
      says: null,
      rollouts: all,
      why: 'all rollouts',
      indices: () => Int32Array.from({ length: all }, (_, index) => index),
    },
  ]
}
