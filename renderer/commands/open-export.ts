import { list } from '../data/list.ts'
import { type ExportSubject, useExporting } from '../state/exporting.ts'
import { useFiles } from '../state/files.ts'
import { describeFilters, isFiltered, useFilters } from '../state/filters.ts'
import { useMarks } from '../state/marks.ts'
import { useSelection } from '../state/selection.ts'
import { openDialog, useView } from '../state/view.ts'
import { groupSubjects } from '../views/groups/export-subjects.ts'

/**
 * Asks how rollouts are to be exported. Chosen to begin with is what is named; else what the view is about, what is flagged, or what
 * the table shows.
 */
export function openExport(first?: string): void {
  const ofView = useView.getState().view === 'groups' ? groupSubjects() : []
  const subjects = [...ofView, ...rolloutSubjects()]
  const nearest = ofView[0]?.id ?? (useMarks.getState().here.length > 0 ? 'flagged' : 'shown')
  useExporting.setState({ subjects, first: first ?? nearest, repairs: false })
  openDialog('export')
}

/** Asks the same of certain rollouts, whose masks are to be repaired. */
export function openRepairedExport(subject: ExportSubject): void {
  useExporting.setState({ subjects: [subject, ...rolloutSubjects()], first: subject.id, repairs: true })
  openDialog('export')
}

function rolloutSubjects(): ExportSubject[] {
  const filters = useFilters.getState()
  const shown = list.get()
  const flagged = useMarks.getState().here
  const all = useFiles.getState().rollouts
  const { rollout, second } = useSelection.getState()
  const why = describeFilters(filters)
  return [
    {
      id: 'flagged',
      title: 'Flagged rollouts',
      says: flagged.length === 0 ? 'none yet: f flags one' : null,
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
    ...(rollout === null || second !== null
      ? []
      : [
          {
            id: 'selected',
            title: 'The selected rollout',
            says: null,
            rollouts: 1,
            why: 'selected',
            indices: () => [rollout],
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
