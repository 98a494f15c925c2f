import type { AuditOptions } from '../../shared/model/policy.ts'
import type { OpenedDump, Progress, SourceInput } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { abandonEngine, ask, onEngineProgress, openInEngine } from '../engine/engine.ts'
import { addHappened, addProblem, dismissProblem, openNothing, useFiles } from '../state/files.ts'
import { NO_FILTERS, useFilters } from '../state/filters.ts'
import { forgetKept } from '../state/kept.ts'
import { addUnmapped, sourceNamed, type Unmapped } from '../state/mapping.ts'
import { forgetPlaces } from '../state/place.ts'
import { useSecond } from '../state/second.ts'
import { NOTHING_SELECTED, useSelection } from '../state/selection.ts'
import { keepTokenPlace } from '../state/token-place.ts'
import { say, useView } from '../state/view.ts'
import { forgetDetails, refreshDetails } from './details.ts'
import { followSelected } from './follow-selected.ts'
import { findMarksHere, forgetPlacesOfMarks } from './marks.ts'
import { rememberOpened } from './recent.ts'
import { forgetRows } from './rows.ts'
import { compareWith, followSecond, forgetSecond } from './second.ts'
import { startTokenizer, type TokenizerTexts } from './tokenizers.ts'
import { MOST_NAMED, sayUnreadable } from './unreadable.ts'

/** While a dump is read, tables are asked again at most this often (milliseconds). */
const REFRESH_EVERY = 1000
/** … and so seldom that telling takes at most one part in this many of the time. */
const REFRESH_SHARE = 5
/** Where nothing could be read there is no such list, and more of them are named. */
const MOST_NAMED_ALONE = 20
/** Weight of the newest sample in the smoothed rate. */
const RATE_SMOOTHING = 0.3

/** The opening that the page shows; answers to an earlier one are dropped. */
let opening: symbol | null = null
let clock = { at: 0, bytes: 0, refreshed: 0, pause: REFRESH_EVERY, shown: '' }

/** Opens files in place of what is open. Resolves when the first rollouts can be looked at, or nothing could be read. */
export async function openSources(
  sources: readonly SourceInput[],
  given: { options?: AuditOptions; tokenizer?: TokenizerTexts | null; dataset?: readonly SourceInput[] } = {},
): Promise<boolean> {
  if (useFiles.getState().phase === 'opening') abandonEngine()
  const run = Symbol('opening')
  opening = run
  const { options = {}, dataset = [] } = given
  const before = whatIsOpen()
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
    addUnmapped(unmappedOf(opened.unreadable, sources, chosen))
    const { sources: read, logs = [] } = opened.report
    if (read.every((source) => source.format === null) && logs.length === 0) {
      sayUnreadable(opened.unreadable, MOST_NAMED_ALONE, '')
      if (opened.unreadable.length === 0)
        addProblem('Nothing in these files could be read as rollouts. Drop the files that the run wrote.')
      await (before?.openAgain() ?? closeDump())
      return false
    }
    sayUnreadable(opened.unreadable, MOST_NAMED, ' Open “files” in the line above to see each with its reason.')
    takeOpened(opened)
    if (sources.every((source) => source.kind === 'file'))
      void rememberOpened({
        dumpHash: opened.dumpHash,
        names: sources.map((source) => source.name),
        size: sources.reduce((sum, source) => sum + sizeOf(source), 0),
        openedAt: new Date().toISOString(),
      })
    return true
  } catch (error) {
    if (opening !== run || error instanceof Cancelled) return false
    addProblem(sentenceOf(error))
    openNothing()
    return false
  }
}

/** Files whose fields a person may map. */
function unmappedOf(
  unreadable: OpenedDump['unreadable'],
  sources: readonly SourceInput[],
  options: AuditOptions,
): Unmapped[] {
  return unreadable.flatMap(({ name, code, message }) => {
    const source = sourceNamed(sources, name)
    return code !== 'unknown-format' || source === undefined ? [] : [{ name, message, source, sources, options }]
  })
}

