import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownKind } from '../../renderer/data/own-files.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import { applied, difference, inverse } from '../../shared/notebook/delta.ts'
import { addHypothesis, editHypothesis, historyOf, pinEvidence, removeHypothesis } from '../../shared/notebook/edit.ts'
import { checkNotebook, NOTEBOOK_SCHEMA, NotebookError } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { notebookText, readNotebookText } from '../../shared/notebook/notebook-file.ts'
import { DEED, evidence, minute } from './edits.ts'

describe('a new notebook', () => {
  const notebook = newNotebook()

  test('has the hypotheses that the program has verdicts for, under their ids and titles, none tested', () => {
    expect(notebook.hypotheses.map(({ verdict, title }) => [verdict, title])).toEqual(
      HYPOTHESES.map(({ id, title }) => [id, title]),
    )
    expect(new Set(notebook.hypotheses.map(({ status }) => status))).toEqual(new Set(['pending']))
    expect(notebook.hypotheses.flatMap(({ evidence: pinned }) => pinned)).toEqual([])
  })

  test('says of each what it is, how to test it and when to give it up', () => {
    const empty = notebook.hypotheses.filter(
      ({ description, rootCause, why, validation, invalidation, questions, testing }) =>
        [description, rootCause, why, invalidation, questions, testing].includes('') ||
        validation.length === 0 ||
        validation.some(({ title, how, success }) => [title, how, success].includes('')),
    )
    expect(empty.map(({ id }) => id)).toEqual([])
  })

  test('has five criteria of success', () => {
    expect(notebook.problem.criteria).toHaveLength(5)
  })
})

describe('a change', () => {
  test('is kept with its time and reason', () => {
    const at = minute(0)
    const next = editHypothesis(newNotebook(), 'H02', { status: 'validated' }, { at, reason: 'M01 in every rollout' })
    expect(next.hypotheses.find(({ id }) => id === 'H02')?.status).toBe('validated')
    expect(historyOf(next, { kind: 'hypothesis', id: 'H02' })).toEqual([
      {
        at,
        of: { kind: 'hypothesis', id: 'H02' },
        field: 'status',
        from: 'pending',
        to: 'validated',
        reason: 'M01 in every rollout',
      },
    ])
  })

  test('of a text that is being written is one change, and none where it ends as it began', () => {
    let notebook = newNotebook()
    for (const [minutes, notes] of [[0, 'a'] as const, [1, 'ab'] as const, [2, 'abc'] as const])
      notebook = editHypothesis(notebook, 'H01', { notes }, { at: minute(minutes) })
    expect(notebook.history.map(({ from, to }) => [from, to])).toEqual([['', 'abc']])
    const later = editHypothesis(notebook, 'H01', { notes: 'abcd' }, { at: minute(60) })
    expect(later.history).toHaveLength(2)
    expect(editHypothesis(notebook, 'H01', { notes: '' }, { at: minute(3) }).history).toEqual([])
  })

  test('that changes nothing leaves the notebook as it is', () => {
    const notebook = newNotebook()
    expect(editHypothesis(notebook, 'H01', { status: 'pending' }, { at: minute(0) })).toBe(notebook)
    expect(editHypothesis(notebook, 'H99', { status: 'testing' }, { at: minute(0) })).toBe(notebook)
  })

  test('adds hypotheses under the next free number', () => {
    const first = addHypothesis(newNotebook(), 'Optimizer state', { at: minute(0) })
    expect(first.id).toBe('H09')
    expect(addHypothesis(first.notebook, 'Another', { at: minute(1) }).id).toBe('H10')
  })
})

