import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMarks, LONGEST_LABEL, type MarkedRollout, parseMarks, tidyLabel } from '../../shared/model/marks.ts'

const marked: MarkedRollout = {
  record: '00112233445566ff',
  part: 1,
  id: 'q1/3',
  dump: 'ab'.repeat(32),
  flagged_at: '2026-11-21T19:00:00.000Z',
  labels: ['end of turn', 'keep'],
  notes: [{ id: 'a1', tokens: [410, 655], text: 'lost its\nschema', written_at: '2026-11-21T19:00:00.000Z' }],
}

const rollout = fc.record({
  record: fc.stringMatching(/^[0-9a-f]{16}$/),
  part: fc.nat(9),
  id: fc.string(),
  dump: fc.string(),
  flagged_at: fc.constantFrom(null, '2026-11-21T19:00:00Z', '2026-11-21T19:00:00.123+02:00'),
  labels: fc.array(fc.string({ unit: 'grapheme' }).map(tidyLabel).filter(Boolean)),
  notes: fc.array(
    fc.record({
      id: fc.stringMatching(/^[0-9a-f]{1,16}$/),
      tokens: fc.option(
        fc.tuple(fc.nat(), fc.integer({ min: 1, max: 99 })).map(([at, length]): [number, number] => [at, at + length]),
      ),
      text: fc.string({ minLength: 1, unit: 'grapheme' }),
      written_at: fc.constant('2026-11-21T19:00:00Z'),
    }),
  ),
})

describe('a file of marks', () => {
  it('is read as it was written, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(rollout), (rollouts) => {
        const text = formatMarks(rollouts)
        const read = parseMarks(text, 'marks.json').rollouts
        expect(read).toHaveLength(rollouts.length)
        expect(read).toEqual(expect.arrayContaining(rollouts))
        expect(formatMarks([...read].reverse())).toBe(rollouts.length < 2 ? text : formatMarks([...rollouts].reverse()))
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['{', /marks\.json is not JSON \(.*\)\. Choose/],
    ['[]', /holds no marks: it has no field “format”/],
    ['{"format": "other/1"}', /its format is “other\/1”, “rollout-inspector\.marks\/1” is expected/],
    [formatMarks([{ ...marked, record: 'XY' }]), /rollouts\[0\]\.record: a hash in lower-case hex digits is expected/],
    [formatMarks([{ ...marked, labels: ['a', ' b'] }]), /rollouts\[0\]\.labels\[1\]: a label is one line/],
    [
      formatMarks([{ ...marked, notes: [{ ...marked.notes[0], tokens: [5, 5] } as MarkedRollout['notes'][number]] }]),
      /rollouts\[0\]\.notes\[0\]\.tokens: a span ends after it begins\. Nothing was taken/,
    ],
    [formatMarks([marked, { ...marked, part: -1, id: 3 as unknown as string }]), /There are 1 more such faults/],
  ])('that is none says what is wrong and where: %#', (text, said) => {
    expect(() => parseMarks(text, 'marks.json')).toThrow(said)
  })
})

describe('a label', () => {
  it.each([
    ['  end   of\tturn ', 'end of turn'],
    ['\u202Eevil\u0000', 'evil'],
    ['\n', ''],
    ['x'.repeat(99), 'x'.repeat(LONGEST_LABEL)],
  ])('%j is kept as %j', (typed, kept) => expect(tidyLabel(typed)).toBe(kept))

  it('is tidied once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tidyLabel(tidyLabel(text))).toBe(tidyLabel(text))
      }),
    )
  })
})
