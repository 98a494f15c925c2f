import { lostFiles } from '../../shared/model/lost-files.ts'
import type { Report } from '../../shared/model/report.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask, tellEngine } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { refreshDetails } from './details.ts'
import { findMarksHere } from './marks.ts'
import { forgetRows } from './rows.ts'
import { MOST_NAMED, sayUnreadable } from './unreadable.ts'

/** Set while all is read and the report of it is still to come. */
let judging: AbortController | null = null

/**
 * Everything has been read, or reading broke off; the last report says which. Where a person does not wait for it, what was read is
 * open under the report that was drawn before.
 *
 * @param isStill nothing else was opened meanwhile
 */
export async function takeVerdicts(isStill: () => boolean): Promise<void> {
  // Whoever did not wait while the last was read asks for the report that stands.
  if (useFiles.getState().judgingStopped) {
    await showAsRead()
    return takeHashes(isStill)
  }
  const own = new AbortController()
  judging = own
  try {
    const report = await ask('report', {}, own.signal)
    if (isStill() && useFiles.getState().phase === 'reading') {
      useFiles.setState({ report })
      await showAsRead()
      void takeHashes(isStill)
      sayUnreadable(lostFiles(report), MOST_NAMED, ' “Skipped” at the bottom of the window lists each with its reason.')
    }
  } catch (error) {
    if (!isStill() || (error instanceof Cancelled && !own.signal.aborted)) return
    if (!own.signal.aborted) {
      addProblem(sentenceOf(error))
      useFiles.setState({ readingFailed: sentenceOf(error) })
    }
    // What was read until then is all there is, and more than was asked about last.
    await showAsRead()
  } finally {
    if (judging === own) judging = null
  }
}

/** What files hash to may come later than all else; nothing else changes by it. */
async function takeHashes(isStill: () => boolean): Promise<void> {
  if (!lacksHashes(useFiles.getState().report?.sources ?? [])) return
  useFiles.setState({ hashing: true })
  try {
    const sources = await ask('hashedSources', {})
    if (isStill()) useFiles.setState(({ report }) => ({ hashing: false, report: report && { ...report, sources } }))
  } catch {
    // Reading broke off, and no hash comes any more.
    if (isStill()) useFiles.setState({ hashing: false })
  }
}

/** Some file was read whose hash is not there. */
export function lacksHashes(sources: Report['sources']): boolean {
  return sources.some(({ sha256, unreadable }) => sha256 === null && unreadable === undefined)
}

/** Findings that need the whole dump are known only now, so what was kept until here may lack them. */
async function showAsRead(): Promise<void> {
  forgetRows()
  refreshDetails()
  useFiles.setState(({ revision }) => ({ revision: revision + 1, phase: 'open', rate: null }))
  await findMarksHere()
}

/**
 * Leaves what was read open under the verdicts that were drawn last, and the engine judges no further. Where it has none that speak of what
 * was read it judges on, and that is what the page tells.
 *
 * @param isStill nothing else was opened meanwhile
 */
export async function leaveJudging(isStill: () => boolean): Promise<void> {
  try {
    const { report, isWhole } = await tellEngine('stopJudging', {})
    if (!isStill()) return
    forgetRows()
    refreshDetails()
    useFiles.setState(({ revision }) => ({ report, revision: revision + 1, judgingStopped: !isWhole }))
    judging?.abort()
  } catch (error) {
    if (!(error instanceof Cancelled) && isStill()) addProblem(sentenceOf(error))
  }
}

/**
 * The engine gave an answer that rests on verdicts on everything. Where a person had not waited for those they were drawn for it, so they
 * are what the page shows from now on.
 */
export async function takeJudgedMeanwhile(): Promise<void> {
  const isLeft = () => {
    const { phase, judgingStopped } = useFiles.getState()
    return phase === 'open' && judgingStopped
  }
  if (!isLeft()) return
  const { dumpHash } = useFiles.getState()
  try {
    const report = await ask('report', {})
    if (!isLeft() || useFiles.getState().dumpHash !== dumpHash) return
    forgetRows()
    refreshDetails()
    useFiles.setState(({ revision }) => ({ report, revision: revision + 1, judgingStopped: false }))
  } catch {
    // The verdicts that stand are told to be of a part.
  }
}