describe('what changed between two notebooks', () => {
  test('goes on top and comes off again, whatever was done', () => {
    fc.assert(
      fc.property(fc.array(DEED, { maxLength: 6 }), fc.array(DEED, { minLength: 1, maxLength: 4 }), (before, deeds) => {
        let minutes = 0
        const start = before.reduce((notebook, deed) => deed(notebook, minute(minutes++)), newNotebook())
        const end = deeds.reduce((notebook, deed) => deed(notebook, minute(minutes++)), start)
        const delta = difference(start, end)
        if (delta === null) return
        expect(sorted(applied(start, delta))).toEqual(sorted(end))
        expect(sorted(applied(end, inverse(delta)))).toEqual(sorted(start))
      }),
      { numRuns: 60 },
    )
  })

  test('leaves alone what another window did meanwhile', () => {
    const start = newNotebook()
    const mine = pinEvidence(start, 'H02', evidence('mine'), { at: minute(0) })
    const theirs = editHypothesis(
      pinEvidence(start, 'H02', evidence('theirs'), { at: minute(1) }),
      'H02',
      { status: 'testing' },
      { at: minute(1) },
    )
    const delta = difference(start, mine)
    expect(delta).not.toBeNull()
    const both = applied(theirs, delta!)
    const h02 = both.hypotheses.find(({ id }) => id === 'H02')
    expect(h02?.evidence.map(({ id }) => id).sort()).toEqual(['mine', 'theirs'])
    expect(h02?.status).toBe('testing')
    expect(both.history).toHaveLength(3)
    const undone = applied(both, inverse(delta!))
    expect(undone).toEqual(theirs)
  })

  test('puts a hypothesis back where it stood', () => {
    const start = newNotebook()
    const without = removeHypothesis(start, 'H03', { at: minute(0) })
    const delta = difference(start, without)
    expect(applied(without, inverse(delta!))).toEqual(start)
  })
})

describe('a notebook as one file', () => {
  test('is the same after it was written and read', () => {
    fc.assert(
      fc.property(fc.array(DEED, { maxLength: 8 }), (deeds) => {
        const notebook = deeds.reduce((before, deed, at) => deed(before, minute(at)), newNotebook())
        const text = notebookText(notebook)
        expect(ownKind(text.slice(0, 200))).toBe('notebook')
        expect(readNotebookText(text, 'a.json')).toEqual(notebook)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['not JSON', '{', /a\.json is no notebook: it is not JSON/],
    ['another version', `{"schema":"${NOTEBOOK_SCHEMA.replace('/1', '/7')}"}`, /another version.*notebook\/7/],
    ['another file', '{"schema":"rollout-inspector.report/1"}', /cannot be read: .*“schema”/],
    [
      'a status that there is none of',
      notebookText(newNotebook()).replace('"status": "pending"', '"status": "broken"'),
      /“hypotheses\.0\.status”/,
    ],
    [
      'a page outside its folder',
      notebookText({
        ...newNotebook(),
        folder: { name: 'x', pages: [{ path: '../x.md', text: '' }], others: [], importedAt: '' },
      }),
      /leads out of the folder, at “folder\.pages\.0\.path”/,
    ],
    [
      'a link that leads elsewhere',
      notebookText(
        pinEvidence(newNotebook(), 'H01', { ...evidence('e'), address: 'https://example.org' }, { at: minute(0) }),
      ),
      /leads out of the page, at “hypotheses\.0\.evidence\.0\.address”/,
    ],
    [
      'an id twice',
      notebookText(newNotebook()).replace('"id": "H02"', '"id": "H01"'),
      /the id “H01” stands in it twice/,
    ],
  ])('is refused with the place: %s', (_what, text, message) => {
    expect(() => readNotebookText(text, 'a.json')).toThrow(NotebookError)
    expect(() => readNotebookText(text, 'a.json')).toThrow(message)
  })

  test('of any JSON is read or refused with a sentence', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => checkNotebook(value)).toThrow(NotebookError)
      }),
    )
  })
})

/** Lists with ids have no order of their own once entries came and went. */
function sorted(notebook: ReturnType<typeof newNotebook>) {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  return {
    ...notebook,
    hypotheses: notebook.hypotheses
      .map((each) => ({
        ...each,
        evidence: [...each.evidence].sort(byId),
        validation: [...each.validation].sort(byId),
      }))
      .sort(byId),
    experiments: [...notebook.experiments].sort(byId),
    history: [...notebook.history].sort(byText),
  }
}
