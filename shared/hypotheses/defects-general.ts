import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { advantagesLost, hasBrokenReward } from '../checks/groups/broken-rewards.ts'
import { checkByCode } from '../checks/registry.ts'
import { isMaskedOnPurpose } from '../checks/truncation/masked-rows-counted.ts'
import {
  type DefectEvidence,
  type DefectShape,
  type Explained,
  explained,
  GAPS,
  inBoth,
  inEither,
  type RowSet,
  rowsWhere,
} from './defects-evidence.ts'
import type { KnownDefect } from './defects-verifiers.ts'
import { whereGapGrew } from './grown-gap.ts'

/** A check whose fault brings others along, in any trainer. */
interface Cause {
  readonly code: string
  readonly explains: readonly Explained[]
  /**
   * What code does to nearly all rollouts in which it shows it does to the others as well: a shifted mask of a short rollout looks like a
   * masked turn. Not so for what documents do.
   */
  readonly ofCode?: true
  /** Where the check says less than what explains the others. */
  readonly title?: string
  /** Rollouts in which it is at work beside those that the check names, each with a byte 1. */
  readonly reaches?: (dump: DumpView) => RowSet
  /** Only in such rollouts. */
  readonly where?: (row: TrajectoryFacts) => boolean
}

/**
 * Of two that could explain the same, the first does. A mask that is wrong as a whole already keeps most checks of single turns silent
 * in its rollouts (`shape.ts`); what is left is listed here.
 */
const CAUSES: readonly Cause[] = [
  // What spells the ids, encodes the texts or renders the messages reads another language. Turns and masks are told by ids that are known.
  {
    code: 'T17',
    explains: [explained('T02', 'T07', 'T09', 'T10', 'T11', 'T12', 'T13', 'T16', 'T18', 'C08', 'C09', 'C12')],
  },
  { code: 'M02', explains: [explained('M01', 'M03', 'M10', 'M12', 'M14', 'M17')], ofCode: true },
  // A reported length that goes by such a mask counts the replies as well.
  { code: 'M05', explains: [explained('M01', 'M08', 'M11', 'M12', 'M17', 'A08')], ofCode: true },
  {
    code: 'M06',
    // A turn that is masked in a mask that lies off is masked beside it.
    explains: [{ codes: ['M03', 'M04'], elsewhere: true }, explained('M08', 'M09', 'M10', 'M11', 'M12', 'M17')],
    ofCode: true,
  },
  { code: 'M07', explains: [explained('M01', 'M03', 'M08', 'M09', 'M10', 'M11', 'T03')] },
  {
    code: 'M01',
    title: 'Nothing is masked: prompt, tool replies and all else carry loss',
    explains: [explained('M08', 'M09', 'M11', 'M12', 'M17')],
    where: ({ trained, masked }) => masked === 0 && (trained ?? 0) > 0,
  },
  {
    code: 'M01',
    title: 'The trained span of a turn runs on through what others said',
    explains: [explained('M08', 'M11')],
    where: ({ runsThrough }) => runsThrough === true,
  },
  { code: 'M13', explains: [explained('M10')], ofCode: true },
  { code: 'T03', explains: [explained('S03', 'M01', 'M08', 'M09', 'M10', 'M11', 'M12', 'L01', 'L02', 'L06')] },
  // Returns that start anew behind a reply are other advantages before it than behind it.
  { code: 'M18', explains: [explained('A12')] },
  { code: 'S01', explains: [explained('T01', 'T04', 'T09')] },
  { code: 'C01', explains: [explained('T07', 'T09', 'C09'), GAPS] },
  { code: 'T15', explains: [explained('M01', 'M03', 'C02', 'C08', 'C09', 'T05', 'T09', 'T11'), GAPS] },
  { code: 'C02', explains: [explained('T07', 'T09', 'C09'), GAPS] },
  { code: 'M15', explains: [GAPS] },
  { code: 'T07', explains: [GAPS] },
  // Turns that have lost their markers are read as one that is not closed, and what others said in it as said by the model.
  { code: 'T16', explains: [explained('C03', 'C07', 'C09', 'A06', 'L05'), GAPS] },
  { code: 'T05', explains: [GAPS] },
  // Of two headers the second is taken for the model's first words, and trained with them.
  { code: 'T06', explains: [explained('M08')] },
  { code: 'T10', explains: [GAPS] },
  { code: 'T02', explains: [GAPS] },
  { code: 'L08', explains: [explained('L01', 'L02')], reaches: whereGapGrew },
  { code: 'L09', explains: [explained('L01')] },
  { code: 'L02', explains: [explained('L01')] },
  { code: 'C08', explains: [explained('C09')] },
  { code: 'C14', explains: [explained('M04')] },
  // Of a row that the model ended the mask is wrong, and its reward counts as it should.
  { code: 'M04', explains: [explained('C04')], where: (row) => !isMaskedOnPurpose(row) },
  { code: 'A06', explains: [explained('S04')] },
  // Of what is also another matter, as arrays of other lengths, it is no cause.
  {
    code: 'A10',
    title: 'Rewards that are no numbers make the advantages of their groups none',
    explains: [explained('S03')],
    reaches: advantagesLost,
    where: (row) => row.unfit !== true && (row.brokenAdvantage !== undefined || hasBrokenReward(row)),
  },
  { code: 'A10', explains: [explained('A01')] },
]

/** Defects that any trainer may have, each by the code of its cause; told only where they explain more than themselves. */
export const GENERAL_DEFECTS: readonly KnownDefect[] = CAUSES.flatMap((cause) => {
  const check = checkByCode(cause.code)
  if (check === null) return []
  const { code, title, why, fix, cite } = check
  return [
    {
      id: code,
      title: cause.title ?? title,
      why,
      fix,
      cite,
      explains: cause.explains,
      recognise: (evidence: DefectEvidence) => recognise(evidence, cause),
    },
  ]
})

function recognise(evidence: DefectEvidence, { code, ofCode, reaches, where }: Cause): DefectShape | null {
  const { dump } = evidence
  const check = evidence.failing(code)
  const rows = evidence.rows(code)
  if (check === null || (where !== undefined && rows === null)) return null
  const shape = { checks: [code], places: { ...check.places } }
  if (rows === null) return { ...shape, rows }
  const { 'systematic-units': units, 'systematic-share': share } = dump.settings.thresholds
  if (ofCode && check.affected >= units && check.affected >= share * check.checked) {
    return { ...shape, rows: rowsWhere(dump, () => true) }
  }
  const reached = reaches === undefined ? rows : inEither(rows, reaches(dump))
  const such = where === undefined ? reached : inBoth(reached, rowsWhere(dump, where))
  return such.includes(1) ? { ...shape, rows: such } : null
}
