#!/usr/bin/env node
import { processIo } from './io.ts'
import { run } from './run.ts'

// A reader that has seen enough (`| head`) closes the pipe. That is no error of ours, and what was found stays the exit code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await run(process.argv.slice(2), processIo())
