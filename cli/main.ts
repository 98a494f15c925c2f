#!/usr/bin/env node
import { setEngineFlags } from './engine-flags.ts'
import { Exit, processIo } from './io.ts'
import { run } from './run.ts'
import { cannotWrite } from './whole-file.ts'

setEngineFlags()

let isCutOff = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough (`| head`) closes the pipe. That is no error of ours, and what was found stays the exit code.
  if (error.code === 'EPIPE' || isCutOff) return
  isCutOff = true
  process.stderr.write(`Standard output could not be written: ${cannotWrite(error)}. What is there is cut off.\n`)
  // It may come after the command has ended: what was not told in full is no finding.
  process.exitCode = Exit.usage
})
const exit = await run(process.argv.slice(2), processIo())
process.exitCode = isCutOff ? Exit.usage : exit
