import type { ComparedRun, Progress, SourceInput } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { forgetKeptOfCompare } from '../state/kept.ts'
import { NO_SECOND, useSecond } from '../state/second.ts'
import { say, useView } from '../state/view.ts'
import { runName } from '../text/run-name.ts'
import { forgetSecondDetails } from './details.ts'
import { lacksHashes } from './judging.ts'
import { MOST_NAMED, sayUnreadable } from './unreadable.ts'

/** Takes back all that is asked for, once the engine begins anew or has no second run. */
let asked = new AbortController()
/** Calls are counted. The last one of all, and whether its run is still being read. */
let latest = 0
let isReading = false
/** What the engine judges the open run beside, and by which call; another one may be on its way. */
let judged: typeof NO_SECOND = NO_SECOND
let judgedBy = 0

/** Reads a second run and judges the open one beside it. What was compared with before stays where the new one cannot be read. */
export async function compareWith(sources: readonly SourceInput[]): Promise<void> {
  const { signal } = asked
  const call = ++latest
  isReading = true
  useSecond.setState({ ...NO_SECOND, chosen: sources })
  try {
    const { report, second } = await ask('compare', { sources }, signal)
    if (signal.aborted || call < judgedBy) return
    judgedBy = call
    judged = { ...NO_SECOND, chosen: sources, run: second }
    forgetSecondDetails()
    forgetKeptOfCompare()
    useFiles.setState({ report, judgingStopped: false, readingFailed: null })
    // The engine was done with it before it heard of the next one. Where that cannot be read, this one stays.
    if (call !== latest) return
    isReading = false
    useSecond.setState(judged)
    if (second !== null) void takeHashes(second, signal)
    sayUnreadable(second?.unreadable ?? [], MOST_NAMED, ' They are of the second run.')
    say(`Judged beside ${runName(sources)}${useView.getState().view === 'compare' ? '' : '. 5 lays both side by side'}`)
  } catch (error) {
    if (error instanceof Cancelled || signal.aborted || call !== latest) return
    isReading = false
    useSecond.setState(judged)
    addProblem(sentenceOf(error))
  }
}

/** What files hash to may come later than all else. */
async function takeHashes(run: ComparedRun, signal: AbortSignal): Promise<void> {
  if (!lacksHashes(run.sources)) return
  const isStill = () => useSecond.getState().run === run
  useSecond.setState({ hashing: true })
  const sources = await ask('hashedSources', { run: 'second' }, signal).catch(() => run.sources)
  if (judged.run === run) judged = { ...judged, run: { ...run, sources } }
  if (isStill()) useSecond.setState({ hashing: false, run: { ...run, sources } })
}

/** Judges the open run by itself again. */
export async function takeSecondAway(): Promise<void> {
  forgetSecond()
  try {
    const { report } = await ask('compare', { sources: null })
    if (useSecond.getState().chosen === null) useFiles.setState({ report, judgingStopped: false, readingFailed: null })
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
}

/** The engine begins anew and has no second run; gives what was chosen, for it to be read again. */
export function forgetSecond(): readonly SourceInput[] | null {
  const { chosen } = useSecond.getState()
  asked.abort()
  asked = new AbortController()
  isReading = false
  judged = NO_SECOND
  forgetSecondDetails()
  forgetKeptOfCompare()
  useSecond.setState(judged)
  return chosen
}

/** Takes in how far reading the second run is. */
export function followSecond(progress: Progress): void {
  if (isReading) useSecond.setState({ progress })
}
