import type { AuditOptions } from '../../shared/model/policy.ts'
import type { OpenedDump, SourceInput } from '../../shared/session/protocol.ts'
import { addProblem } from '../state/files.ts'
import { addUnmapped, sourceNamed, type Unmapped } from '../state/mapping.ts'
import { counted } from '../text/numbers.ts'

/** More unreadable files than these are counted, where a list has all of them. */
export const MOST_NAMED = 3
/** Where nothing could be read there is no such list, and more of them are named. */
const MOST_NAMED_ALONE = 20

/** Says which files could not be read: `most` in their own sentences, the others as a number and where to find them. */
export function sayUnreadable(unreadable: OpenedDump['unreadable'], most: number, whereTheRest: string): void {
  for (const { message } of unreadable.slice(0, most)) addProblem(message)
  if (unreadable.length > most) {
    addProblem(`${counted(unreadable.length - most, 'more file')} could not be read.${whereTheRest}`)
  }
}

/** Files whose fields a person may map. */
export function unmappedOf(
  unreadable: OpenedDump['unreadable'],
  sources: readonly SourceInput[],
  options: AuditOptions,
): Unmapped[] {
  return unreadable.flatMap(({ name, code, message }) => {
    const source = sourceNamed(sources, name)
    return code !== 'unknown-format' || source === undefined ? [] : [{ name, message, source, sources, options }]
  })
}

/** Says why none of the files could be read, and offers to map the fields of those that have some. */
export function sayNothingReadable(
  unreadable: OpenedDump['unreadable'],
  sources: readonly SourceInput[],
  options: AuditOptions,
): void {
  addUnmapped(unmappedOf(unreadable, sources, options))
  sayUnreadable(unreadable, MOST_NAMED_ALONE, '')
  if (unreadable.length === 0)
    addProblem('Nothing in these files could be read as rollouts. Drop the files that the run wrote.')
}
