import { exportRollouts } from '../exports/export.ts'
import type { ExportFile, ExportProgress, ExportRequests } from './requests/export.ts'
import type { Session } from './session.ts'

type Handlers = {
  [Name in keyof ExportRequests]: (
    input: ExportRequests[Name]['input'],
    signal: AbortSignal,
    tell: (progress: ExportProgress) => void,
  ) => Promise<ExportRequests[Name]['output']>
}

/** Answers requests for files of rollouts. What is opened meanwhile changes nothing in an export that has begun; a run that is read on may end it. */
export function exportHandlers(current: () => Session): Handlers {
  return {
    async export(request, signal, tell) {
      const files = await exportRollouts(current(), request, { signal, tell: (done, of) => tell({ done, of }) })
      return { files }
    },
  }
}

/** The bytes of an export are made for one answer. */
export function exportTransferables({ files }: ExportFile): ArrayBuffer[] {
  return files.map(({ bytes }) => bytes.buffer)
}
