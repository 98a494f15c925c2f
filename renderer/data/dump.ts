import type { AuditOptions } from '../../shared/model/policy.ts'
import { describedAlone, hasNumbers } from '../../shared/session/opening/described-alone.ts'
import type { OpenedDump, Progress, SourceInput } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import {
  abandonEngine,
  ask,
  closeInEngine,
  onEngineProgress,
  onEngineSlower,
  onEngineStop,
  openInEngine,
  startEngine,
} from '../engine/engine.ts'
import { addHappened, addProblem, dismissProblem, type FilesState, openNothing, useFiles } from '../state/files.ts'
import { NO_FILTERS, useFilters } from '../state/filters.ts'
import { forgetKept } from '../state/kept.ts'
import { addUnmapped } from '../state/mapping.ts'
import { forgetPlaces } from '../state/place.ts'
import { useSecond } from '../state/second.ts'
import { NOTHING_SELECTED, useSelection } from '../state/selection.ts'
import { keepTokenPlace } from '../state/token-place.ts'
import { during } from '../state/under-way.ts'
import { say, useView } from '../state/view.ts'
import { forgetDetails } from './details.ts'
import { followSelected } from './follow-selected.ts'
import { leaveJudging, takeVerdicts } from './judging.ts'
import { findMarksHere, forgetPlacesOfMarks } from './marks.ts'
import { beginRefresh, endRefresh, READ_ANEW, rateOf, startClock } from './reading-clock.ts'
import { rememberSources } from './recent.ts'
import { forgetRows } from './rows.ts'
import { compareWith, followSecond, forgetSecond } from './second.ts'
import { startTokenizer, type TokenizerTexts } from './tokenizers.ts'
import { MOST_NAMED, sayNothingReadable, sayUnreadable, unmappedOf } from './unreadable.ts'

const NOT_COMPARED = 'A run that is followed is not compared. End following, then compare it again.'

/** What the page shows was opened, or read again, by this; answers to an earlier one are dropped. */
let opening: symbol | null = null
/** What was asked last that puts something else in the place of what is open: what it overtook neither took effect nor failed. */
let asked: symbol | null = null
/** The files that were looked at last, to be opened in place of what is open. */
let lookedAt: symbol | null = null
/** The second run that is to be read again once what was asked last took effect. */
let beside: readonly SourceInput[] | null = null
/** The reading under other settings that began last. Settles with what became of it, and does not fail. */
let readingAgain: Promise<boolean> = Promise.resolve(true)
/** The settings under which something was opened last. */
let inForce: Pick<FilesState, 'options' | 'dataset'> = { options: {}, dataset: [] }

/** Opens files in place of what is open. Resolves when the first rollouts can be looked at, or nothing could be read. */
export async function openSources(
  sources: readonly SourceInput[],
  given: { options?: AuditOptions; tokenizer?: TokenizerTexts | null; dataset?: readonly SourceInput[] } = {},
): Promise<boolean> {
  if (useFiles.getState().phase === 'opening') abandonEngine()
  const run = Symbol('opening')
  const { options = {}, dataset = [] } = given
  const { phase } = useFiles.getState()
  lookedAt = run
  if ((phase === 'reading' || phase === 'open') && !(await areRollouts(run, sources, options))) return false
  opening = run
  asked = run
  beside = null
  forget()
  forgetSecond()
  forgetPlaces()
  forgetKept()
  keepTokenPlace(null)
  // Another dump is first of all to be judged.
  useView.setState({ view: 'verdicts', tab: 'tokens', dialog: null })
  openNothing({ phase: 'opening', sources, options, dataset })
  startClock()
  try {
    const tokenizer = given.tokenizer ? await usableTokenizer(given.tokenizer) : undefined
    const chosen = tokenizer === undefined ? options : { ...options, tokenizer }
    const opened = await openInEngine('open', { sources, options: chosen, dataset })
    if (opening !== run) return false
    useFiles.setState({ options: chosen })
    inForce = { options: chosen, dataset }
    const { sources: read, logs = [] } = opened.report
    if (read.every((source) => source.format === null) && !logs.some(hasNumbers)) {
      sayNothingReadable([...opened.unreadable, ...describedAlone(logs)], sources, chosen)
      closeDump()
      return false
    }
    addUnmapped(unmappedOf(opened.unreadable, sources, chosen))
    sayUnreadable(opened.unreadable, MOST_NAMED, ' Open “files” in the line above to see each with its reason.')
    takeOpened(opened)
    return true
  } catch (error) {
    if (opening !== run || error instanceof Cancelled) return false
    addProblem(sentenceOf(error))
    showNothing()
    return false
  }
}

function showNothing(): void {
  openNothing()
  // Nothing is told any more of what was read.
  void globalThis.window?.inspector?.setProgress(null)
}

