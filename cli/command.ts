import { Exit, processIo } from './io.ts'
import { run } from './run.ts'
import { cannotWrite } from './whole-file.ts'

/** Runs the command of this process and sets its exit code. */
export async function command(argv: readonly string[]): Promise<void> {
  let isCutOff = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`| head`) closes the pipe. That is no error of ours, and what was found stays the exit code.
    if (error.code === 'EPIPE' || isCutOff) return
    isCutOff = true
    process.stderr.write(`Standard output could not be written: ${cannotWrite(error)}. What is there is cut off.\n`)
    // It may come after the command has ended: what was not told in full is no finding.
    process.exitCode = Exit.usage
  })
  // Whom standard error does not reach (`2>&1 | head`, a full disk) the exit code still tells.
  process.stderr.on('error', () => {})
  const exit = await run(argv, processIo())
  process.exitCode = isCutOff ? Exit.usage : exit
}

/** For whoever runs commands in a process that goes on: `write-compiled.ts`. */
export { run }
