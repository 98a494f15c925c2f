import { count } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'

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
  for (const [date, members] of others) {
    for (const _ of members) {
      report.unit(true)
      report.place(true)
    }
    report.fault({
      member: members[0] as TrajectoryFacts,
      message: `${count(members.length)} ${members.length === 1 ? 'rollout has' : 'rollouts have'} the date ${JSON.stringify(date)} where ${common?.[1].length} have ${JSON.stringify(common?.[0])}`,
      evidence: { dates, rollouts: members.slice(0, 16).map(({ id }) => id) },
    })
  }
}
