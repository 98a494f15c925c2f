import type { ByteSource } from '../../model/source.ts'
import { ZipError } from '../zip/error.ts'
import { Budget } from './budget.ts'
import type { BuildContext } from './context.ts'
import { PickleError } from './error.ts'
import { type ForeignName, ForeignNames } from './foreign.ts'
import { type PickleIssue, PickleIssues } from './issues.ts'
import { PickleMachine } from './machine.ts'
import type { ByteRange, PyValue } from './values.ts'
import { Window } from './window.ts'

/** Whatever bytes can be taken from: a `ByteSource`, an entry of an archive, bytes inside another pickle. */
export type PickleSource = ByteRange | Pick<ByteSource, 'size' | 'slice'>

/** What several pickles that make one file are read with together. */
export interface SharedReading {
  /** What the file may take in memory. */
  readonly budget: Budget
  /** Where names are gathered that are not known to be plain data. */
  readonly foreign: ForeignNames
  readonly issues: PickleIssues
}

export interface PickleOptions extends Partial<SharedReading> {
  /** Where the pickle begins; default 0. */
  readonly start?: number
  /** Stands before every place in messages: `archive/data.pkl, `. */
  readonly where?: string
  /** The value of a persistent id; undefined leaves a placeholder. */
  readonly persistent?: (id: PyValue, context: BuildContext) => PyValue | undefined
  /** Reads a torch file that lies inside the pickle as bytes. Without it such bytes stay bytes. */
  readonly readTorch?: (bytes: ByteRange, shared: SharedReading) => Promise<PyValue>
  readonly signal?: AbortSignal
  /** Bytes of the file that are in memory at once, unless one operation has more; default 1 MiB. */
  readonly windowBytes?: number
  /** `bytes` objects of this length or more stay in the file; default 64 KiB. */
  readonly lazyBytes?: number
}

export interface PickleFile {
  readonly value: PyValue
  /** Names that are not known to be plain data. None was called. */
  readonly foreign: readonly ForeignName[]
  readonly issues: readonly PickleIssue[]
  /** Offset behind the pickle; a file may hold several, one after another. */
  readonly end: number
}

/**
 * Reads one pickle of any protocol without running anything of it. Throws `PickleError`, with the place, where the bytes make no sense or
 * the file needs more memory than its budget; nothing else, whatever the bytes are.
 */
export async function readPickle(source: PickleSource, options: PickleOptions = {}): Promise<PickleFile> {
  try {
    return await read(source, options)
  } catch (error) {
    throw error instanceof PickleError && options.where !== undefined ? error.within(options.where) : error
  }
}

async function read(source: PickleSource, options: PickleOptions): Promise<PickleFile> {
  const { budget = new Budget(), foreign = new ForeignNames(), issues = new PickleIssues() } = options
  const { start = 0, windowBytes = 1 << 20, lazyBytes = 1 << 16, signal, readTorch } = options
  const shared = { budget, foreign, issues }
  const total = sizeOf(source)
  const window = new Window(total)
  const later: (() => Promise<void>)[] = []
  const machine = new PickleMachine({
    window,
    context: {
      ...shared,
      defer(work) {
        const { at } = window
        later.push(() => {
          window.at = at
          return work()
        })
      },
      readTorch: readTorch === undefined ? null : (bytes) => readTorch(bytes, shared),
    },
    persistent: options.persistent ?? (() => undefined),
    lazyBytes,
    range: (from, length) => rangeOf(source, from, length),
  })
  let base = start
  for (let needed = windowBytes; ; ) {
    signal?.throwIfAborted()
    const wanted = Math.min(Math.max(needed, windowBytes), Math.max(total - base, 0))
    const bytes = await source.slice(base, base + wanted)
    if (bytes.length === 0) throw new PickleError('cut-off', base, 'the file ends before the pickle does')
    window.move(bytes, base, bytes.length < wanted)
    const state = machine.run()
    if (state === true) break
    base = window.offset
    needed = state
  }
  const end = window.offset
  for (const work of later) {
    signal?.throwIfAborted()
    await work().catch((error: unknown) => {
      // A part that lies in the file as a file of its own does not cost the rest.
      if (!(error instanceof PickleError || error instanceof ZipError) || error.code === 'too-large') throw error
      issues.add('damaged-part', error.message)
    })
  }
  return { value: machine.value, foreign: foreign.list(), issues: issues.list(), end }
}

/** Reads the pickles of a file that was written with one `pickle.dump` after another, `PickleFile` by `PickleFile`. */
export async function* readPickles(source: PickleSource, options: PickleOptions = {}): AsyncGenerator<PickleFile> {
  for (let start = options.start ?? 0; start < sizeOf(source); ) {
    const file = await readPickle(source, { ...options, start })
    yield file
    start = file.end
  }
}

function sizeOf(source: PickleSource): number {
  return 'size' in source ? source.size : source.length
}

/** A part of a source, to be read later. */
export function rangeOf(source: PickleSource, start: number, length: number): ByteRange {
  return {
    length,
    slice: (from, to) => source.slice(start + Math.min(from, length), start + Math.min(to, length)),
  }
}
