import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { storedRollout } from '../checks/grouping/group-views.ts'
import { writtenTurns } from '../checks/oracles/edges.ts'
import { holdsFlattenedTurns } from '../formats/text-rows.ts'
import { counted } from '../model/number-text.ts'
import { firstReply, lastReply } from '../model/roles.ts'
import type { Segmentation } from '../model/tokens.ts'
import type { ExportedTrajectory, ExportInput, ExportKind, WrittenFile } from './export-kind.ts'
import { jsonText } from './json-text.ts'
import { TrainingMessages } from './training-messages.ts'

const NAME = 'preferences.dpo.jsonl'

/**
 * One pair for each group of the chosen rollouts: that with the highest reward is `chosen`, that with the lowest `rejected`, the first
 * of several. `prompt` is what stands before the first turn of the assistant and must be the same in both (TRL, "Dataset formats",
 * preference with explicit prompt). Both end with words of the model: a pair prefers what it said, and no reply of an environment. Texts as
 * messages where the dump has them, else as the ids decode, control tokens kept.
 */
export const dpoExport: ExportKind = {
  id: 'dpo',
  title: 'Pairs for preference training: the best and the worst of each group',
  names: async () => [NAME],
  async write(input, sink) {
    const left = { again: 0, excluded: 0, alone: 0, even: 0, differ: 0, empty: 0, turns: 0, alike: 0 }
    const writer = await sink.open(NAME)
    const encoder = new TextEncoder()
    const messages = new TrainingMessages()
    let records = 0
    let fromIds = 0
    let ended = 0
    for (const members of groupsOf(input, left)) {
      const pair = bestAndWorst(members)
      if (typeof pair === 'string') {
        left[pair]++
        continue
      }
      const [chosen, rejected] = [await input.origin.load(pair.best.index), await input.origin.load(pair.worst.index)]
      const row = messagePair(chosen, rejected, messages) ?? textPair(chosen, rejected)
      if (typeof row === 'string') {
        left[row]++
        continue
      }
      if (jsonText(row.chosen) === jsonText(row.rejected)) {
        left.alike++
        continue
      }
      if (typeof row.prompt === 'string') fromIds++
      const { isEnded, ...texts } = row
      if (isEnded) ended++
      const scores = { score_chosen: pair.best.reward, score_rejected: pair.worst.reward }
      await writer.write(encoder.encode(`${jsonText({ ...texts, ...scores, group_id: pair.best.facts.group })}\n`))
      records++
    }
    await writer.close()
    const file: WrittenFile = { name: NAME, source: null, records, trajectories: 2 * records }
    return { files: [file], notes: [...singlesLeft(left), ...notes(left, fromIds, ended), ...messages.notes()] }
  },
}

type LeftOut = 'alone' | 'even' | 'differ' | 'empty' | 'turns' | 'alike'
/** Chosen trajectories that stand in no group. */
type Single = 'again' | 'excluded'

function singlesLeft({ again, excluded }: Readonly<Record<Single, number>>): string[] {
  return [
    ...(again > 0
      ? [
          `${counted(again, 'chosen sequence')} ${again === 1 ? 'stands' : 'stand'} in no pair: of a rollout that was stored as several the first chosen one stands for it.`,
        ]
      : []),
    ...(excluded > 0 ? [`${counted(excluded, 'rollout')} that the source excludes from the loss: in no pair.`] : []),
  ]
}

function notes(left: Readonly<Record<LeftOut, number>>, fromIds: number, ended: number): string[] {
  const reasons = [
    [left.alone, 'of which fewer than two chosen rollouts have a reward that is a number'],
    [left.even, 'whose chosen rollouts have one and the same reward'],
    [
      left.turns,
      'whose best or worst rollout is the text of several turns and tool replies in one reply, as they were decoded',
    ],
    [left.differ, 'whose best and worst rollout do not begin with the same prompt'],
    [left.alike, 'in whose best and worst rollout the model says the same'],
    [
      left.empty,
      'whose best or worst rollout has neither messages with a turn of the assistant nor ids behind a known prompt',
    ],
  ] as const
  return [
    ...reasons.filter(([count]) => count > 0).map(([count, why]) => `${counted(count, 'group')} ${why}: no pair.`),
    ...(fromIds > 0
      ? [
          `${counted(fromIds, 'pair')} from ids, since there are no messages: texts hold their control tokens, so they are to be encoded without adding special tokens.`,
        ]
      : []),
    ...(ended > 0
      ? [`${counted(ended, 'pair')} without what stood behind the last words of the model: a pair ends with those.`]
      : []),
  ]
}

interface Member {
  readonly index: number
  readonly facts: TrajectoryFacts
  readonly reward: number
}

