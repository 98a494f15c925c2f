import type { FoundFile } from './files.ts'
import type { CommandIo } from './io.ts'
import { firstOf } from './listed.ts'
import { createTerminal } from './terminal.ts'

/** Says which files several of the paths led to: whoever counted on both is told that there is one. */
export function tellNamedAgain(again: readonly FoundFile[], io: CommandIo): void {
  if (again.length === 0) return
  const isOne = again.length === 1
  createTerminal(io.stderr, io.env).line(
    `${firstOf(again.map(({ name }) => name))} ${isOne ? 'was' : 'were'} named more than once and ${isOne ? 'counts' : 'count'} once.`,
    2,
  )
}
