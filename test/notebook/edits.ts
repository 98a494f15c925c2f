import fc from 'fast-check'
import {
  addExperiment,
  addHypothesis,
  editExperiment,
  editHypothesis,
  editProblem,
  linkRun,
  pinEvidence,
  removeExperiment,
  removeHypothesis,
  unpinEvidence,
} from '../../shared/notebook/edit.ts'
import { CATEGORIES, type Evidence, type Notebook, PRIORITIES, STATUSES } from '../../shared/notebook/model.ts'

/** A moment of the tests' own day, so many minutes in. */
export function minute(minutes: number): string {
  return new Date(Date.UTC(2026, 0, 5) + minutes * 60_000).toISOString()
}

export function evidence(id: string, title = `The share is ${id}`): Evidence {
  return {
    id,
    kind: 'measure',
    title,
    numbers: [{ name: 'share', value: 0.31, unit: null }],
    from: { dump: 'aa11bb22', names: ['step_12.jsonl'], version: '0.1.0', report: null, settings: { policy: 'rl' } },
    key: { measure: 'share' },
    address: '#dump=aa11bb22',
    pinnedAt: minute(0),
    note: '',
  }
}

/** One thing that a person may do to any notebook. */
export type Deed = (notebook: Notebook, at: string) => Notebook

const WORDS = fc.string({ unit: 'grapheme', maxLength: 40 })
const pick = fc.nat({ max: 20 })

function one<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)]
}

export const DEED: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(pick, fc.constantFrom(...STATUSES), WORDS).map(
    ([at, status, reason]): Deed =>
      (notebook, now) =>
        editHypothesis(notebook, one(notebook.hypotheses, at)?.id ?? '', { status }, { at: now, reason }),
  ),
  fc.tuple(pick, WORDS, fc.constantFrom(...PRIORITIES)).map(
    ([at, text, priority]): Deed =>
      (notebook, now) =>
        editHypothesis(notebook, one(notebook.hypotheses, at)?.id ?? '', { results: text, priority }, { at: now }),
  ),
  fc.tuple(pick, WORDS).map(
    ([at, text]): Deed =>
      (notebook, now) => {
        const hypothesis = one(notebook.hypotheses, at)
        const validation = (hypothesis?.validation ?? []).map((method) => ({ ...method, how: text }))
        return editHypothesis(notebook, hypothesis?.id ?? '', { validation: validation.slice(at % 3) }, { at: now })
      },
  ),
  WORDS.map(
    (title): Deed =>
      (notebook, now) =>
        addHypothesis(notebook, title, { at: now }).notebook,
  ),
  pick.map(
    (at): Deed =>
      (notebook, now) =>
        removeHypothesis(notebook, one(notebook.hypotheses, at)?.id ?? '', { at: now }),
  ),
  fc.tuple(fc.constantFrom(...CATEGORIES), WORDS).map(
    ([category, title]): Deed =>
      (notebook, now) =>
        addExperiment(notebook, category, title, { at: now }).notebook,
  ),
  fc.tuple(pick, WORDS).map(
    ([at, command]): Deed =>
      (notebook, now) =>
        editExperiment(notebook, one(notebook.experiments, at)?.id ?? '', { command }, { at: now }),
  ),
  pick.map(
    (at): Deed =>
      (notebook, now) =>
        removeExperiment(notebook, one(notebook.experiments, at)?.id ?? '', { at: now }),
  ),
  pick.map(
    (at): Deed =>
      (notebook, now) =>
        linkRun(notebook, one(notebook.experiments, at)?.id ?? '', { dump: `d${at}`, names: [], linkedAt: now }),
  ),
  fc.tuple(pick, pick).map(
    ([at, name]): Deed =>
      (notebook, now) =>
        pinEvidence(notebook, one(notebook.hypotheses, at)?.id ?? '', evidence(`e${name}`), { at: now }),
  ),
  fc.tuple(pick, pick).map(
    ([at, name]): Deed =>
      (notebook, now) => {
        const hypothesis = one(notebook.hypotheses, at)
        return unpinEvidence(notebook, hypothesis?.id ?? '', one(hypothesis?.evidence ?? [], name)?.id ?? '', {
          at: now,
        })
      },
  ),
  WORDS.map(
    (statement): Deed =>
      (notebook, now) =>
        editProblem(notebook, { statement }, { at: now }),
  ),
)
