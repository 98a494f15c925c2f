import type { ExportFile, ExportRequest } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem } from '../state/files.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'

/** Makes the export and hands its files to the shell's save dialog, or to the browser's downloads. */
export async function exportRollouts(request: ExportRequest): Promise<void> {
  if (request.indices.length === 0) {
    addProblem('There is nothing to export: no rollout is selected. Flag some with f, or widen the filter.')
    return
  }
  try {
    const { files } = await ask('export', request)
    await handOver(files, counted(request.indices.length, 'rollout'))
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
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
