import type { EngineRequests } from '../../shared/session/protocol.ts'
import type { ExportFile, ExportPart } from '../../shared/session/requests/export.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { type ExportChoice, type ExportSubject, useExporting } from '../state/exporting.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { runStem } from '../text/run-name.ts'
import { askPlace, DownloadPlace, type SavePlace } from './save-places.ts'

/** Bytes of an export that may be on their way from the engine to where they are written. */
const ON_THE_WAY = 16 << 20

let exports = 0

/**
 * Writes rollouts as a person chose, who is asked first where to. Files are written as they are made and stand under their names at the
 * end, so that an export that is stopped or fails leaves nothing behind. Says what became of it, and resolves once nothing goes on any more.
 */
export async function exportRollouts(subject: ExportSubject, choice: ExportChoice): Promise<void> {
  if (useExporting.getState().job !== null) {
    addProblem('An export is still under way. Stop it, or wait for its end.')
    return
  }
  try {
    const zip = choice.place === 'zip' ? archiveName() : null
    const place = await askPlace(choice.place, zip)
    if (place === null) return
    try {
      const indices = await subject.indices()
      const what = counted(indices.length, 'rollout')
      const { as, repairMasks } = choice
      const { why, repairMaskedWhole = false } = subject
      const request = { as, repairMasks, repairMaskedWhole, indices, why, ...(zip === null ? {} : { zip }) }
      const written = await writeAsMade(request, what, place)
      if (written !== null) say(`${what} ${written}`)
    } catch (error) {
      await place.discard()
      throw error
    }
  } catch (error) {
    if (error instanceof Cancelled) say('The export was stopped; nothing was saved')
    else addProblem(sentenceOf(error))
  }
}

/** Where it was written, in words; null where files that are there were not to be replaced. */
async function writeAsMade(
  request: Omit<EngineRequests['export']['input'], 'id'>,
  what: string,
  place: SavePlace,
): Promise<string | null> {
  const id = ++exports
  const { stopping, hear, end } = beginJob(what)
  const { signal } = stopping
  const goOn = (bytes: number) => ask('exportGoesOn', { id, bytes })
  let isWanted = true
  let failure: unknown = null
  const take = async (part: ExportPart) => {
    signal.throwIfAborted()
    if (part.kind === 'bytes') {
      await place.write(part.name, part.bytes)
      await goOn(part.bytes.length)
    } else if (part.kind === 'files') {
      isWanted = await place.mayWrite(part.names, signal)
      if (isWanted) await goOn(ON_THE_WAY)
      else stopping.abort(new Cancelled())
    }
  }
  // One part after the other, as they come.
  let taken = Promise.resolve()
  try {
    await ask('export', { ...request, id }, signal, (part) => {
      if (part.kind === 'progress') hear(part)
      taken = taken.then(() => take(part))
      taken.catch((error: unknown) => {
        failure ??= error
        stopping.abort(new Cancelled())
      })
    })
    await taken
    signal.throwIfAborted()
    return await place.end()
  } catch (error) {
    await taken.catch(() => undefined)
    if (isWanted) throw failure ?? error
    await place.discard()
    return null
  } finally {
    end()
  }
}

export function stopExport(): void {
  const { job } = useExporting.getState()
  if (job === null) say('No export is under way')
  else job.stop()
}

/** `step_12-rollouts.zip` */
function archiveName(): string {
  return `${runStem(useFiles.getState().sources) || 'run'}-rollouts.zip`
}

function beginJob(what: string) {
  const own = new AbortController()
  const job = {
    what,
    progress: null,
    stop: () => own.abort(new Cancelled()),
  }
  useExporting.setState({ job })
  return {
    stopping: own,
    hear(progress: { readonly done: number; readonly of: number }) {
      useExporting.setState({ job: { ...job, progress } })
      void window.inspector?.setProgress(progress.of > 0 ? progress.done / progress.of : 0)
    },
    end() {
      useExporting.setState({ job: null })
      void window.inspector?.setProgress(null)
    },
  }
}

/** Asks the engine for a table or a text and saves it. `what` begins the sentence that says so: `12 groups`. */
export async function saveAnswer(asking: Promise<ExportFile>, what: string): Promise<void> {
  try {
    await handOver((await asking).files, what)
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
}

/** Hands files to the shell's save dialog, or to the browser's downloads, and says what became of them. `what`: `12 rollouts`. */
export async function handOver(
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
  what: string,
): Promise<void> {
  if (window.inspector !== undefined) {
    const saved = await window.inspector.saveFiles(files)
    if (saved.kind === 'failed') addProblem(saved.message)
    else if (saved.kind === 'saved') say(`${what} saved as ${saved.names.join(', ')}`)
    return
  }
  const downloads = new DownloadPlace()
  for (const { name, bytes } of files) await downloads.write(name, bytes as Uint8Array<ArrayBuffer>)
  say(`${what} ${await downloads.end()}`)
}
