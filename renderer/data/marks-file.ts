import { formatMarks, type MarkedRollout, parseMarks } from '../../shared/model/marks.ts'
import { sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { useMarks } from '../state/marks.ts'
import { askPerson } from '../state/question.ts'
import { say } from '../state/view.ts'
import { count, counted } from '../text/numbers.ts'
import { database, type InspectorDatabase } from './database.ts'
import { saveFile } from './exporting.ts'
import { keyOf, type MarkChange } from './mark-changes.ts'
import { allMarks, changeMarks, whyNot, whyUnread } from './marks.ts'

/** Everything marked, or what stands in the open dump, as the text of a file. Null where nothing is marked. */
export async function marksText(which: 'here' | 'all', from: InspectorDatabase = database): Promise<string | null> {
  const { flags, labels, notes } = await allMarks(from)
  const rollouts = new Map<string, MarkedRollout>()
  const { places } = useMarks.getState()
  const of = (mark: {
    recordHash: string
    part: number
    trajectory: string
    dumpHash: string
  }): MarkedRollout | null => {
    const key = `${mark.recordHash}.${mark.part}`
    if (which === 'here' && !places.has(key)) return null
    let marked = rollouts.get(key)
    if (marked === undefined) {
      const { recordHash: record, part, trajectory: id, dumpHash: dump } = mark
      marked = { record, part, id, dump, flagged_at: null, labels: [], notes: [] }
      rollouts.set(key, marked)
    }
    return marked
  }
  for (const flag of flags) {
    const marked = of(flag)
    if (marked !== null) marked.flagged_at = flag.flaggedAt
  }
  for (const label of labels) of(label)?.labels.push(label.label)
  for (const { id, tokens, text, writtenAt, ...mark } of notes) {
    of(mark)?.notes.push({ id, tokens: tokens === null ? null : [tokens[0], tokens[1]], text, written_at: writtenAt })
  }
  return rollouts.size === 0 ? null : formatMarks([...rollouts.values()])
}

/** Saves the marks, once it is known where to. */
export async function exportMarks(which: 'here' | 'all'): Promise<void> {
  if (!isAnythingMarked(which)) {
    const unread = whyUnread()
    addProblem(
      unread !== null
        ? `Marks could not be read: ${unread} Reload this window to try again.`
        : which === 'here'
          ? 'Nothing of this dump is marked: flag a rollout with f, label it with t, write a note with N.'
          : 'Nothing is marked yet.',
    )
    return
  }
  await saveFile('marks.json', async () => {
    const text = await marksText(which).catch((error: unknown) => {
      throw new Error(`Marks could not be read: ${whyNot(error)}`)
    })
    if (text === null) throw new Error('Another window has taken the marks away meanwhile.')
    const { length } = parseMarks(text, 'marks.json').rollouts
    return { what: `Marks on ${counted(length, 'rollout')}`, content: text }
  })
}

function isAnythingMarked(which: 'here' | 'all'): boolean {
  const { flagged, labels, notes, places } = useMarks.getState()
  return [flagged, labels, notes].some((marks) => [...marks.keys()].some((key) => which === 'all' || places.has(key)))
}

/** A file of marks that is larger was not written by this program, or by very busy hands. In bytes. */
export const LARGEST_MARKS = 256 << 20

/** Takes in the marks of a file that was dropped, after a question if any of them is not here. Rejects with a sentence. */
export async function offerMarks(file: File): Promise<void> {
  if (file.size > LARGEST_MARKS) throw new Error('it is too large to be a file of marks.')
  const text = await file.text()
  const changes = parseMarks(text, file.name).rollouts.flatMap(changesOf)
  if (changes.length === 0) return say(`All marks of ${file.name} are here already`)
  const touched = new Set(changes.map(keyOf))
  const here = await inOpenDump([...touched])
  const replaced = changes.filter((change) => change.kind === 'note' && change.before !== null).length
  const isWanted = await askPerson({
    title: `Take in the marks of ${file.name}?`,
    says: [
      `It has ${kindsOf(changes)} that ${changes.length === 1 ? 'is' : 'are'} not here, on ${counted(touched.size, 'rollout')}; ${here === null ? 'no run is open' : `${here === 0 ? 'none of them is' : `${count(here)} of them ${here === 1 ? 'is' : 'are'}`} in what is open`}.`,
      `What is here stays${replaced === 0 ? '' : `, but for ${counted(replaced, 'note')} of which the file has a newer text`}. Undo takes them back.`,
    ],
    yes: 'Take them in',
  })
  if (isWanted) await importMarks(text, file.name)
}

/** How many of these records the open dump has; null where nothing is open. */
async function inOpenDump(keys: readonly string[]): Promise<number | null> {
  const { phase } = useFiles.getState()
  if (phase !== 'open' && phase !== 'reading') return null
  return new Set((await ask('findRecords', { keys })).positions).size
}

/** `3 flags, 1 label and 2 notes` */
function kindsOf(changes: readonly MarkChange[]): string {
  const of = (kind: MarkChange['kind']) => changes.filter((change) => change.kind === kind).length
  const named = (['flag', 'label', 'note'] as const).flatMap((kind) => (of(kind) > 0 ? [counted(of(kind), kind)] : []))
  return new Intl.ListFormat('en-GB').format(named)
}

/** Adds the marks of a file to those that are here, as one step that can be undone. Where a note is in both the newer one stays. */
export async function importMarks(text: string, name: string, into: InspectorDatabase = database): Promise<void> {
  try {
    const { rollouts } = parseMarks(text, name)
    let taken = 0
    await changeMarks(
      `marks of ${name}`,
      () => {
        const changes = rollouts.flatMap(changesOf)
        taken = changes.length
        if (taken === 0) say(`All marks of ${name} are here already`)
        return changes
      },
      () => `${counted(taken, 'mark')} taken from ${name}`,
      into,
    )
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

function changesOf({ record, part, id, dump, flagged_at, labels, notes }: MarkedRollout): MarkChange[] {
  const key = `${record}.${part}`
  const state = useMarks.getState()
  const mark = { recordHash: record, part, dumpHash: dump, trajectory: id }
  const known = state.labels.get(key) ?? []
  return [
    ...(flagged_at === null || state.flagged.has(key)
      ? []
      : [{ kind: 'flag' as const, on: true, flag: { ...mark, flaggedAt: flagged_at } }]),
    ...[...new Set(labels)]
      .filter((label) => !known.includes(label))
      .map((label) => ({
        kind: 'label' as const,
        on: true,
        label: { ...mark, label, labelledAt: new Date().toISOString() },
      })),
    ...notes.flatMap(({ id: note, tokens, text, written_at }) => {
      const before = state.notes.get(key)?.find((other) => other.id === note) ?? null
      if (before !== null && Date.parse(before.writtenAt) >= Date.parse(written_at)) return []
      return [{ kind: 'note' as const, before, after: { ...mark, id: note, tokens, text, writtenAt: written_at } }]
    }),
  ]
}
