import type { OpenedDump } from '../../shared/session/protocol.ts'
import { addProblem } from '../state/files.ts'
import { counted } from '../text/numbers.ts'

/** More unreadable files than these are counted, where a list has all of them. */
export const MOST_NAMED = 3

/** Says which files could not be read: `most` in their own sentences, the others as a number and where to find them. */
export function sayUnreadable(unreadable: OpenedDump['unreadable'], most: number, whereTheRest: string): void {
  for (const { message } of unreadable.slice(0, most)) addProblem(message)
  if (unreadable.length > most) {
    addProblem(`${counted(unreadable.length - most, 'more file')} could not be read.${whereTheRest}`)
  }
}