/** What is open stays as it is where none of the files can be read, which is told. False there, and where other files were dropped meanwhile. */
async function areRollouts(run: symbol, sources: readonly SourceInput[], options: AuditOptions): Promise<boolean> {
  const looking = new AbortController()
  const stop = () => looking.abort()
  try {
    const look = () => ask('recognise', { sources, options }, looking.signal)
    const { isKnown, unreadable } = await during('Looking at the files', look, { stop })
    if (lookedAt !== run) return false
    if (!isKnown) sayNothingReadable(unreadable, sources, options)
    return isKnown
  } catch (error) {
    if (!(error instanceof Cancelled) && lookedAt === run) addProblem(sentenceOf(error))
    return false
  }
}

/** A tokenizer that is none costs a sentence, not the rollouts that were dropped with it. */
async function usableTokenizer(texts: TokenizerTexts): Promise<string | undefined> {
  try {
    return await startTokenizer(texts)
  } catch (error) {
    if (error instanceof Cancelled) throw error
    addProblem(sentenceOf(error))
    return undefined
  }
}

/** Reads the open dump again under other settings; a number that a person changed takes effect everywhere. False where they did not. */
export async function reconfigure(change: Partial<AuditOptions>): Promise<boolean> {
  const { options } = useFiles.getState()
  const isRead = await readAgain({ options: { ...options, ...change } })
  if (isRead) say('Read again under the new settings')
  return isRead
}

/** Reads the open dump again beside the dataset that its run was started with, or without one where none is given. */
export async function readWithDataset(dataset: readonly SourceInput[]): Promise<void> {
  const isRead = await readAgain({ dataset })
  if (isRead) say(dataset.length > 0 ? 'Read again beside the dataset' : 'Read again without a dataset')
}

/**
 * Reads the open dump again and follows it from then on, or ends that, where all that was read stays. Throws where it cannot be. False
 * where something else was asked meanwhile.
 */
export async function readFollowing(on: boolean, handles: readonly FileSystemHandle[]): Promise<boolean> {
  if (!(await sameOnceReadAgain())) return false
  if (!on) {
    const before = asked
    try {
      await openInEngine('follow', { on })
    } catch (error) {
      if (asked === before) throw error
    }
    return asked === before
  }
  const before = asked
  const run = Symbol('following')
  asked = run
  beside = forgetSecond() ?? beside
  try {
    const opened = await openInEngine('follow', { on, handles })
    if (asked !== run) return false
    opening = run
    forgetRows()
    forgetDetails()
    startClock()
    useFiles.setState({ ...READ_ANEW, following: true })
    takeOpened(opened)
    if (takeBeside() !== null) addProblem(NOT_COMPARED)
    return true
  } catch (error) {
    if (asked !== run) return false
    asked = before
    // Where the files cannot be followed, what is open stays open, and so does what it is compared with.
    compareAgain()
    throw error
  }
}

/** Waits for the reading under other settings that is under way: these are in force, or not, before the run is followed or no longer is. False where something else is open by then. */
async function sameOnceReadAgain(): Promise<boolean> {
  const { sources } = useFiles.getState()
  for (let waited: unknown = null; waited !== readingAgain; ) {
    waited = readingAgain
    await waited
  }
  const now = useFiles.getState()
  return now.sources === sources && (now.phase === 'reading' || now.phase === 'open')
}

function takeBeside(): readonly SourceInput[] | null {
  const second = beside
  beside = null
  return second
}

/** Reads the second run again that was let go of, unless another was chosen meanwhile. */
function compareAgain(): void {
  const second = takeBeside()
  if (second === null || useSecond.getState().chosen !== null) return
  if (useFiles.getState().following) addProblem(NOT_COMPARED)
  else void compareWith(second)
}

/** What a reading changes of what is open; the engine keeps a dataset that is not named. */
type Change = Partial<Pick<FilesState, 'options' | 'dataset'>>

/** Reads again under other settings, and says why where those are unusable; then what was in force before is read again. */
function readAgain(change: Change): Promise<boolean> {
  const { phase } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return Promise.resolve(false)
  readingAgain = readOrGoBack(change)
  return readingAgain
}

async function readOrGoBack(change: Change): Promise<boolean> {
  const run = Symbol('reading again')
  try {
    return await readUnder(run, change)
  } catch (error) {
    if (error instanceof Cancelled || asked !== run) return false
    addProblem(sentenceOf(error))
    // The engine let go of the dump before it found the new settings unusable.
    await readUnder(run, inForce).catch(() => {
      if (asked === run) closeDump()
    })
    return false
  }
}

/** False where something else was asked meanwhile. */
async function readUnder(run: symbol, change: Change): Promise<boolean> {
  opening = run
  asked = run
  beside = forgetSecond() ?? beside
  useFiles.setState({ ...READ_ANEW, ...change, phase: 'reading' })
  startClock()
  forgetRows()
  forgetDetails()
  const { options, dataset } = useFiles.getState()
  const opened = await openInEngine('reconfigure', { ...change, options })
  if (asked !== run) return false
  inForce = { options, dataset }
  takeOpened(opened)
  compareAgain()
  return true
}

