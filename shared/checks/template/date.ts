import { count } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** T14. A template that writes today's date makes another prompt every day. */
export const T14: Check = {
  code: 'T14',
  name: 'dates-differ',
  title: 'System turns carry different dates',
  hypotheses: ['H08'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'system turns with a date',
  why: 'The same prompt differs between two days of a run, or between the sampler and the trainer.',
  fix: 'Pass a fixed date_string to the chat template, in sampler and trainer alike.',
  cite: 'llm-foundry#1474, sglang#3296, unsloth#881',
  dump: lookAtDates,
}

function* lookAtDates(view: DumpView, report: DumpReporter): Steps<void> {
  const rows = new Map<string, TrajectoryFacts[]>()
  const add = (facts: TrajectoryFacts) => {
    const date = facts.promptDate as string
    const same = rows.get(date)
    if (same === undefined) rows.set(date, [facts])
    else same.push(facts)
  }
  yield* forEachOf(new FactColumns(view.facts).having('promptDate'), add)
  const [common, ...others] = [...rows].sort(([, a], [, b]) => b.length - a.length)
  for (const _ of common?.[1] ?? []) {
    report.unit(false)
    report.place(false)
  }
  const dates = Object.fromEntries([...rows].map(([date, { length }]) => [date, length]))
  const isMidnight = wentPastMidnight(view, rows)
  for (const [date, members] of others) {
    for (const _ of members) {
      report.unit(true)
      report.place(true)
    }
    report.fault({
      member: members[0] as TrajectoryFacts,
      ...(isMidnight ? { severity: 'info' } : {}),
      message: `${count(members.length)} ${members.length === 1 ? 'rollout has' : 'rollouts have'} the date ${JSON.stringify(date)} where ${common?.[1].length} have ${JSON.stringify(common?.[0])}${isMidnight ? ': a day apart, as where a run goes on past midnight' : ''}`,
      evidence: { dates, rollouts: members.slice(0, 16).map(({ id }) => id) },
    })
  }
}

/**
 * Rollouts that began before midnight and after it: there are two days, one behind the other, and the rollouts of a group have the same one, or all of the
 * later day stand behind those of the earlier one. Some of a group that are a day off by themselves were rendered by something else.
 */
function wentPastMidnight({ groups }: DumpView, rows: ReadonlyMap<string, readonly TrajectoryFacts[]>): boolean {
  const [[first, one] = ['', []], [second, other] = ['', []]] = rows
  const days = (dayOf(second) ?? Number.NaN) - (dayOf(first) ?? Number.NaN)
  if (rows.size !== 2 || Math.abs(days) !== 1) return false
  if (days > 0 && standsBefore(one.at(-1) as TrajectoryFacts, other[0] as TrajectoryFacts)) return true
  const dateOf = ({ promptDate }: TrajectoryFacts) => promptDate ?? null
  return groups.every(({ members }) => new Set(members.map(dateOf).filter((date) => date !== null)).size < 2)
}

function standsBefore({ place: a }: TrajectoryFacts, { place: b }: TrajectoryFacts): boolean {
  return (a.source - b.source || a.record - b.record || a.part - b.part) < 0
}

/** Days since 1970 of a date as templates write it, `04 Mar 2025` or `2025-03-04`; null where it is written otherwise. */
function dayOf(date: string): number | null {
  const written = /^(\d{1,2} [A-Z][a-z]{2})[a-z]*,? (\d{4})$/.exec(date)
  const time = Date.parse(written === null ? date : `${written[1]} ${written[2]} 00:00:00 GMT`)
  if (Number.isNaN(time) || (written === null && !/^\d{4}-\d\d-\d\d$/.test(date))) return null
  return time / 86_400_000
}
