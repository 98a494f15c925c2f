import type { Report } from '../shared/model/report.ts'

/** Where a command reads and writes; tests give their own. */
export interface CommandIo {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: AsyncIterable<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborts when the person ends the command (Ctrl-C); asked for by commands that have something to say then. */
  readonly interrupted?: () => AbortSignal
  /** The folder that relative paths are meant from. */
  readonly directory: string
}

export interface OutputStream {
  write(text: string | Uint8Array): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Exit codes of the contract. */
export const Exit = { ok: 0, findings: 1, usage: 2, unreadable: 3 } as const
export type Exit = (typeof Exit)[keyof typeof Exit]

/** What was asked cannot be: told in one sentence, without a stack, with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Nothing of what was named could be read: exit code 3. `reported`: the report that says so file by file, where there is one. */
export class NothingReadError extends Error {
  constructor(
    message: string,
    readonly reported: { readonly report: Report; readonly inputs: readonly string[] } | null = null,
  ) {
    super(message)
    this.name = 'NothingReadError'
  }
}

/** The real streams of this process. Scripts of the package start it in the folder where the person stood (INIT_CWD). */
export function processIo(): CommandIo {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    directory: process.cwd(),
    interrupted() {
      const controller = new AbortController()
      // Once: a second Ctrl-C ends the process whatever it does.
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
      return controller.signal
    },
  }
}
