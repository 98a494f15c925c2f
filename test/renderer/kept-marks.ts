import { useFiles } from '../../renderer/state/files.ts'
import { useMarks } from '../../renderer/state/marks.ts'
import { useView } from '../../renderer/state/view.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'

/** As much of a rollout as marks are kept by. */
export function facts(recordHash: string, part = 0): TrajectoryFacts {
  return { id: `${recordHash}.${part}`, recordHash, place: { source: 0, record: 0, part } } as TrajectoryFacts
}

export const problems = () => useFiles.getState().problems
export const said = () => useView.getState().notice.text

/** The marks that the page has, in one order. */
export function kept() {
  const { flagged, labels, notes } = useMarks.getState()
  return { flagged: [...flagged].sort(), labels: [...labels].sort(), notes: [...notes].sort() }
}
