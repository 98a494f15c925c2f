import { openSources } from '../../data/dump.ts'
import { compareWith } from '../../data/second.ts'
import { useFiles } from '../../state/files.ts'
import { useSecond } from '../../state/second.ts'
import { show } from '../../state/view.ts'

/** Opens the second run and compares it with what was open, so that every screen is about the other of the two. */
export async function swapRuns(): Promise<void> {
  const { sources, options } = useFiles.getState()
  const { chosen } = useSecond.getState()
  if (chosen === null) return
  if (!(await openSources(chosen, { options }))) return
  show('compare')
  await compareWith(sources)
}
