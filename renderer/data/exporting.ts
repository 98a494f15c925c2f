import type { ExportFile } from '../../shared/session/requests/export.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { type ExportChoice, type ExportSubject, useExporting } from '../state/exporting.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { runStem } from '../text/run-name.ts'
import { pickDirectory, writeInto } from './save-directory.ts'

/**
 * Writes rollouts as a person chose. The engine makes all of it before anything is saved, so that an export that is stopped or fails
 * leaves nothing behind. Says what became of it, and resolves once nothing goes on any more.
 */
export async function exportRollouts(subject: ExportSubject, choice: ExportChoice): Promise<void> {
  if (useExporting.getState().job !== null) {
    addProblem('An export is still under way. Stop it, or wait for its end.')
    return
  }
  try {
    // Browsers open their dialog only for a moment after the click.
    const directory = choice.place === 'folder' ? await pickDirectory('export') : null
    if (choice.place === 'folder' && directory === null) return
    const indices = await subject.indices()
    const what = counted(indices.length, 'rollout')
    const { signal, hear, end } = beginJob(what)
    try {
      const { why, repairMaskedWhole = false } = subject
      const { files } = await ask('export', { ...requestOf(choice), repairMaskedWhole, indices, why }, signal, hear)
      if (directory === null) await handOver(files, what)
      else if (await writeInto(directory, files, signal)) say(`${what} written into ${directory.name}`)
    } finally {
      end()
    }
  } catch (error) {
    if (error instanceof Cancelled) say('The export was stopped; nothing was saved')
    else addProblem(sentenceOf(error))
  }
}

export function stopExport(): void {
  const { job } = useExporting.getState()
  if (job === null) say('No export is under way')
  else job.stop()
}

function requestOf({ as, repairMasks, place }: ExportChoice) {
  return { as, repairMasks, ...(place === 'zip' ? { zip: archiveName() } : {}) }
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
    signal: own.signal,
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
  for (const file of files) download(file.name, file.bytes)
  say(`${what} exported as ${files.map((file) => file.name).join(', ')}`)
}

function download(name: string, bytes: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has taken hold of the bytes by the time the next task runs; a minute is generous for a slow disk.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
