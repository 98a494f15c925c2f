import { count, counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Turn } from '../../model/tokens.ts'
import type { Check, DumpReporter, DumpView, GroupView, Reporter, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'
import { normalised } from '../texts/normalised-text.ts'
import { haveSameContent, type SystemText, systemText } from '../texts/system-text.ts'
import { hasForeignDefault } from './foreign-default.ts'
import { isSystemMessage, repeatedSystemTurns, saysTheSame } from './repeated-system.ts'
import { differBySchema } from './tools-in-words.ts'

/**
 * T09. A system turn that is there again, that is not the one the messages have, or that differs within a group. A template's
 * default is no fault by itself: the sampler saw it as well.
 */
export const T09: Check = {
  code: 'T09',
  name: 'system-prompt-differs',
  title: 'System prompt is repeated, dropped or replaced',
  hypotheses: ['H02', 'H08'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'system prompts',
  why: 'Templates insert a default where a message list has no system message, so turns rendered one by one get it again and again.',
  fix: 'Render the conversation as a whole, and pass the system message that the sampler was given.',
  cite: 'slime#1476, aprender#3990, LlamaFactory#10772, verl#6501',
  trajectory: lookAtTurns,
  dump: lookAtGroups,
}

function lookAtTurns(view: TrajectoryView, _settings: unknown, report: Reporter): void {
  const turns = view.segmentation?.turns ?? []
  const systems = turns.filter(({ kind, header }) => kind === 'system' && header === 'present')
  const again = repeatedSystemTurns(view)
  const message = again.length > 0 ? null : replacedMessage(view)
  // Some templates write the system message into the turn of the question: there it was looked for, and found.
  if (systems.length === 0 && message === null && comparedWith(view) === null) return
  const isForeign = again.length === 0 && message === null && hasForeignDefault(view)
  report.place(again.length > 0 || message !== null || isForeign)
  const first = again[0]
  if (isForeign) {
    const { start, end } = systems[0] as Turn
    report.fault({
      turn: systems[0] as Turn,
      tokens: { start, end },
      affected: [],
      message:
        "It begins with the default system text of Qwen2.5's template, which its messages do not have and the template of its own tokenizer does not write",
      evidence: { text: view.text({ start, end }).slice(0, 400) },
    })
  }
  if (first !== undefined) {
    report.fault({
      turn: first,
      tokens: { start: first.start, end: first.end },
      affected: again.map(({ start, end }) => ({ start, end })),
      message: repetition(view, systems[0] as Turn, first, again.length + 1),
      evidence: {
        system_turns: systems.map(({ index, start }) => ({ turn: index, token: start })).slice(0, 16),
        text: view.text({ start: first.contentStart, end: Math.min(first.contentEnd, first.contentStart + 64) }),
      },
    })
  } else if (message !== null) {
    const turn = systems[0] ?? null
    report.fault({
      turn,
      tokens: turn === null ? null : { start: turn.start, end: turn.end },
      affected: [],
      message:
        turn === null
          ? 'The messages have a system message, the ids have no system turn and none of its text'
          : 'The system turn of the ids holds none of the system message that the messages have',
      evidence: {
        message: message.slice(0, 400),
        ids: turn === null ? null : view.text({ start: turn.contentStart, end: turn.contentEnd }).slice(0, 400),
      },
    })
  }
}

function repetition(view: TrajectoryView, first: Turn, again: Turn, times: number): string {
  if (haveSameContent(view.ids, first, again))
    return `The same system turn is there ${times} times: again at turn ${again.index}`
  if (saysTheSame(view, first, again))
    return `The same system text stands in the middle of the row, with other lines of the template around it, at turn ${again.index}: messages were rendered one by one`
  return `The template's default system text stands in the middle of the row, at turn ${again.index}: messages were rendered one by one`
}

/** Characters of the system message that are looked up in a system turn, once for all rows that share it: what holds them is not replaced. */
const LOOKED_FOR = 200

const replaced = new OfLast<TrajectoryView, string | null>()

/** The system message, where the prompt holds no word of it; null where it does, or where nothing can be compared. Found out once for a view. */
function replacedMessage(view: TrajectoryView): string | null {
  let found = replaced.get(view)
  if (found === undefined) replaced.set(view, (found = findReplaced(view)))
  return found
}

/** The fact of the few rollouts whose prompt lacks the system message that their messages have, or has another family's default where they have none. */
export function systemFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'systemReplaced'> | null {
  return replacedMessage(view) === null && !hasForeignDefault(view) ? null : { systemReplaced: true }
}

function findReplaced(view: TrajectoryView): string | null {
  const { segmentation, trajectory, tokenizer, ids, thresholds } = view
  const first = comparedWith(view)
  if (first === null || segmentation === null || tokenizer === null) return null
  const content = trajectory.messages?.[0]?.content ?? ''
  const words = content.slice(0, LOOKED_FOR)
  const system = systemText(tokenizer.table, ids, segmentation)
  if (system !== null && holds(system, words)) return null
  const wanted = normalised(words)
  if (wanted === '') return null
  const until = segmentation.turns.find(({ kind }) => kind === 'assistant')?.start ?? first.end
  const prompt = normalised(view.text({ start: first.start, end: until }))
  // A prompt that holds the message's first words was cut or edited, not replaced.
  const opening = wanted.slice(0, thresholds['system-opening-characters'])
  return prompt.includes(opening) ? null : content
}

/** The first turn of a prompt that is held against a system message; null where there is none, or no prompt. */
function comparedWith({ segmentation, trajectory, tokenizer }: TrajectoryView): Turn | null {
  // The messages of a rollout are those of its main branch; another may have a prompt of its own.
  if (trajectory.branch !== null || trajectory.place.part > 0) return null
  const message = trajectory.messages?.[0]
  if (message === undefined || !isSystemMessage(message) || segmentation === null || tokenizer === null) return null
  if ((message.content ?? '').trim() === '') return null
  const first = segmentation.turns[0]
  // What a cut removed is another fault.
  if (segmentation.cutLeft || first === undefined || first.header !== 'present' || first.kind === 'assistant')
    return null
  return first
}

const held = new WeakMap<SystemText, Set<string>>()

/** Whether a system turn holds words of a message; remembered where it does, since all rows of a run ask the same. */
function holds(system: SystemText, words: string): boolean {
  let known = held.get(system)
  if (known === undefined) {
    known = new Set()
    held.set(system, known)
  }
  if (known.has(words)) return true
  const found = normalised(system.text).includes(normalised(words))
  if (found && known.size < 64) known.add(words)
  return found
}

/** Rollouts of one prompt have one system text but for what is each rollout's own. One whose own messages say that its text is not theirs is named by them, and tells nothing of the others. */
function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  if (new FactColumns(view.facts).isEmpty('systemHash')) return
  if (!new FactColumns(view.facts).isEmpty('defaultSystem')) {
    yield* lookBetweenGroups(view, report)
    yield* forEachOf(view.groups, (group) => lookWithin(group, report))
  }
  const look = (group: GroupView) => {
    const { members, id } = group
    const rows = new Map<string, TrajectoryFacts[]>()
    for (const member of members) {
      const hash = member.systemHash ?? null
      if (hash === null || member.systemReplaced === true) continue
      const compared = member.systemCompared ?? hash
      const same = rows.get(compared)
      if (same === undefined) rows.set(compared, [member])
      else same.push(member)
    }
    if (rows.size > 0) lookForOwn(group, report)
    if (rows.size < 2) return
    const [common, ...others] = [...rows.values()].sort((a, b) => b.length - a.length)
    for (const row of others.flat()) {
      // Where messages are stored for some of them alone, what is compared may differ over one and the same text.
      if (row.systemHash === common?.[0]?.systemHash || tellsToolsOtherwise(row, common?.[0])) continue
      report.unitAfterAll()
      report.fault({
        member: row,
        message: `Its system text is another one than that of ${count(common?.length ?? 0)} of the ${counted(members.length, 'rollout')} of group ${id}`,
        evidence: { texts: rows.size, compared_with: common?.[0]?.id ?? null },
      })
    }
  }
  yield* forEachOf(view.groups, look)
}

/** One that lacks the tools, or alone has them, or describes them otherwise (T07), or announces none (T08), has another text for that. */
function tellsToolsOtherwise(row: TrajectoryFacts, common: TrajectoryFacts | undefined): boolean {
  const { toolsMissing, toolsDiffer, toolsLeftOut, emptyTools } = row
  return (
    toolsMissing !== common?.toolsMissing ||
    toolsDiffer !== common?.toolsDiffer ||
    toolsLeftOut !== common?.toolsLeftOut ||
    emptyTools !== common?.emptyTools ||
    (common !== undefined && differBySchema(row, common))
  )
}

/**
 * Prompts of some groups begin with the template's default system text, and those of others with no system turn, which no template leaves
 * out by itself: one of the two was rendered otherwise than the model was asked. The fewer are named.
 */
function* lookBetweenGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const bySource = new Map<number, { readonly given: TrajectoryFacts[]; readonly bare: TrajectoryFacts[] }>()
  yield* forEachOf(view.groups, ({ members }) => {
    const [first] = members
    if (first === undefined) return
    const found = bySource.get(first.place.source) ?? { given: [], bare: [] }
    bySource.set(first.place.source, found)
    if (members.every(isGiven)) found.given.push(...members)
    else if (members.every(isBare)) found.bare.push(...members)
  })
  for (const { given, bare } of bySource.values()) {
    if (given.length === 0 || bare.length === 0) continue
    const isInjected = given.length <= bare.length
    const [named, others] = isInjected ? [given, bare] : [bare, given]
    for (const member of named) {
      report.unitAfterAll()
      report.fault({
        member,
        message: isInjected
          ? `The template's default system text stands in its prompt, and ${counted(others.length, 'rollout')} of other groups have no system turn`
          : `It has no system turn, and ${counted(others.length, 'rollout')} of other groups have the template's default system text`,
        evidence: { rollouts: named.length, compared_with: others[0]?.id ?? null, others: others.length },
      })
    }
  }
}

