import type { CommandIo } from './io.ts'
import { createTerminal } from './terminal.ts'

/** Tells of files that could not be read, each by its sentence, beside an answer that rests on the others. */
export function tellUnread(unreadable: readonly { readonly message: string }[], io: CommandIo): void {
  const terminal = createTerminal(io.stderr, io.env)
  for (const { message } of unreadable) terminal.line(`not read: ${message}`, 2)
}
