import type { AuditOptions } from '../../model/policy.ts'
import type { Report } from '../../model/report.ts'
import type { ByteSource } from '../../model/source.ts'
import type { TokenizerReference } from '../audit/plan.ts'
import { pageReport } from '../concluding/page-report.ts'
import type { Following } from '../following/follow.ts'
import type { EndingFollow } from '../following/tell-following.ts'
import type { EngineHost } from '../host.ts'
import type { EngineAnswer, OpenedDump, SourceInput } from '../protocol.ts'
import type { RunName } from '../requests/compare.ts'
import { Session, type SessionHooks } from '../session.ts'

/** A host that also knows how to turn what a page sends into bytes. */
export interface EngineWorkerHost extends EngineHost {
  byteSource(input: SourceInput): ByteSource
  /** How the files are seen that are open, as they are from now on. Throws with a sentence where that cannot be. */
  watch?(inputs: readonly SourceInput[], handles: readonly unknown[]): Promise<Following['look']>
}

/** What a run is made of. */
interface RunFiles {
  /** As the page named them. */
  readonly given: readonly SourceInput[]
  readonly sources: readonly ByteSource[]
  /** Those of the dataset that it was started with. */
  readonly dataset: readonly ByteSource[]
}

const NO_FILES: RunFiles = { given: [], sources: [], dataset: [] }

export const OVERTAKEN = 'Something else was opened meanwhile.'
const STOPPED = 'Reading was stopped.'

/** What an engine has open: one run, at most one beside it, and whose turn it is to put something else in their place. */
export class OpenRuns {
  files = NO_FILES
  settings: AuditOptions = {}
  /** Null where the files are read once. */
  following: EndingFollow | null = null
  /** The run that the open one is compared with. */
  second: Session | null = null
  /** Those that a person dropped, by name. */
  readonly tokenizers = new Map<string, TokenizerReference>()
  private session: Session | null = null
  /** What ends the reading of either run. */
  private under = new AbortController()
  private comparing = new AbortController()
  /** What was asked last that puts something else in the place of what is open. */
  private asked = { instead: OVERTAKEN }

  constructor(
    readonly host: EngineWorkerHost,
    readonly answer: (message: EngineAnswer, transfer?: ArrayBuffer[]) => void,
  ) {}

  /** The open run, where there is one. */
  get open(): Session | null {
    return this.session
  }

  /** Throws with a sentence where nothing is open. */
  current(): Session {
    if (this.session === null) throw new Error('Nothing is open.')
    return this.session
  }

  /** Throws with a sentence where nothing is compared. */
  beside(): Session {
    if (this.second === null)
      throw new Error('There is no second run to compare with. Choose one, or drop it on the lower part of the window.')
    return this.second
  }

  of(run: RunName = 'open'): Session {
    return run === 'second' ? this.beside() : this.current()
  }

  /** Takes the turn; what is given throws once it was taken by another question, or the own one was taken back. */
  taking(instead = OVERTAKEN): (signal: AbortSignal) => void {
    const own = { instead }
    this.asked = own
    return (signal) => {
      signal.throwIfAborted()
      if (this.asked !== own) throw new Error(this.asked.instead)
    }
  }

  /** Begins a comparison in place of the one before it; whatever is opened ends it. */
  comparingAnew(): AbortController {
    this.comparing.abort(new Error('Another second run was chosen meanwhile.'))
    this.comparing = new AbortController()
    return this.comparing
  }

  /** The files of a dataset; throws with a sentence where no prompt can be read in them, and leaves what is open as it is. */
  async dataset(inputs: readonly SourceInput[], options: AuditOptions, signal: AbortSignal): Promise<ByteSource[]> {
    const sources = inputs.map((input) => this.host.byteSource(input))
    if (sources.length > 0) await Session.checkDataset(sources, options, signal)
    return sources
  }

  /** Reads `files` under `options` in the place of what is open. Resolves when reading began. */
  async start(
    options: AuditOptions,
    cancelled: AbortSignal,
    call: number,
    follow: EndingFollow | null = null,
  ): Promise<OpenedDump> {
    this.following = follow
    this.letGo(OVERTAKEN)
    this.answer({ kind: 'began', call })
    this.settings = options
    const own = new AbortController()
    this.under = own
    cancelled.addEventListener('abort', () => own.abort(cancelled.reason), { once: true })
    const opened = await this.read(this.files.sources, options, {
      dataset: this.files.dataset,
      onProgress: (progress) => this.answer({ kind: 'progress', progress }),
      signal: own.signal,
      ...(follow === null ? {} : { follow: follow.following }),
    })
    follow?.judge(opened)
    // Closed with its session, in case the two crossed.
    own.signal.throwIfAborted()
    this.session = opened
    return openedDump(opened, opened.report())
  }

  /** Begins to read a run, with the tokenizers that a person added. */
  read(sources: readonly ByteSource[], options: AuditOptions, hooks: SessionHooks): Promise<Session> {
    return Session.open(sources, options, this.host, {
      addedTokenizers: [...this.tokenizers.values()],
      concludesInSteps: true,
      ...hooks,
    })
  }

  close(): void {
    this.taking(STOPPED)
    this.letGo(STOPPED)
    this.files = NO_FILES
  }

  private letGo(why: string): void {
    this.under.abort(new Error(why))
    this.comparing.abort(new Error(why))
    this.session = null
    this.second = null
  }
}

/** What a page is told of a run that was opened, with `report` as it is by now. */
export function openedDump(open: Session, report: Report): OpenedDump {
  return { report: pageReport(report), unreadable: open.unreadable, dumpHash: open.dumpHash }
}