/** The same within a group: some of its rollouts begin with the default system text, the others with no system turn. */
function lookWithin({ members, id }: GroupView, report: DumpReporter): void {
  const given = members.filter(isGiven)
  const bare = given.length === 0 ? [] : members.filter(isBare)
  if (bare.length === 0) return
  const isInjected = given.length <= bare.length
  const [named, others] = isInjected ? [given, bare] : [bare, given]
  for (const member of named) {
    if (isInjected) report.unitAfterAll()
    else {
      report.unit(true)
      report.place(true)
    }
    report.fault({
      member,
      message: isInjected
        ? `The template's default system text stands in its prompt, and ${count(others.length)} of the ${counted(members.length, 'rollout')} of group ${id} have no system turn`
        : `It has no system turn, and ${count(others.length)} of the ${counted(members.length, 'rollout')} of group ${id} have the template's default system text`,
      evidence: { rollouts: named.length, compared_with: others[0]?.id ?? null, others: others.length },
    })
  }
}

/**
 * Some rollouts of a group begin with a system text that is no default, and the others with no system turn, before one and the same question. Where most have it,
 * the others lost it (C01).
 */
function lookForOwn({ members, id }: GroupView, report: DumpReporter): void {
  const bare = members.filter(isBare)
  const given = bare.length === 0 ? [] : members.filter(({ firstRole }) => firstRole === 'system')
  if (given.length === 0 || 2 * given.length > members.length) return
  const questions = new Set([...bare, ...given].map(({ pairing }) => pairing?.question ?? null))
  if (questions.size > 1 || questions.has(null)) return
  for (const member of given) {
    if (isGiven(member) || member.systemReplaced === true || tellsToolsOtherwise(member, bare[0])) continue
    report.unitAfterAll()
    report.fault({
      member,
      message: `It begins with a system turn, and ${count(bare.length)} of the ${counted(members.length, 'rollout')} of group ${id} begin with the same question and have none`,
      evidence: { rollouts: given.length, compared_with: bare[0]?.id ?? null, others: bare.length },
    })
  }
}

/** Its system text is the template's own, and its messages have none that should stand there. */
function isGiven({ defaultSystem, systemReplaced }: TrajectoryFacts): boolean {
  return defaultSystem === true && systemReplaced !== true
}

/** The first turn is whole and none of a system's, and the messages have none. */
function isBare({ firstRole, systemHash, systemReplaced }: TrajectoryFacts): boolean {
  return (
    systemReplaced !== true &&
    firstRole !== null &&
    firstRole !== undefined &&
    systemHash === null &&
    roleKind(firstRole) !== 'system'
  )
}
