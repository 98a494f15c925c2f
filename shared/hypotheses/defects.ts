import type { DumpView } from '../checks/check.ts'
import { isCut } from '../checks/limits.ts'
import type { CheckResult, Count, Defect } from '../model/report.ts'
import { isSystematicAfterFirst, rolloutsByTurn, splitByTurn } from './multi-step.ts'

/** A defect of training code that is known by its shape: which checks fail, and where. */
interface KnownDefect {
  readonly id: string
  readonly title: string
  /** All of them must be failing, but for those that this dump has nothing to look at with. */
  readonly checks: readonly string[]
  /** Places of the defect, or null where the shape is not its own. Gets the first of `checks` and, where it fails, the second. */
  shape(checks: readonly CheckResult[], dump: DumpView): Count | null
}

/**
 * The defects of the old verifiers trainer (bdsaglam/verifiers, up to v0.1.4 of September 2025) that a dump shows. Each is
 * one statement about the code that wrote the dump, however many findings it left.
 */
const KNOWN_DEFECTS: readonly KnownDefect[] = [
  {
    id: 'V1',
    title: 'Loss mask used as attention mask',
    checks: ['M15'],
    shape: ([attention]) => systematicPlaces(attention),
  },
  {
    id: 'V2',
    title: 'Assistant header missing after the first turn',
    checks: ['T05'],
    shape: ([header], dump) => placesAfterFirst(header, dump),
  },
  {
    id: 'V3',
    title: 'Newline after the end token of assistant turns lost',
    checks: ['T04'],
    shape: ([newline], dump) => placesAfterAssistant(newline, dump),
  },
  {
    id: 'V4',
    title: 'Tool schema absent from the training prompt though inference had it',
    checks: ['T07'],
    shape: ([tools]) => systematicPlaces(tools),
  },
  {
    id: 'V5',
    title:
      'Role header trained from the second assistant turn on, with the newline after turns where the template has one',
    checks: ['M08', 'M11'],
    // Llama's template has no newline between turns: the header is then all there is of it.
    shape: ([header, newline], dump) =>
      newline === undefined || newline.pattern === 'systematic' ? placesAfterFirst(header, dump) : null,
  },
  {
    id: 'V6',
    title: 'Begin-of-text token doubled by encoding rendered text',
    checks: ['T01'],
    shape: ([bos]) => systematicPlaces(bos),
  },
  {
    id: 'V10',
    title: 'Truncation flag not set on turns that hit their token limit',
    checks: ['C03'],
    shape: (_, dump) => unflaggedCuts(dump),
  },
  {
    id: 'V11',
    title: 'Truncated and masked rows still enter the mean and std of their group',
    checks: ['C04'],
    shape: ([counted]) => counted?.places ?? null,
  },
  {
    id: 'V12',
    title: 'Truncated rows keep the reward earned by text they no longer contain',
    checks: ['C12'],
    shape: ([reward]) => reward?.places ?? null,
  },
]

/** The known defects in a dump, in the order of their numbers. */
export function recogniseDefects(checks: readonly CheckResult[], dump: DumpView): Defect[] {
  const byCode = new Map(checks.map((check) => [check.code, check]))
  return KNOWN_DEFECTS.flatMap(({ id, title, checks: codes, shape }) => {
    const there = codes.filter((code) => byCode.get(code)?.status !== 'not-applicable')
    const failing = there.flatMap((code) => byCode.get(code) ?? []).filter(({ status }) => status === 'fail')
    if (failing.length < there.length || failing[0]?.code !== codes[0]) return []
    const places = shape(failing, dump)
    return places === null ? [] : [{ id, title, checks: there, places: { ...places } }]
  })
}

function systematicPlaces(check: CheckResult | undefined): Count | null {
  return check?.pattern === 'systematic' ? check.places : null
}

/** The turns from the second on, where nearly all of them are affected and no first one is. */
function placesAfterFirst(check: CheckResult | undefined, dump: DumpView): Count | null {
  if (check === undefined || !isSystematicAfterFirst(check, dump)) return null
  return splitByTurn(check, rolloutsByTurn(dump.facts)).later
}

/** The edges after assistant turns, where nearly all of them are affected and no other edge is. */
function placesAfterAssistant(check: CheckResult | undefined, { settings }: DumpView): Count | null {
  const places = { checked: 0, affected: 0 }
  for (const [boundary, count] of Object.entries(check?.by_boundary ?? {})) {
    if (boundary.startsWith('assistant>')) {
      places.checked += count.checked
      places.affected += count.affected
    } else if (count.affected > 0) return null
  }
  const { 'systematic-units': units, 'systematic-share': share } = settings.thresholds
  return places.affected >= units && places.affected >= share * places.checked ? places : null
}

/** Trained and rewarded rows that end in the open while their own flag says that they were not truncated. */
function unflaggedCuts(dump: DumpView): Count | null {
  const cut = dump.facts.filter((row) => isCut(row) && (row.trained ?? 0) > 0 && !row.excluded && (row.reward ?? 0) > 0)
  const unflagged = cut.filter(({ isTruncated }) => isTruncated === false)
  return unflagged.length === 0 ? null : { checked: cut.length, affected: unflagged.length }
}
