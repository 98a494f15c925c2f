import type { RecordSpans } from '../../containers/container.ts'
import type { RecordsScanned } from '../../containers/decode.ts'
import { Kernel, sharedMemory } from '../../containers/kernel/kernel.ts'
import { leaveKernel } from '../../containers/kernel/thread-kernel.ts'
import type { ScannedText } from '../../containers/scan-ahead.ts'
import { extentOf } from '../../containers/spans.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { WorkerLink } from '../host.ts'
import type { OpenSource } from '../opening/open-source.ts'
import { BATCHES } from './pass.ts'
import type { ScanReply, ScanRequest } from './scan-worker.ts'

/** One for what fits into none of the others, one in which this thread audits, the others ahead of it. */
const SLOTS = 5

/**
 * Files of lines that a worker reads, hashes and scans ahead of this thread, which audits what is in its memory. Whatever the worker cannot do, and all that
 * follows once it broke, this thread does as if there were none.
 */
export class ScansAhead {
  private readonly inUse = new Int32Array(new SharedArrayBuffer(SLOTS * 4))
  private readonly told: ScanReply[] = []
  /** Of batches that were told of and not taken. */
  private readonly texts = new Map<RecordSpans, ScannedText | null>()
  private readonly hashes = new Map<number, string>()
  private wake: () => void = () => undefined
  private broken = false
  private link: WorkerLink | null = null

  private constructor(
    private readonly spawn: () => WorkerLink,
    private readonly opened: readonly OpenSource[],
    private readonly memory: WebAssembly.Memory,
    private readonly kernel: Kernel,
    private readonly onSlower: (reason: string) => void,
  ) {}

  /** Starts the worker, unless it was started. */
  begin(): void {
    if (this.link !== null || this.broken) return
    const { opened, onSlower } = this
    const link = this.spawn()
    this.link = link
    link.onMessage((message) => {
      this.told.push(message as ScanReply)
      this.wake()
    })
    link.onError((reason) => {
      if (!this.broken) onSlower(reason)
      this.broken = true
      this.wake()
    })
    link.post({
      memory: this.memory,
      inUse: this.inUse,
      sources: opened.map(({ container, source }, index) => ({
        source: index,
        elsewhere: container.linesElsewhere,
        size: source.size,
      })),
      sizes: { first: BATCHES.firstBatchBytes, most: BATCHES.batchBytes },
      numericKeys: [...allNumericKeys],
    } satisfies ScanRequest)
  }

  /** Null where a source is none that can be scanned ahead, or this machine runs no such code. Nothing is started before `begin`. */
  static over(
    opened: readonly OpenSource[],
    spawn: () => WorkerLink,
    onSlower: (reason: string) => void = () => undefined,
  ): ScansAhead | null {
    if (!opened.every(canBeScanned)) return null
    const memory = sharedMemory(SLOTS)
    const kernel = Kernel.create(memory)
    return kernel === null ? null : new ScansAhead(spawn, opened, memory, kernel, onSlower)
  }

  /** The batches of a source, as its container's `index` tells of them. Sources are asked for in their order. */
  async *index(
    source: number,
    options: { readonly onBytes: (bytes: number) => void; readonly signal?: AbortSignal },
  ): AsyncGenerator<RecordSpans, void, undefined> {
    let last: RecordSpans | null = null
    const { container } = this.opened[source] as OpenSource
    if (this.link === null) {
      // Somebody waits for the first rollouts: this thread reads them by itself, while the worker starts.
      for await (const spans of container.index({ ...BATCHES, ...options })) {
        last = spans
        break
      }
      this.begin()
      if (last === null) return
      yield last
      options.onBytes(extentOf(last).endByte)
    }
    for (;;) {
      const said = await this.next()
      options.signal?.throwIfAborted()
      if (said === null) break
      if (said.source !== source) {
        // Nobody wanted the rest of a source before.
        if (said.kind === 'batch') this.release(said.text)
        continue
      }
      if (said.kind === 'read') {
        if (said.sha256 !== null) this.hashes.set(source, said.sha256)
        return
      }
      if (said.kind === 'failed') {
        if (said.reason !== null) this.onSlower(said.reason)
        break
      }
      if (said.spans.first === last?.first) {
        // It was read by this thread, unless another file stands in its place by now.
        this.release(said.text)
        if (extentOf(said.spans).endByte !== extentOf(last).endByte) break
        continue
      }
      last = said.spans
      this.texts.set(last, said.text)
      try {
        yield last
      } finally {
        // Unless it was taken, nobody will take it.
        this.release(this.texts.get(last) ?? null)
        this.texts.delete(last)
      }
      options.onBytes(extentOf(last).endByte)
    }
    yield* container.index({ ...BATCHES, ...options, passing: true, ...(last === null ? {} : { from: behind(last) }) })
  }

  /** What the worker scanned of a batch; null where it did not. */
  recordsOf(spans: RecordSpans): RecordsScanned | null {
    const text = this.texts.get(spans) ?? null
    this.texts.delete(spans)
    if (text === null) return null
    return { decoder: 'scanned', spans, bytes: [], text, kernel: this.kernel, done: () => this.release(text) }
  }

  /** What the worker tells next; null where it will tell nothing any more. */
  private async next(): Promise<ScanReply | null> {
    while (this.told.length === 0 && !this.broken) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    return this.told.shift() ?? null
  }

  private release(text: ScannedText | null): void {
    if (text === null) return
    Atomics.store(this.inUse, text.slot, 0)
    Atomics.notify(this.inUse, text.slot)
  }

  /** SHA-256 of a source that was scanned and hashed to its end; null where it was not. */
  sha256(source: number): string | null {
    return this.hashes.get(source) ?? null
  }

  close(): void {
    this.broken = true
    this.link?.terminate()
    leaveKernel()
    this.wake()
  }
}

/** Nearly all of it is numbers in lines of a file that another thread finds. */
export function canBeScanned({ container, isOfNumbers }: OpenSource): boolean {
  return isOfNumbers && container.linesElsewhere !== undefined
}

function behind(spans: RecordSpans) {
  const count = spans.offsets.length
  return { byte: extentOf(spans).endByte, record: spans.first + count, line: spans.lines[count - 1] as number }
}