/** The way back to what is open, for files that turn out to be no rollouts; null where nothing is open. */
function whatIsOpen(): { openAgain(): Promise<void> } | null {
  const { phase, sources, options, dataset } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return null
  const { view, tab } = useView.getState()
  const { chosen } = useSecond.getState()
  return {
    async openAgain() {
      if (!(await openSources(sources, { options, dataset }))) return
      useView.setState({ view: view === 'rollout' ? 'rollouts' : view, tab })
      if (chosen !== null) void compareWith(chosen)
    },
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

/** Reads the open dump again under other settings; a number that a person changed takes effect everywhere. */
export async function reconfigure(change: Partial<AuditOptions>): Promise<void> {
  const { phase, options: before } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return
  try {
    await readAgain({ ...before, ...change })
    say('Read again under the new settings')
  } catch (error) {
    if (error instanceof Cancelled) return
    addProblem(sentenceOf(error))
    // The engine let go of the dump before it found the new settings unusable.
    await readAgain(before).catch(closeDump)
  }
}

/** Reads the open dump again beside the dataset that its run was started with, or without one where none is given. */
export async function readWithDataset(dataset: readonly SourceInput[]): Promise<void> {
  const { phase, options, dataset: before } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return
  try {
    await readAgain(options, dataset)
    say(dataset.length > 0 ? 'Read again beside the dataset' : 'Read again without a dataset')
  } catch (error) {
    if (error instanceof Cancelled) return
    addProblem(sentenceOf(error))
    await readAgain(options, before).catch(closeDump)
  }
}

/** Reads the open dump again and follows it from then on, or ends that, where all that was read stays. Throws where it cannot be. */
export async function readFollowing(on: boolean, handles: readonly FileSystemHandle[]): Promise<void> {
  const run = opening
  if (!on) {
    await openInEngine('follow', { on })
    return
  }
  const second = forgetSecond()
  const opened = await openInEngine('follow', { on, handles })
  if (run !== opening) return
  forgetRows()
  forgetDetails()
  startClock()
  useFiles.setState({ following: true, progress: null, rate: null, rollouts: 0 })
  takeOpened(opened)
  if (second !== null) addProblem('A run that is followed is not compared. End following, then compare it again.')
}

/** @param given the dataset to read it with; absent = the engine keeps the one it has */
async function readAgain(options: AuditOptions, given?: readonly SourceInput[]): Promise<void> {
  const run = opening
  const { sources, dataset: before } = useFiles.getState()
  const dataset = given ?? before
  useFiles.setState({ options, dataset, phase: 'reading', progress: null, rate: null, rollouts: 0 })
  startClock()
  forgetRows()
  forgetDetails()
  const second = forgetSecond()
  const opened = await (given === undefined
    ? openInEngine('reconfigure', { options })
    : openInEngine('open', { sources, options, dataset }))
  if (run !== opening) return
  takeOpened(opened)
  if (second !== null) void compareWith(second)
}

/** Stops what is under way and goes back to the start page. */
export async function closeDump(): Promise<void> {
  const { phase } = useFiles.getState()
  opening = null
  forget()
  forgetSecond()
  openNothing()
  useView.setState({ view: 'verdicts', dialog: null })
  if (phase === 'opening') abandonEngine()
  else await ask('close', {}).catch(() => undefined)
}

/** The sentence about the first fault of a run that is followed, as long as it is known to stand in its files. */
let toldFault: string | null = null

function tell({ about, sentence }: NonNullable<Progress['said']>): void {
  if (about === 'file') {
    // The file that the fault stood in may not have it any more; the verdicts tell whether it has.
    if (toldFault !== null) dismissProblem(toldFault)
    toldFault = null
    addHappened(sentence)
  } else {
    toldFault = sentence
    addProblem(sentence)
    say('The first fault at error level was written')
  }
}

/** Takes in what the engine tells of its reading. Returns the unsubscriber. */
export function followProgress(): () => void {
  return onEngineProgress((progress) => {
    const { phase } = useFiles.getState()
    if (phase === 'empty') return
    if (progress.second) return followSecond(progress)
    if (progress.said !== undefined) {
      tell(progress.said)
    }
    const following = progress.following === true
    useFiles.setState({ progress, following, rate: rateOf(progress), rollouts: progress.trajectories })
    const fraction = progress.bytesTotal > 0 ? progress.bytesRead / progress.bytesTotal : 0
    void window.inspector?.setProgress(progress.done ? null : fraction)
    if (phase === 'reading') void refresh(progress)
  })
}

async function refresh(progress: Progress): Promise<void> {
  if (progress.done) return finish()
  if (progress.trajectories === 0 || progress.concluding !== undefined) return
  const now = performance.now()
  const isFirst = clock.refreshed === 0
  if (!isFirst && now - clock.refreshed < clock.pause) return
  // A followed run says that it is there even while nothing is written to it.
  const shown = `${progress.bytesRead} ${progress.trajectories} ${progress.skipped}`
  if (!isFirst && progress.following && shown === clock.shown) return
  clock.refreshed = now
  clock.pause = Number.POSITIVE_INFINITY
  clock.shown = shown
  const run = opening
  const { report: before } = useFiles.getState()
  if (progress.following && before !== null && before.sources.length > 1) await followSelected().catch(() => undefined)
  if (run !== opening) return
  // Rows do not wait for the report, which takes longer the more has been read.
  useFiles.setState(({ revision }) => ({ revision: revision + 1 }))
  try {
    const report = await ask('report', {})
    if (run === opening && useFiles.getState().phase === 'reading') useFiles.setState({ report })
  } catch {
    // What stops the reading is told at its end; until then the last report stands.
  }
  // The engine concludes from everything that was read: of a large dump that takes longer each time, and is done more seldom.
  clock.pause = Math.max(REFRESH_EVERY, REFRESH_SHARE * (performance.now() - now))
  clock.refreshed = performance.now()
}

/** Everything has been read, or reading broke off; the last report says which. */
async function finish(): Promise<void> {
  const run = opening
  try {
    const report = await ask('report', {})
    if (run !== opening || useFiles.getState().phase !== 'reading') return
    // Findings that need the whole dump are known only now, so what was kept until here may lack them.
    forgetRows()
    refreshDetails()
    useFiles.setState(({ revision }) => ({ report, revision: revision + 1, phase: 'open', rate: null }))
    await findMarksHere()
  } catch (error) {
    if (error instanceof Cancelled || run !== opening) return
    addProblem(sentenceOf(error))
    useFiles.setState({ phase: 'open', rate: null })
  }
}

function takeOpened(opened: OpenedDump): void {
  useFiles.setState(({ revision }) => ({
    phase: 'reading',
    report: opened.report,
    unreadable: opened.unreadable,
    dumpHash: opened.dumpHash,
    revision: revision + 1,
  }))
  const { progress } = useFiles.getState()
  if (progress !== null) void refresh(progress)
}

function forget(): void {
  forgetRows()
  forgetDetails()
  useFilters.setState(NO_FILTERS)
  useSelection.setState(NOTHING_SELECTED)
  forgetPlacesOfMarks()
}

function startClock(): void {
  clock = { at: performance.now(), bytes: 0, refreshed: 0, pause: REFRESH_EVERY, shown: '' }
}

function rateOf(progress: Progress): number | null {
  const now = performance.now()
  const elapsed = (now - clock.at) / 1000
  const before = useFiles.getState().rate
  if (elapsed < 0.1) return before
  const rate = Math.max(0, (progress.bytesRead - clock.bytes) / elapsed)
  clock = { ...clock, at: now, bytes: progress.bytesRead }
  return before === null ? rate : before + RATE_SMOOTHING * (rate - before)
}

function sizeOf(source: SourceInput): number {
  if (source.kind === 'file') return (source.file as File).size
  return source.kind === 'url' ? source.size : source.bytes.byteLength
}
