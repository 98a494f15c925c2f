import { run } from '../../cli/run.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process, as a person would from `directory`. */
export async function commandLine(
  argv: readonly string[],
  {
    directory = process.cwd(),
    stdin = '',
    tty = false,
    env = {},
    interrupted,
    onError = () => undefined,
  }: {
    interrupted?: AbortSignal
    onError?: (text: string) => void
    directory?: string
    stdin?: string | Uint8Array | Iterable<string>
    tty?: boolean
    env?: Record<string, string>
  } = {},
): Promise<Ran> {
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  const into = (chunks: Uint8Array[]) => ({
    isTTY: tty,
    columns: 80,
    write: (text: string | Uint8Array) => chunks.push(typeof text === 'string' ? Buffer.from(text) : text),
  })
  const code = await run(argv, {
    stdout: into(out),
    stderr: {
      ...into(err),
      write(text) {
        err.push(typeof text === 'string' ? Buffer.from(text) : text)
        onError(String(text))
      },
    },
    ...(interrupted === undefined ? {} : { interrupted: () => interrupted }),
    stdin: (async function* () {
      for (const chunk of typeof stdin === 'string' || stdin instanceof Uint8Array ? [stdin] : stdin)
        yield Buffer.from(chunk)
    })(),
    env,
    directory,
  })
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
}
