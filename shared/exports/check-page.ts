import { checkByCode } from '../checks/registry.ts'
import { storyOf } from '../checks/reporting/stories.ts'
import { fixOfKinds } from '../hypotheses/fixes.ts'
import { KNOWN_DEFECTS } from '../hypotheses/known-defects.ts'
import { HYPOTHESES } from '../hypotheses/registry.ts'
import type { Severity } from '../model/report.ts'
import { THRESHOLD_IDS, THRESHOLDS, type ThresholdId, thresholdsOf } from '../model/thresholds/registry.ts'

/** All that is known of a check, for people: the same in the app, on the command line, in SARIF and in docs/checks. */
export interface CheckPage {
  readonly code: string
  readonly name: string
  readonly title: string
  readonly severity: Severity
  /** The usual fix, in a sentence; it stands among the sections as well. */
  readonly fix: string
  /** The same for each kind of its faults, where it tells of several; empty elsewhere. */
  readonly fixes: Readonly<Record<string, string>>
  readonly needs: readonly string[]
  readonly hypotheses: readonly string[]
  readonly facts: readonly { readonly term: string; readonly value: string }[]
  readonly sections: readonly PageSection[]
}

export interface PageSection {
  readonly heading: string
  /** Sentences of their own; `name` is a code, an id or a threshold that the sentence is about. */
  readonly items: readonly { readonly name: string | null; readonly text: string }[]
  /** Stands on the page of every check: whoever shows many pages may tell it once. */
  readonly shared?: true
}

const SEVERITY_MEANS: Readonly<Record<Severity, string>> = {
  error: 'error: many tokens get a silently wrong gradient',
  warning: 'warning: biased, noisy or local',
  info: 'info: no fault by itself',
}

const UNITS = { trajectory: 'rollouts', group: 'groups', source: 'files' } as const

/** Null where there is no check of that code. */
export function checkPage(code: string): CheckPage | null {
  const check = checkByCode(code)
  if (check === null) return null
  const { name, title, severity, needs, beside, hypotheses, looksAt, unit, why, fix, fixes = {}, cite } = check
  const story = storyOf(code)
  const wanted = [...needs, ...(beside === undefined ? [] : [beside])]
  const sections: PageSection[] = [
    { heading: 'Why it matters', items: [plain(why)] },
    { heading: 'Usual fix', items: [fix, ...Object.values(fixes)].map(plain) },
    { heading: 'What trips it', items: story === null ? [] : [plain(story.trips)] },
    { heading: 'What looks like it and is right', items: story === null ? [] : [plain(story.nearMiss)] },
    {
      heading: 'Defects that explain it',
      items: explainedBy(code).map(({ id, title }) => ({ name: id, text: sentence(title) })),
    },
    { heading: 'Thresholds (--threshold ID=VALUE)', items: thresholdItems(own(thresholdsOf(code))) },
    sharedThresholds(),
    { heading: 'Seen in', items: [{ name: null, text: cite }] },
  ]
  return {
    code,
    name,
    title,
    severity,
    fix: sentence(fix),
    fixes,
    needs,
    hypotheses,
    facts: [
      { term: 'Name', value: name },
      { term: 'Severity', value: SEVERITY_MEANS[severity] },
      { term: 'Needs', value: wanted.length === 0 ? 'nothing beyond the rollouts' : wanted.join(', ') },
      { term: 'Looks at', value: looksAt },
      { term: 'Counts', value: UNITS[unit] },
      { term: 'Speaks for', value: hypotheses.map(hypothesisName).join(', ') || 'no hypothesis' },
    ],
    sections: sections.filter(({ items }) => items.length > 0),
  }
}

/** The usual fix of a check, or those of the kinds of its faults that there are; null where there is no check of that code. */
export function fixOf(code: string, kinds: readonly string[] = []): string | null {
  const page = checkPage(code)
  return page === null ? null : fixOfKinds(page, kinds)
}

function plain(text: string): PageSection['items'][number] {
  return { name: null, text: sentence(text) }
}

/** Stories begin small and end without a full stop, as the names of tests do. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

function hypothesisName(id: string): string {
  return `${id} ${HYPOTHESES.find((hypothesis) => hypothesis.id === id)?.title ?? ''}`.trimEnd()
}

/** The defects of which a check may be a symptom, but for the one that it names itself. */
export function explainedBy(code: string): { readonly id: string; readonly title: string }[] {
  const shown = storyOf(code)?.defects ?? []
  return KNOWN_DEFECTS.filter(
    ({ id, explains }) => id !== code && (shown.includes(id) || explains.some(({ codes }) => codes.includes(code))),
  )
}

/** The thresholds by which every check tells a pattern from single places. */
export function sharedThresholds(): PageSection {
  const ids = THRESHOLD_IDS.filter((id) => THRESHOLDS[id].usedBy === 'every check')
  return { heading: 'When it is systematic (--threshold ID=VALUE)', items: thresholdItems(ids), shared: true }
}

function own(ids: readonly ThresholdId[]): ThresholdId[] {
  return ids.filter((id) => THRESHOLDS[id].usedBy !== 'every check')
}

function thresholdItems(ids: readonly ThresholdId[]): PageSection['items'] {
  return ids.map((id) => {
    const { value, unit, range, reason } = THRESHOLDS[id]
    const [least, greatest] = range.map(boundText)
    return { name: id, text: `${value} (${unit}, ${least} to ${greatest}). ${sentence(reason)}` }
  })
}

/** Thousands apart, and what stands for no bound in three letters and not in thirty noughts. */
function boundText(bound: number): string {
  return Math.abs(bound) < 1e15 ? bound.toLocaleString('en-US') : String(bound).replace('+', '')
}