/** Stops what is under way and goes back to the start page. */
export function closeDump(): void {
  const { phase } = useFiles.getState()
  opening = null
  asked = null
  lookedAt = null
  beside = null
  forget()
  forgetSecond()
  showNothing()
  useView.setState({ view: 'verdicts', dialog: null })
  // What is being read may be a page of hundreds of megabytes, which is decoded in one go: only an engine that ends leaves it at once.
  if (phase === 'opening' || phase === 'reading') {
    abandonEngine()
    startEngine()
  } else closeInEngine()
}

function tell(said: NonNullable<Progress['said']>): void {
  const { fault } = useFiles.getState()
  if (said.about === 'file') {
    // The file that the fault stood in may not have it any more; the verdicts tell whether it has.
    if (fault !== null) dismissProblem(fault.sentence)
    useFiles.setState({ fault: null })
    addHappened(said.sentence)
  } else {
    useFiles.setState({ fault: { sentence: said.sentence, code: said.code } })
    addProblem(said.sentence)
    say('The first fault at error level was written')
  }
}

/** Takes in what the engine tells of its reading, and that it stopped. Returns the unsubscriber. */
export function followEngine(): () => void {
  const stops = [onEngineProgress(takeProgress), onEngineSlower(addHappened), onEngineStop(letGoOfDump)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Another engine has nothing open, and could answer no question about what is on screen. */
function letGoOfDump(why: string): void {
  if (useFiles.getState().phase === 'empty') return
  addProblem(why)
  closeDump()
}

function takeProgress(progress: Progress): void {
  const { phase } = useFiles.getState()
  if (phase === 'empty') return
  if (progress.second) {
    followSecond(progress)
    return
  }
  if (progress.said !== undefined) {
    // It may come after the end of following, and says nothing of how far reading is.
    tell(progress.said)
    return
  }
  const following = progress.following === true
  useFiles.setState({
    progress,
    following,
    rate: rateOf(progress, useFiles.getState().rate),
    rollouts: progress.trajectories,
  })
  void globalThis.window?.inspector?.setProgress(shareOf(progress))
  if (phase === 'reading') void refresh(progress)
}

/** How far reading is; null where there is nothing left to be read, and of a followed run until something is written to it. */
function shareOf({ bytesRead, bytesTotal, done, following }: Progress): number | null {
  if (done || (following && bytesRead >= bytesTotal)) return null
  return bytesTotal > 0 ? bytesRead / bytesTotal : 0
}

async function refresh(progress: Progress): Promise<void> {
  if (progress.done) return finish()
  if (progress.trajectories === 0 || progress.concluding !== undefined) return
  const now = performance.now()
  if (!beginRefresh(progress, now)) return
  const run = opening
  const { report: before } = useFiles.getState()
  if (progress.following && before !== null && before.sources.length > 1) await followSelected().catch(() => undefined)
  if (run !== opening) return
  // Rows do not wait for the report, which takes longer the more has been read.
  useFiles.setState(({ revision }) => ({ revision: revision + 1 }))
  void findMarksHere()
  try {
    const report = await ask('report', {})
    if (run === opening && useFiles.getState().phase === 'reading') useFiles.setState({ report })
  } catch {
    // What stops the reading is told at its end; until then the last report stands.
  }
  if (run !== opening) return
  endRefresh(now)
}

function finish(): Promise<void> {
  const run = opening
  return takeVerdicts(() => run === opening)
}

/** Does not wait for verdicts on all that was read. */
export function stopJudging(): Promise<void> {
  const run = opening
  return leaveJudging(() => run === opening)
}

/** Judges all that was read after all. */
export async function judgeRest(): Promise<void> {
  const run = opening
  try {
    await ask('judgeOn', {})
  } catch (error) {
    if (run === opening && !(error instanceof Cancelled)) addProblem(sentenceOf(error))
    return
  }
  if (run !== opening || useFiles.getState().phase !== 'open') return
  useFiles.setState({ phase: 'reading', judgingStopped: false, readingFailed: null })
  await finish()
}

function takeOpened(opened: OpenedDump): void {
  useFiles.setState(({ revision }) => ({
    phase: 'reading',
    report: opened.report,
    unreadable: opened.unreadable,
    dumpHash: opened.dumpHash,
    revision: revision + 1,
  }))
  const { progress, sources } = useFiles.getState()
  rememberSources(sources, opened.dumpHash)
  if (progress !== null) void refresh(progress)
}

function forget(): void {
  forgetRows()
  forgetDetails()
  useFilters.setState(NO_FILTERS)
  useSelection.setState(NOTHING_SELECTED)
  forgetPlacesOfMarks()
}
