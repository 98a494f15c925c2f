import { sentenceOf } from '../engine/client.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { during } from '../state/under-way.ts'
import { say } from '../state/view.ts'
import { handlesOf } from './dropped.ts'
import { readFollowing } from './dump.ts'

/** Follows the open run while it is written, or ends that. */
export async function toggleFollow(): Promise<void> {
  const { phase, following, sources } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return
  try {
    const words = following ? 'Reading what was written until now' : 'Looking at the files, to follow them'
    if (!(await during(words, async () => readFollowing(!following, await handlesOf(sources))))) return
    say(following ? 'No longer followed; judged as it stands' : 'Followed: new rollouts appear as they are written')
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}
