import type { ContainerBytes } from '../../containers/bytes.ts'
import type { RecordSpans } from '../../containers/container.ts'
import { INPUT_BYTES, Kernel } from '../../containers/kernel/kernel.ts'
import { usingKernel } from '../../containers/kernel/thread-kernel.ts'
import { indexLines } from '../../containers/lines.ts'
import { type ScannedText, scanAhead } from '../../containers/scan-ahead.ts'
import { asSmall, type BatchSizes, extentOf } from '../../containers/spans.ts'
import type { Sha256 } from '../host.ts'
import type { WorkerPort } from './audit-worker.ts'

/** A file of lines that is to be scanned, by its number in the run. */
export interface ScannedSource {
  readonly source: number
  /** `ByteSource.elsewhere` */
  readonly elsewhere: unknown
  readonly size: number
}

/** Coordinator to scan worker, once: which files, in which order. */
export interface ScanRequest {
  readonly memory: WebAssembly.Memory
  /** Of each slot of the memory 1 while it is in use. The first is for what fits into no other. */
  readonly inUse: Int32Array<SharedArrayBuffer>
  readonly sources: readonly ScannedSource[]
  readonly sizes: BatchSizes
  readonly numericKeys: readonly string[]
}

/** Scan worker to coordinator, source after source: its batches, then either that it was read to its end or that somebody else must read on. */
export type ScanReply =
  | {
      readonly kind: 'batch'
      readonly source: number
      readonly spans: RecordSpans
      /** Null where the batch is too large for a slot. */
      readonly text: ScannedText | null
    }
  | { readonly kind: 'read'; readonly source: number; readonly sha256: string | null }
  | {
      readonly kind: 'failed'
      readonly source: number
      /** What broke; null where it is the file, of which whoever reads on finds out what became. */
      readonly reason: string | null
    }

/** What a host lends a scan worker. */
export interface ScanWorkerHost {
  /** Null = this file is hashed another time. */
  createSha256(elsewhere: unknown): Sha256 | null | Promise<Sha256 | null>
  /** Opens a file by its `ByteSource.elsewhere`. */
  open(elsewhere: unknown): FileInReach
}

export interface FileInReach {
  /** The same bytes as the host finds one in them fastest. */
  seen(bytes: Uint8Array): Uint8Array
  /** Reads from `start` on until `into` is full or the file ends; returns how many bytes there were. */
  read(start: number, into: Uint8Array): number | Promise<number>
  close(): void
}

/** So little that the lines of one chunk end no more than two batches, whose slots are not used again before it is done with. */
const CHUNK_BYTES = 128 << 10

/** Runs in a scan worker: finds the lines of files, hashes and scans them into memory that it shares, and tells of each batch. */
export function serveScanWorker(port: WorkerPort, host: ScanWorkerHost): void {
  port.onMessage((message) => {
    const request = message as ScanRequest
    const kernel = Kernel.create(request.memory)
    const reply = (said: ScanReply) => port.post(said)
    const scanAll = async () => {
      const slots = new Slots(request.inUse)
      for (const source of request.sources) {
        reply(await scanSource(kernel, slots, source, request, host, reply))
      }
    }
    void scanAll()
  })
}

/** Gives out slots in turn, each when it is free. */
class Slots {
  private last = 0

  constructor(private readonly inUse: Int32Array<SharedArrayBuffer>) {}

  async next(): Promise<number> {
    const { inUse } = this
    const slot = this.last + 1 < inUse.length ? this.last + 1 : 1
    while (Atomics.load(inUse, slot) === 1) await Atomics.waitAsync(inUse, slot, 1).value
    Atomics.store(inUse, slot, 1)
    this.last = slot
    return slot
  }

  giveBack(slot: number): void {
    Atomics.store(this.inUse, slot, 0)
  }
}

