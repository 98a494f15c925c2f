import { sentenceOf } from '../engine/client.ts'
import { tellEngine } from '../engine/engine.ts'
import { addHappened, addProblem, useFiles } from '../state/files.ts'
import { during } from '../state/under-way.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { handlesOf } from './dropped.ts'
import { readFollowing } from './dump.ts'

/** Follows the open run while it is written, or ends that. */
export async function toggleFollow(): Promise<void> {
  const { phase, following, sources } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return
  try {
    const toggled = handlesOf(sources).then((handles) => readFollowing(!following, handles))
    if (following) await endFollowing(toggled)
    else if (await during('Looking at the files, to follow them', () => toggled))
      say('Followed: new rollouts appear as they are written')
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

/** What was written until now is read first, unless a person does not wait for it. */
async function endFollowing(ended: Promise<boolean>): Promise<void> {
  let stopped = Promise.resolve(true)
  const stop = () => {
    stopped = tellEngine('stopReading', {}).then(
      ({ isWhole }) => isWhole,
      () => true,
    )
  }
  // Its judging, which comes after that, is told where reading is.
  await during('Reading what was written until now', () => Promise.race([ended, noLongerFollowed()]), { stop })
  if (!(await ended)) return
  if (!(await stopped)) {
    const { rollouts } = useFiles.getState()
    addHappened(
      `Reading was stopped: of what was written, ${counted(rollouts, 'rollout')} were read. Open the files again to read all of it.`,
    )
  }
  say(useFiles.getState().judgingStopped ? 'No longer followed' : 'No longer followed; judged as it stands')
}

function noLongerFollowed(): Promise<void> {
  return new Promise((resolve) => {
    const look = ({ following }: { following: boolean }) => {
      if (following) return
      stopLooking()
      resolve()
    }
    const stopLooking = useFiles.subscribe(look)
    look(useFiles.getState())
  })
}
