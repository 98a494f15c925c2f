import { expect, it } from 'vitest'
import { patternOf } from '../../shared/checks/reporting/systematic.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

/** A row of so many turns of the model whose mask runs on from the second one, where `runs`. */
function rowOf(turns: number, runs: boolean, index: number) {
  const said = Array.from({ length: turns }, (_, i) => [user(`Film ${index}.${i}?`), assistant('By Ines Valdoro.')])
  const row = conversation(qwen2, said.flat(), {
    editMask: (mask, layout) => {
      if (runs && turns > 1) mask.fill(1, layout[3]!.contentStart)
    },
  })
  return trajectoryOf(row, { source: 0, record: index, part: 0 })
}

function overruns(turns: readonly number[], runs: (index: number) => boolean = () => true) {
  const rows = turns.map((each, index) => rowOf(each, runs(index), index))
  const { tally } = auditTrajectories(rows, qwen2).byCode.get('M05')!
  return { affected: tally.affected, pattern: patternOf(tally, DEFAULT_THRESHOLDS) }
}

const mixed = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 2 : 3))

it('runs on from every second turn, though rows that end with it cannot show it', () => {
  expect(overruns(mixed)).toEqual({ affected: 12, pattern: 'systematic' })
})

it('runs on from some second turns where others that are followed end as they should', () => {
  expect(overruns(mixed, (index) => index % 4 === 1)).toEqual({ affected: 6, pattern: 'sporadic' })
})

it.each([
  [undefined, { M01: 0, M05: 1 }],
  [['M01', 'M05'], { M01: 0, M05: 1 }],
  [['M01'], { M01: 1, M05: 1 }],
] as const)('what runs on over a reply is told once, and by M01 where M05 is not asked for: %s', async (checks, found) => {
  const { byCode } = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: searchRows({}, { editMask: (mask, layout) => mask.fill(1, layout[2]!.contentStart) }, 1),
    ...(checks === undefined ? {} : { options: { checks: [...checks] } }),
  })
  const rollouts = (code: string) => byCode.get(code)!.tally.affected
  expect({ M01: rollouts('M01'), M05: rollouts('M05') }).toEqual(found)
})

it('judges replies by the rollouts whose masks do not run on', () => {
  const rows = [2, 3, 3, 3].map((turns, index) => rowOf(turns, index === 1, index))
  const { tally } = auditTrajectories(rows, qwen2).byCode.get('M01')!
  expect(tally).toMatchObject({ checked: 3, affected: 0, placesChecked: 8 })
})

it('tells of a reply that is trained before the turn from which the mask runs on', () => {
  const said = [user('Who?'), assistant('Ines.'), user('When?'), assistant('1911.'), user('Why?'), assistant('A film.')]
  const row = conversation(qwen2, said, {
    editMask: (mask, layout) => {
      mask.fill(1, layout[2]!.contentStart, layout[2]!.contentEnd)
      mask.fill(1, layout[3]!.contentStart)
    },
  })
  const { tally } = auditTrajectories([trajectoryOf(row, { source: 0, record: 0, part: 0 })], qwen2).byCode.get('M01')!
  expect(tally).toMatchObject({ checked: 1, affected: 1, placesChecked: 2, placesAffected: 1 })
})
