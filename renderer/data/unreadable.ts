import type { AuditOptions } from '../../shared/model/policy.ts'
import type { OpenedDump, SourceInput } from '../../shared/session/protocol.ts'
import { addProblem } from '../state/files.ts'
import { addUnmapped, sourceNamed, type Unmapped } from '../state/mapping.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'

/** More unreadable files than these are counted, where a list has all of them. */
export const MOST_NAMED = 3
/** Where nothing could be read there is no such list, and more of them are named. */
const MOST_NAMED_ALONE = 20

type Unreadable = OpenedDump['unreadable'][number]

/** By their names, texts for people. */
const FOR_PEOPLE = /(^|\/)(readme|licen[cs]e|notice|changelog)(\.[^/]*)?$|\.(md|markdown|rst)$/i

/** Whether a file lies beside a run and was never meant to hold rollouts: a page of words, a picture, the weights of a model. */
export function holdsNoRollouts({ name, code }: Pick<Unreadable, 'name' | 'code'>): boolean {
  return code === 'no-rollouts' || (code === 'not-json' && FOR_PEOPLE.test(name))
}

/**
 * Says which of the files beside those that were read could not be: `most` in their own sentences, the others as a number and where to
 * find them. What was never meant to hold rollouts is no problem, and is named as left out.
 */
export function sayUnreadable(unreadable: OpenedDump['unreadable'], most: number, whereTheRest: string): void {
  const leftOut = unreadable.filter(holdsNoRollouts)
  addUnreadable(
    unreadable.filter((file) => !holdsNoRollouts(file)),
    most,
    whereTheRest,
  )
  const [first] = leftOut
  if (first === undefined) return
  const names = leftOut.length === 1 ? `${first.name} holds` : `${first.name} and ${leftOut.length - 1} more hold`
  say(`${names} no rollouts: left out`)
}

function addUnreadable(unreadable: OpenedDump['unreadable'], most: number, whereTheRest: string): void {
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
  addUnreadable(unreadable, MOST_NAMED_ALONE, '')
  if (unreadable.length === 0)
    addProblem('Nothing in these files could be read as rollouts. Drop the files that the run wrote.')
}
