import { showRollouts } from '../../commands/go.ts'
import { openSources } from '../../data/dump.ts'
import { compareWith } from '../../data/second.ts'
import { useFiles } from '../../state/files.ts'
import type { Behind } from '../../state/query-text.ts'
import { useSecond } from '../../state/second.ts'
import { show } from '../../state/view.ts'

/** Opens the second run and compares it with what was open, so that every screen is about the other of the two. */
export function swapRuns(): Promise<void> {
  return swapAnd(() => show('compare'))
}

/** Opens the second run on what is behind one of its numbers, and compares it with what was open. */
export function showInSecond(behind: Behind): Promise<void> {
  return swapAnd(() => showRollouts(behind))
}

async function swapAnd(lookAt: () => void): Promise<void> {
  const { sources, options } = useFiles.getState()
  const { chosen } = useSecond.getState()
  if (chosen === null) return
  if (!(await openSources(chosen, { options }))) return
  lookAt()
  await compareWith(sources)
}
