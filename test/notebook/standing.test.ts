import { expect, test } from 'vitest'
import { STATUSES } from '../../shared/notebook/model.ts'
import { standingOf } from '../../shared/notebook/standing.ts'

test('a status and a verdict agree, disagree, or one of them says nothing', () => {
  const table = STATUSES.map((status) => [
    status,
    ...(['supported', 'contradicted', 'inconclusive', 'not-checkable'] as const).map((verdict) =>
      standingOf(status, verdict),
    ),
  ])
  expect(table).toEqual([
    ['pending', 'undecided', 'undecided', 'silent', 'silent'],
    ['testing', 'undecided', 'undecided', 'silent', 'silent'],
    ['partial', 'agree', 'disagree', 'silent', 'silent'],
    ['inconclusive', 'undecided', 'undecided', 'silent', 'silent'],
    ['validated', 'agree', 'disagree', 'silent', 'silent'],
    ['invalidated', 'disagree', 'agree', 'silent', 'silent'],
  ])
})
