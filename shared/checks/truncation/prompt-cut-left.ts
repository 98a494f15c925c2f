import { count, counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, GroupView, Reporter, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { median } from '../groups/statistics.ts'
import { limitOfRow } from '../limits/limits.ts'
import { leftCut } from './left-cut.ts'
import { limitOf } from './limit-of.ts'
import { untoldSystems } from './systems-left-out.ts'

/** C01. The ids begin inside a turn, or with another turn than the other rollouts of the same prompt. */
export const promptCutLeft: Check = {
  code: 'C01',
  name: 'prompt-cut-left',
  title: 'Prompt is cut on the left',
  hypotheses: ['H04'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'sequence starts',
  why: 'The system prompt and the tool schema stand first, so a left cut trains the model on calls to tools it was never shown.',
  fix: 'Drop or shorten prompts above the limit instead of cutting them, or raise the prompt limit.',
  cite: 'TRL#3601, TRL#3569, verl#506, prime-rl#2013',
  trajectory: lookAtStart,
  dump: lookAtSiblings,
  unproved: (_tally, { facts }) => untoldSystems(facts),
}

/** Starts that the ids and the row's own messages decide. Others wait for the other rollouts of their prompt. */
function lookAtStart(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { segmentation, trajectory, facts } = view
  if (segmentation === null || !segmentation.turns.some(({ header }) => header === 'present')) return
  if (waitsForSiblings(facts)) return
  if (!segmentation.cutLeft) {
    report.place(false)
    return
  }
  const cut = leftCut(trajectory, { ...view, tokenizer: view.tokenizer?.frame ? view.tokenizer : null })
  if (cut === null) return
  const { turn, start, end, lost } = cut
  report.place(true)
  report.fault({
    turn,
    tokens: { start, end },
    // What is wrong is what is missing; the tokens that are left carry no fault of their own.
    affected: [],
    message: `The sequence begins inside a turn: ${
      lost === null ? 'what stood before is lost' : `${counted(lost.tokens, 'token')} of its messages or more are lost`
    }`,
    evidence: {
      cut: 'left',
      limit: limitOf('max_prompt_length', settings, trajectory),
      prompt_tokens: facts.promptLength,
      first_token: view.ids[start] ?? null,
      first_text: facts.cutLeft?.text ?? null,
      lost_tokens_estimated: lost?.tokens ?? null,
      lost_parts: lost?.parts ?? null,
    },
  })
}

/**
 * The row begins with another turn than a system turn, or inside one that its own messages do not know, or with what the model wrote, as completions that
 * are stored alone do; a branch may hold what was added alone.
 */
function waitsForSiblings({ group, branchOf, firstRole, cutLeft, beginsWritten }: TrajectoryFacts): boolean {
  // In groups by order as well, which have no key and are known when all rows are read: siblings of another prompt have a prompt all the same.
  if (beginsWritten !== undefined) return branchOf === null
  if (group === null) return false
  return cutLeft === undefined ? typeof firstRole === 'string' && firstRole !== 'system' : cutLeft.lost === null
}

/** Rows that only the other rollouts of their group decide: whole messages dropped from the left leave a proper header. */
function* lookAtSiblings(view: DumpView, report: DumpReporter): Steps<void> {
  const cut = yield* within(0, 0.6, cutRows(view))
  keepCut(view, cut)
  // A completion alone is no start that was looked at, unless its siblings tell that it is none.
  const isProper = (facts: TrajectoryFacts) => facts.beginsWritten === undefined && waitsForSiblings(facts)
  let proper = -cut.filter(({ facts }) => isProper(facts)).length
  yield* within(
    0.6,
    1,
    forEachOf(view.facts, (facts) => {
      if (isProper(facts)) proper++
    }),
  )
  for (let i = 0; i < proper; i++) {
    report.unit(false)
    report.place(false, { turn: 0 })
  }
  for (const { facts, group, whole, prompt } of cut) {
    report.unit(true)
    report.place(true, { turn: 0 })
    const { cutLeft, beginsWritten: written, promptLength } = facts
    // What is left of a prompt that is gone is nothing, wherever the next turn of the model begins.
    const left = written === undefined ? promptLength : 0
    const lost = prompt === null || left === null ? null : Math.max(0, prompt - left)
    const tokens = cutLeft?.tokens ?? written ?? null
    const limit = limitOfRow('max_prompt_length', view, facts)
    const begins =
      written !== undefined
        ? `inside a turn that the model wrote, ${count(whole.length)} of ${counted(group.length, 'rollout')} of its group with their prompt`
        : cutLeft === undefined
          ? `with a ${facts.firstRole} turn, ${count(whole.length)} of ${counted(group.length, 'rollout')} of its group with a system turn`
          : 'inside a turn'
    report.fault({
      member: facts,
      tokens: tokens === null ? null : { start: tokens[0], end: tokens[1] },
      message: `The sequence begins ${begins}${lost === null ? '' : `; about ${counted(lost, 'token')} are lost`}`,
      evidence: {
        cut: 'left',
        limit: limit === null ? null : { name: 'max_prompt_length', value: limit },
        first_role: facts.firstRole,
        first_text: cutLeft?.text ?? null,
        whole_sibling: whole[0]?.id ?? null,
        siblings: group.length,
        whole_siblings: whole.length,
        prompt_tokens: facts.promptLength,
        sibling_prompt_tokens: prompt,
        lost_tokens_estimated: lost,
        lost_parts: tokens === null ? ['system prompt'] : null,
      },
    })
  }
}

interface CutRow {
  readonly facts: TrajectoryFacts
  readonly group: readonly TrajectoryFacts[]
  /** Members of the group that begin as they should, and the length of their prompts. */
  readonly whole: readonly TrajectoryFacts[]
  readonly prompt: number | null
}

/** Of the rows that wait for their siblings, those that lost their beginning, in report order. */
function* cutRows(view: Pick<DumpView, 'facts' | 'groups'>): Steps<CutRow[]> {
  const found = new Map<TrajectoryFacts, CutRow>()
  const lookAtGroup = ({ members }: GroupView) => {
    if (!members.some(waitsForSiblings)) return
    const { systems, begun, prompts } = wholeStarts(members)
    for (const facts of members) {
      if (!waitsForSiblings(facts)) continue
      if (facts.beginsWritten !== undefined) {
        if (prompts.whole.length * 2 > members.length) found.set(facts, { facts, group: members, ...prompts })
        continue
      }
      // What begins inside a turn is cut for certain, and any whole sibling shows how much; a header alone is only odd beside system turns.
      const inside = facts.cutLeft !== undefined
      const { whole, prompt } = inside && systems.whole.length === 0 ? begun : systems
      // What the template writes by itself was left out by whoever rendered the row otherwise (T09).
      const isDefault = !inside && whole.every(({ defaultSystem }) => defaultSystem === true)
      if (inside || (whole.length * 2 > members.length && !isDefault))
        found.set(facts, { facts, group: members, whole, prompt })
    }
  }
  yield* within(0, 0.7, forEachOf(view.groups, lookAtGroup))
  const rows: CutRow[] = []
  yield* within(
    0.7,
    1,
    forEachOf(view.facts, (facts) => {
      const known = found.get(facts)
      if (known !== undefined) rows.push(known)
      // One branch of a rollout may stand in no group.
      else if (facts.cutLeft !== undefined && waitsForSiblings(facts))
        rows.push({ facts, group: [], whole: [], prompt: null })
    }),
  )
  return rows
}

const cuts = new WeakMap<DumpView['groups'], ReadonlySet<TrajectoryFacts>>()

/** Rollouts that lost the beginning of their prompt as the others of their group show: those that no fact of their own tells. */
export function cutAgainstSiblings(view: Pick<DumpView, 'facts' | 'groups'>): ReadonlySet<TrajectoryFacts> {
  return atOnce(cuttingAgainstSiblings(view))
}

/** The same in steps, once for a dump. */
export function* cuttingAgainstSiblings(view: Pick<DumpView, 'facts' | 'groups'>): Steps<ReadonlySet<TrajectoryFacts>> {
  return cuts.get(view.groups) ?? keepCut(view, yield* cutRows(view))
}

function keepCut({ groups }: Pick<DumpView, 'groups'>, rows: readonly CutRow[]): ReadonlySet<TrajectoryFacts> {
  const cut = new Set(rows.map(({ facts }) => facts))
  cuts.set(groups, cut)
  return cut
}

/** The rollouts of a group that begin with a system turn, with any, and with one that is not the model's, each with the length of their prompts. */
function wholeStarts(group: readonly TrajectoryFacts[]) {
  const begun = group.filter(({ firstRole }) => typeof firstRole === 'string')
  const measured = (whole: readonly TrajectoryFacts[]) => ({
    whole,
    prompt: median(whole.flatMap(({ promptLength }) => promptLength ?? [])),
  })
  return {
    begun: measured(begun),
    systems: measured(begun.filter(({ firstRole }) => firstRole === 'system')),
    prompts: measured(begun.filter(({ firstRole }) => roleKind(firstRole as string) !== 'assistant')),
  }
}
