import { TABLE_ENDINGS, type TableFormat } from '../../shared/exports/table-text.ts'
import type { EngineRequests } from '../../shared/session/protocol.ts'
import type { ExportFile, ExportPart, ExportProgress } from '../../shared/session/requests/export.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import {
  type ExportChoice,
  type ExportPlace,
  type ExportSubject,
  type SavedTable,
  useExporting,
} from '../state/exporting.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { during } from '../state/under-way.ts'
import { openDialog, say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { runStem } from '../text/run-name.ts'
import { takeJudgedMeanwhile } from './judging.ts'
import { askPlace, type SavePlace } from './save-places.ts'

/** Bytes of an export that may be on their way from the engine to where they are written. */
const ON_THE_WAY = 16 << 20

let exports = 0
/** Places that something is being written to. */
let placesOpen = 0
/** From when a person is asked where to until all is written. */
let isSaving = false

/**
 * Writes rollouts as a person chose, who is asked first where to. Files are written as they are made and stand under their names at the
 * end, so that an export that is stopped or fails leaves nothing behind. Says what became of it, and resolves once nothing goes on any more.
 */
export async function exportRollouts(subject: ExportSubject, choice: ExportChoice): Promise<void> {
  const zip = choice.place === 'zip' ? archiveName() : null
  await saving(choice.place, zip, async (place) => {
    const indices = await subject.indices()
    const what = counted(indices.length, 'rollout')
    const { as, repairMasks } = choice
    const { why, repairMaskedWhole = false } = subject
    const request = { as, repairMasks, repairMaskedWhole, indices, why, ...(zip === null ? {} : { zip }) }
    const written = await writeAsMade(request, what, place)
    return written === null ? null : `${what} ${written}`
  })
}

/**
 * One at a time: asks where, lets it be written, says so, and leaves nothing where that ends otherwise.
 *
 * @param write gives what is said at the end, null where files that are there were not to be replaced
 */
async function saving(
  where: ExportPlace,
  file: string | null,
  write: (place: SavePlace) => Promise<string | null>,
): Promise<void> {
  if (isSaving) {
    addProblem('An export is still under way. Stop it, or wait for its end.')
    return
  }
  isSaving = true
  try {
    await intoPlace(where, file, write)
  } finally {
    isSaving = false
  }
}

async function intoPlace(
  where: ExportPlace,
  file: string | null,
  write: (place: SavePlace) => Promise<string | null>,
): Promise<void> {
  try {
    const place = await askPlace(where, file)
    if (place === null) return
    placesOpen++
    try {
      const told = await write(place)
      if (told === null) await place.discard()
      else say(told)
    } catch (error) {
      await place.discard()
      throw error
    } finally {
      placesOpen--
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
    void takeJudgedMeanwhile()
    await taken
    signal.throwIfAborted()
    return await place.end()
  } catch (error) {
    await taken.catch(() => undefined)
    if (isWanted) throw failure ?? error
    return null
  } finally {
    end()
  }
}

/** While something is written the browser asks before the page is left, which would stop it. Returns the unregisterer. */
export function guardLeavingExport(): () => void {
  const ask = (event: Event) => {
    if (placesOpen > 0) event.preventDefault()
  }
  globalThis.addEventListener('beforeunload', ask)
  return () => globalThis.removeEventListener('beforeunload', ask)
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
    hear(progress: ExportProgress) {
      useExporting.setState({ job: { ...job, progress } })
      void window.inspector?.setProgress(progress.of > 0 ? progress.done / progress.of : 0)
    },
    end() {
      useExporting.setState({ job: null })
      void window.inspector?.setProgress(null)
    },
  }
}

/** Asks how a table is to be saved. */
export function saveTable(table: SavedTable): void {
  useExporting.setState({ table })
  openDialog('table')
}

/** Writes a table as a person chose, who is asked first where to. Says what became of it. */
export async function writeTable(table: SavedTable, as: TableFormat, place: ExportPlace): Promise<void> {
  const name = `${table.stem}.${TABLE_ENDINGS[as]}`
  await saving(place, name, async (to) => {
    const { stopping, end } = beginJob(table.what)
    const { signal } = stopping
    try {
      if (!(await to.mayWrite([name], signal))) return null
      const made = await table.make(as, signal)
      signal.throwIfAborted()
      const bytes = typeof made === 'string' ? new TextEncoder().encode(made) : made
      await to.write(name, bytes as Uint8Array<ArrayBuffer>)
      return `${table.what.charAt(0).toUpperCase()}${table.what.slice(1)} ${await to.end()}`
    } finally {
      end()
    }
  })
}

/** The text of a table that the engine makes. */
export async function textOfAnswer(asking: Promise<ExportFile>): Promise<Uint8Array> {
  return (await asking).files[0]?.bytes ?? new Uint8Array(0)
}

/** Saves a file that is made in a moment, once a person has been asked where to, beside an export that may be under way. */
export async function saveFile(name: string, make: () => Made | Promise<Made>): Promise<void> {
  await intoPlace('files', name, async (place) => {
    const { what, content } = await during(`Making ${name}`, async () => make())
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    await place.write(name, bytes as Uint8Array<ArrayBuffer>)
    return `${what} ${await place.end()}`
  })
}

interface Made {
  /** For what is said: `12 pages`. */
  readonly what: string
  readonly content: string | Uint8Array
}
