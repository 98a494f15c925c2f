import { formatMarks, type MarkedRollout, parseMarks } from '../../shared/model/marks.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { useMarks } from '../state/marks.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { database, type InspectorDatabase } from './database.ts'
import { handOver } from './exporting.ts'
import type { MarkChange } from './mark-changes.ts'
import { changeMarks, whyNot } from './marks.ts'

/** Everything marked, or what stands in the open dump, as the text of a file. Null where nothing is marked. */
export async function marksText(which: 'here' | 'all', from: InspectorDatabase = database): Promise<string | null> {
  const [flags, labels, notes] = await Promise.all([from.flags.toArray(), from.labels.toArray(), from.notes.toArray()])
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

/** Hands the marks to the shell's save dialog, or to the browser's downloads. */
export async function exportMarks(which: 'here' | 'all'): Promise<void> {
  try {
    const text = await marksText(which)
    if (text === null) {
      addProblem(
        which === 'here'
          ? 'Nothing of this dump is marked: flag a rollout with f, label it with t, write a note with N.'
          : 'Nothing is marked yet.',
      )
      return
    }
    const { length } = parseMarks(text, 'marks.json').rollouts
    await handOver(
      [{ name: 'marks.json', bytes: new TextEncoder().encode(text) }],
      `Marks on ${counted(length, 'rollout')}`,
    )
  } catch (error) {
    addProblem(`Marks could not be read: ${whyNot(error)}`)
  }
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
