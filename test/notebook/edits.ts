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

/** One of these things, told in plain data. */
export const PLAIN_DEED = fc.record({
  kind: fc.constantFrom(
    ...([
      'set status',
      'write results',
      'change validation',
      'add hypothesis',
      'remove hypothesis',
      'add experiment',
      'set command',
      'remove experiment',
      'link run',
      'pin evidence',
      'unpin evidence',
      'write problem',
    ] as const),
  ),
  at: fc.nat({ max: 20 }),
  other: fc.nat({ max: 20 }),
  text: fc.string({ unit: 'grapheme', maxLength: 40 }),
  status: fc.constantFrom(...STATUSES),
  priority: fc.constantFrom(...PRIORITIES),
  category: fc.constantFrom(...CATEGORIES),
})

type PlainDeed = typeof PLAIN_DEED extends fc.Arbitrary<infer Data> ? Data : never

function one<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)]
}

export function deedOf({ kind, at, other, text, status, priority, category }: PlainDeed): Deed {
  return (notebook, now) => {
    const hypothesis = one(notebook.hypotheses, at)
    const id = hypothesis?.id ?? ''
    const experiment = one(notebook.experiments, at)?.id ?? ''
    if (kind === 'set status') return editHypothesis(notebook, id, { status }, { at: now, reason: text })
    if (kind === 'write results') return editHypothesis(notebook, id, { results: text, priority }, { at: now })
    if (kind === 'change validation') {
      const validation = (hypothesis?.validation ?? []).map((method) => ({ ...method, how: text }))
      return editHypothesis(notebook, id, { validation: validation.slice(at % 3) }, { at: now })
    }
    if (kind === 'add hypothesis') return addHypothesis(notebook, text, { at: now }).notebook
    if (kind === 'remove hypothesis') return removeHypothesis(notebook, id, { at: now })
    if (kind === 'add experiment') return addExperiment(notebook, category, text, { at: now }).notebook
    if (kind === 'set command') return editExperiment(notebook, experiment, { command: text }, { at: now })
    if (kind === 'remove experiment') return removeExperiment(notebook, experiment, { at: now })
    if (kind === 'link run') return linkRun(notebook, experiment, { dump: `d${at}`, names: [], linkedAt: now })
    if (kind === 'pin evidence') return pinEvidence(notebook, id, evidence(`e${other}`), { at: now })
    if (kind === 'unpin evidence')
      return unpinEvidence(notebook, id, one(hypothesis?.evidence ?? [], other)?.id ?? '', { at: now })
    return editProblem(notebook, { statement: text }, { at: now })
  }
}

export const DEED: fc.Arbitrary<Deed> = PLAIN_DEED.map(deedOf)
