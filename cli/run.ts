import { TOOL } from '../shared/session/tool.ts'
import { type CommandIo, Exit, NothingReadError, UsageError } from './io.ts'
import { createTerminal } from './terminal.ts'

/** Runs one command line; never throws for what a person did. Returns the exit code. */
export async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const [name] = argv
    if (name === '--version' || name === '-V') {
      io.stdout.write(`${TOOL.version}\n`)
      return Exit.ok
    }
    // Behind it stands all that is known of formats and checks, which takes as long to load as Node.
    const { dispatch } = await import('./dispatch.ts')
    return await dispatch(argv, io)
  } catch (error) {
    const terminal = createTerminal(io.stderr, io.env)
    const message = error instanceof Error ? error.message : String(error)
    for (const line of message.split('\n')) terminal.line(line, 2)
    if (error instanceof UsageError) return Exit.usage
    if (error instanceof NothingReadError) return Exit.unreadable
    // A bug, not a mistake of the person's: here a stack is what helps.
    if (error instanceof Error && io.env.ROLLOUT_INSPECTOR_DEBUG) io.stderr.write(`${error.stack}\n`)
    return Exit.unreadable
  }
}