/** Tells of the batches of a source. Returns how it ended. */
async function scanSource(
  kernel: Kernel | null,
  slots: Slots,
  { source, elsewhere, size }: ScannedSource,
  { sizes, numericKeys }: ScanRequest,
  host: ScanWorkerHost,
  reply: (said: ScanReply) => void,
): Promise<ScanReply> {
  if (kernel === null) return { kind: 'failed', source, reason: 'No WebAssembly over shared memory here.' }
  const keys = new Set(numericKeys)
  const hash = await host.createSha256(elsewhere)
  let slot = await slots.next()
  let held: SlotBytes | null = null
  try {
    const file = await fromFile(() => host.open(elsewhere))
    held = new SlotBytes(file, size, hash, kernel.slotInput(slot), kernel.slotInput(0).subarray(0, CHUNK_BYTES))
    for await (const spans of indexLines(held, sizes, {})) {
      const { firstByte: start, endByte: end } = extentOf(spans)
      const at = held.offsetOf(start, end)
      if (at === null) reply({ kind: 'batch', source, spans, text: null })
      else {
        const length = asSmall(end - start)
        const text = usingKernel(kernel, () => scanAhead(kernel, slot, at, length, spans, keys))
        reply({ kind: 'batch', source, spans, text })
        slot = await slots.next()
      }
      await held.moveTo(end, kernel.slotInput(slot))
    }
    return { kind: 'read', source, sha256: hash?.digest() ?? null }
  } catch (error) {
    return { kind: 'failed', source, reason: error instanceof FileChanged ? null : String(error) }
  } finally {
    slots.giveBack(slot)
    held?.close()
  }
}

/** A file that is not there any more, is shorter, or cannot be read. */
class FileChanged extends Error {}

/** What the host gives of a file; throws `FileChanged` for whatever it throws. */
async function fromFile<Given>(ask: () => Given | Promise<Given>): Promise<Given> {
  try {
    return await ask()
  } catch (error) {
    throw new FileChanged(String(error))
  }
}

/** Bytes by which memory is copied at once: between others a browser copies shared memory byte by byte, seven times as slowly. */
const WORD = 8

/** The bytes of a file, read into one slot after the other: each at the same place of a word as in the file, which hosts that copy them keep to. */
class SlotBytes implements Pick<ContainerBytes, 'chunks'> {
  /** Where in the file the first byte of the slot is, a whole number of words, and how far it was read. */
  private from = 0
  private at = 0

  constructor(
    private readonly file: FileInReach,
    private readonly size: number,
    private readonly hash: Sha256 | null,
    private input: Uint8Array,
    /** For what does not fit into the slot. */
    private readonly beside: Uint8Array,
  ) {}

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    while (this.at < this.size) {
      const length = Math.min(CHUNK_BYTES, this.size - this.at)
      const into = this.at - this.from
      const room =
        into + length <= INPUT_BYTES ? this.input.subarray(into, into + length) : this.beside.subarray(0, length)
      const chunk = this.file.seen(room)
      await this.fill(this.at, chunk)
      this.hash?.update(chunk)
      this.at += length
      yield chunk
    }
  }

  /** Where in the slot bytes of the file lie, null where they are not all in it. */
  offsetOf(start: number, end: number): number | null {
    return end - this.from <= INPUT_BYTES ? asSmall(start - this.from) : null
  }

  /** The bytes that follow lie in another slot: those from `start` on, of which some were read. */
  async moveTo(start: number, input: Uint8Array): Promise<void> {
    const before = this.input.subarray(start - this.from, this.at - this.from)
    const isHere = this.at - this.from <= INPUT_BYTES
    const pad = start % WORD
    this.from = start - pad
    this.input = input
    const length = this.at - start
    if (pad + length > INPUT_BYTES) return
    const into = input.subarray(pad, pad + length)
    // Whoever audits the slot before only reads in it.
    if (isHere) into.set(before)
    else await this.fill(start, into)
  }

  private async fill(start: number, into: Uint8Array): Promise<void> {
    if ((await fromFile(() => this.file.read(start, into))) < into.length)
      throw new FileChanged('It has become shorter.')
  }

  close(): void {
    this.file.close()
  }
}