/**
 * The chosen rollouts of each group that the dump has; one that is in none is a group of its own. Of a rollout that was stored as
 * several sequences the first that was chosen stands in its group. Those without a reward that can be compared, and rows that the
 * source excludes, stand in none.
 */
function* groupsOf({ origin, indices }: ExportInput, left: Record<Single, number>): Generator<Member[]> {
  const chosen = new Map<string, number>()
  for (const index of indices) {
    const facts = origin.facts[index]!
    const key = rolloutKey(facts)
    if (facts.excluded) left.excluded++
    else if (chosen.has(key)) left.again++
    else chosen.set(key, index)
  }
  for (const { members } of origin.groups()) {
    const found = members.flatMap((member) => {
      const key = rolloutKey(member)
      const index = chosen.get(key)
      chosen.delete(key)
      return index ?? []
    })
    if (found.length > 0) yield found.flatMap((index) => rewarded(index, origin.facts[index]!))
  }
  for (const index of chosen.values()) yield rewarded(index, origin.facts[index]!)
}

function rewarded(index: number, facts: TrajectoryFacts): Member[] {
  const { reward } = facts
  return reward !== null && Number.isFinite(reward) ? [{ index, facts, reward }] : []
}

function rolloutKey(facts: TrajectoryFacts): string {
  const { source, record, part } = facts.place
  return storedRollout(facts) ?? `${source}.${record}.${part}`
}

function bestAndWorst(members: readonly Member[]): { best: Member; worst: Member } | 'alone' | 'even' {
  const [first] = members
  if (first === undefined || members.length < 2) return 'alone'
  let [best, worst] = [first, first]
  for (const member of members) {
    if (member.reward > best.reward) best = member
    if (member.reward < worst.reward) worst = member
  }
  return best.reward === worst.reward ? 'even' : { best, worst }
}

interface Pair {
  readonly prompt: unknown
  readonly chosen: unknown
  readonly rejected: unknown
  readonly tools?: unknown
  /** Something stood behind the last words of the model, in one of the two. */
  readonly isEnded: boolean
}

/** Null where one of the two has no messages. */
function messagePair(
  chosen: ExportedTrajectory,
  rejected: ExportedTrajectory,
  written: TrainingMessages,
): Pair | 'differ' | 'turns' | null {
  if ([chosen, rejected].some(({ trajectory }) => holdsFlattenedTurns(trajectory.messages))) return 'turns'
  const [good, bad] = [split(chosen, written), split(rejected, written)]
  if (good === null || bad === null) return null
  if (jsonText(good.prompt) !== jsonText(bad.prompt)) return 'differ'
  const isEnded = good.isEnded || bad.isEnded
  return { prompt: good.prompt, chosen: good.answer, rejected: bad.answer, tools: good.tools, isEnded }
}

function split({ trajectory: { messages, tools } }: ExportedTrajectory, written: TrainingMessages) {
  const first = messages === null ? -1 : firstReply(messages)
  if (messages === null || first < 0) return null
  const end = lastReply(messages) + 1
  return {
    prompt: written.of(messages.slice(0, first)),
    answer: written.of(messages.slice(first, end)),
    isEnded: end < messages.length,
    tools: tools ?? undefined,
  }
}

function textPair(chosen: ExportedTrajectory, rejected: ExportedTrajectory): Pair | 'differ' | 'empty' {
  const [good, bad] = [splitText(chosen), splitText(rejected)]
  if (good === null || bad === null) return 'empty'
  if (good.promptHash !== bad.promptHash) return 'differ'
  return { prompt: good.prompt, chosen: good.answer, rejected: bad.answer, isEnded: good.isEnded || bad.isEnded }
}

function splitText({ view, trajectory }: ExportedTrajectory) {
  if (view === null || view.tokenizer === null) return null
  const { facts, text, segmentation } = view
  const { promptLength, promptHash } = facts
  if (promptLength === null || promptHash === null) return null
  const start = segmentation?.padding.left ?? trajectory.padding?.left ?? 0
  const realEnd = start + facts.realLength
  const end = Math.min(realEnd, endOfWords(segmentation) ?? realEnd)
  if (promptLength === 0 || start + promptLength >= end) return null
  return {
    promptHash,
    prompt: text({ start, end: start + promptLength }),
    answer: text({ start: start + promptLength, end }),
    isEnded: end < realEnd,
  }
}

/** Behind the last turn that the model wrote, where another stands behind it. */
function endOfWords(segmentation: Segmentation | null): number | null {
  const last = segmentation === null ? undefined : writtenTurns(segmentation).at(-1)
  return last === undefined || last === segmentation?.turns.at(-1) ? null : last.separatorStart
}
