import { joinBytes } from '../containers/join-bytes.ts'
import { writeExport } from '../exports/export.ts'
import type { ExportSink, ExportWriter } from '../exports/export-kind.ts'
import { ZipSink } from '../exports/zip-sink.ts'
import type { Report } from '../model/report.ts'
import type { ExportPart, ExportRequests } from './requests/export.ts'
import type { Session } from './session.ts'

/** Bytes of a file that are told at once, at least. */
const PIECE = 1 << 20

type Handlers = {
  [Name in keyof ExportRequests]: (
    input: ExportRequests[Name]['input'],
    signal: AbortSignal,
    tell: (part: PartOf<ExportRequests[Name]>) => void,
  ) => Promise<ExportRequests[Name]['output']>
}
type PartOf<Request> = Request extends { partial: infer Part } ? Part : never

/** Answers requests for files of rollouts. What is opened meanwhile changes nothing in an export that has begun; a run that is read on may end it. */
export function exportHandlers(current: () => Session): Handlers {
  const underWay = new Map<number, Allowance>()
  return {
    async export({ id, zip, ...request }, signal, tell) {
      const allowance = new Allowance(signal)
      underWay.set(id, allowance)
      const open = current()
      const begin = async (names: readonly string[]) =>
        tell({ kind: 'files', names: zip === undefined ? names : [zip] })
      const attendance = {
        signal,
        begin,
        tell: (done: number, of: number) => tell({ kind: 'progress', done, of }),
        hashed(report: Report) {
          const of = request.indices.length
          if (!open.isHashed) tell({ kind: 'progress', done: of, of, hashing: true })
          return open.withHashes(report, signal)
        },
      }
      try {
        const told = new ToldSink(allowance, tell)
        if (zip === undefined) await writeExport(open, request, told, attendance)
        else {
          const archive = new ZipSink(await told.open(zip))
          await writeExport(open, request, archive, attendance)
          await archive.close()
        }
        return {}
      } finally {
        underWay.delete(id)
      }
    },
    async exportGoesOn({ id, bytes }) {
      underWay.get(id)?.add(bytes)
      return {}
    },
  }
}

/** How many bytes may still be told: who takes them is not to be buried in them. */
class Allowance {
  private left = 0
  private waiting: (() => void) | null = null

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.waiting?.(), { once: true })
  }

  add(bytes: number): void {
    this.left += bytes
    this.waiting?.()
  }

  /** Resolves once anything may be told; more than that is owed. Rejects with the signal's reason. */
  async take(bytes: number): Promise<void> {
    while (this.left <= 0) {
      this.signal.throwIfAborted()
      await new Promise<void>((resolve) => (this.waiting = resolve))
    }
    this.signal.throwIfAborted()
    this.left -= bytes
  }
}

/** Tells the bytes of files in pieces. */
class ToldSink implements ExportSink {
  constructor(
    private readonly allowance: Allowance,
    private readonly tell: (part: ExportPart) => void,
  ) {}

  async open(name: string): Promise<ExportWriter> {
    let held: Uint8Array[] = []
    let size = 0
    const flush = async () => {
      const bytes = joinBytes(held)
      held = []
      size = 0
      await this.allowance.take(bytes.length)
      this.tell({ kind: 'bytes', name, bytes })
    }
    return {
      async write(bytes) {
        held.push(bytes)
        size += bytes.length
        if (size >= PIECE) await flush()
      },
      close: flush,
    }
  }
}
