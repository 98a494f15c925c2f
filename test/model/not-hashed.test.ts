import { describe, expect, it } from 'vitest'
import { NOT_HASHED, whyNotHashed } from '../../shared/model/not-hashed.ts'
import type { SourceReport } from '../../shared/model/report.ts'

const READ: SourceReport = {
  name: 'dump.jsonl',
  bytes: 10,
  sha256: null,
  container: 'jsonl',
  format: null,
  records: 1,
  trajectories: 1,
  skipped: [],
  missing: [],
  drift: [],
}

const REST = { record: 1, line: 2, byte: 5, code: 'read-error', message: 'It was removed while it was read.' }

describe('why a file has no SHA-256', () => {
  it.each<[string, Partial<SourceReport>, string | null]>([
    ['is not asked where it has one', { sha256: 'aa', notes: [NOT_HASHED] }, null],
    ['is its note where it was left until all was judged', { notes: ['Read as lines.', NOT_HASHED] }, NOT_HASHED],
    [
      'is why nothing of it could be read',
      { unreadable: { code: 'unknown-container', message: 'It is no dump.' } },
      'Its SHA-256 is not known: It is no dump.',
    ],
    [
      'is what became of it while it was read',
      { skipped: [{ ...REST, code: 'bad-json', message: 'Not JSON.' }, REST] },
      'Its SHA-256 is not known: It was removed while it was read.',
    ],
    [
      'may be that it was written meanwhile, and no record that cannot be read is a reason',
      { skipped: [{ ...REST, code: 'bad-json', message: 'Not JSON.' }] },
      'Its SHA-256 is not known: it was followed while it was written, or not all of it was read when this was.',
    ],
  ])('%s', (_, more, why) => {
    expect(whyNotHashed({ ...READ, ...more })).toBe(why)
  })
})
