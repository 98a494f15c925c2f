import { searchConversations } from '../conversation.ts'
import { type DumpPlan, inGroups, type PlantedDump } from '../dump.ts'
import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, turnsBy } from '../rollout.ts'
import { advantagesOf, setAdvantage } from '../scores.ts'
import { withSearches } from '../variants.ts'
import { LONG_QUESTION } from './prompt-cuts.ts'
import { cutMessage, endAt, flagged, lastTurn, stopLastTurn } from './stopping.ts'

const CUT_IS_TRAINED = { C03: 'the cut rollout is trained and keeps its reward' } as const
/** Rollouts of a group begin alike, and may be the same as far as they go. */
const SAME_BEGINNING = { A06: 'what is left is the same', S04: 'what is left is the same' } as const

function rewarded(rollout: PlantedRollout, reward: number): void {
  rollout.reward = reward
  rollout.rewards = {}
}

const shortestPrompt = ({ rollouts }: PlantedDump) => Math.min(...rollouts.map(({ promptLength }) => promptLength))

const TWO_LONG_QUESTIONS: DumpPlan = {
  padding: 'none',
  groups: 8,
  conversations: (family, seed, groups) =>
    searchConversations(family, seed, groups).map((conversation, index) =>
      Math.floor(index / 8) % 4 === 1
        ? { ...conversation, user: `${LONG_QUESTION} ${LONG_QUESTION} ${conversation.user}` }
        : conversation,
    ),
}

function ofLongQuestions(dump: PlantedDump): PlantedDump {
  return {
    ...dump,
    rollouts: dump.rollouts.filter(({ conversation }) => conversation.user.startsWith(LONG_QUESTION)),
  }
}

const LIMIT_OF_TURN = 256
/** Every second rollout says little, and stays within the limit in all. */
const SOME_BEYOND_THE_LIMIT: DumpPlan = {
  endless: 6,
  change: (conversation) =>
    conversation.endless || Number(conversation.id.split('-').at(-1)) % 2 === 0
      ? conversation
      : { ...conversation, turns: conversation.turns.map((turn) => ({ ...turn, thought: null })) },
  build: { maxTokens: LIMIT_OF_TURN },
}
/** No turn has more than that, and all rollouts have more together. */
const BEYOND_THE_LIMIT: DumpPlan = {
  endless: 6,
  change: (conversation, random) => withSearches(conversation, random, 16),
  build: { maxTokens: LIMIT_OF_TURN },
}
/** Several turns, each within the limit, that have more together. */
const goesOnBeyond = (rollout: PlantedRollout) =>
  turnsBy(rollout, 'assistant').length > 1 && rollout.tokens.filter(({ sampled }) => sampled).length > LIMIT_OF_TURN

const MASKED_ROW = { M04: 'the masked rollout is a row that trains nothing, flagged as truncated' } as const

/** Cuts and masks one rollout of a group whose advantages count its reward; null where none makes a difference. */
function cutAndCounted(members: readonly PlantedRollout[]): PlantedRollout | null {
  const rewards = members.map(({ reward }) => reward)
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  const gap = ({ reward }: PlantedRollout) => Math.abs(reward - mean)
  const byGap = [...members].sort((a, b) => gap(b) - gap(a))
  const cut = byGap.find((member) => gap(member) > 0.1 && stopLastTurn(member) !== null)
  if (cut === undefined) return null
  for (const token of cut.tokens) token.trained = false
  flagged(cut, true)
  const advantages = advantagesOf(rewards, 'centred')
  for (const [index, member] of members.entries()) setAdvantage(member, advantages[index] as number)
  return cut
}

export const TRUNCATION_PLANTS: readonly Plant[] = [
  {
    code: 'C03',
    title: 'the last turn was stopped by a limit, is trained and keeps its reward',
    needs: ['mask', 'messages', 'finish'],
    rollout: (rollout) => {
      if (rollout.reward <= 0 || stopLastTurn(rollout) === null) return null
      flagged(rollout, true)
      return []
    },
    alongside: { C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C03',
    title: 'the last turn was stopped by a limit, which nothing but its siblings tells',
    needs: ['mask', 'messages'],
    // They have a reason for every end.
    notIn: ['native', 'verifiers-legacy', 'verifiers-v1'],
    // Where no turn of a dump is closed, stop strings may be what ends them: C03 is not checkable.
    patterns: ['sporadic'],
    rollout: (rollout) => (rollout.reward <= 0 || stopLastTurn(rollout) === null ? null : []),
    alongside: { C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C04',
    title: 'cut rollouts are masked, and their rewards are in the baselines of their groups',
    severity: 'info',
    needs: ['mask', 'advantages', 'finish'],
    notIn: ['verifiers-legacy'],
    // Of four groups now and then only one has rewards that differ by enough, which is no pattern.
    plan: { scheme: 'centred', groups: 8 },
    patterns: ['systematic'],
    keepAdvantages: true,
    dump: ({ rollouts }) => inGroups(rollouts).flatMap((members) => cutAndCounted(members) ?? []),
    alongside: MASKED_ROW,
  },
  {
    code: 'C04',
    title: 'two cut rollouts are in the baselines of their groups, and all others that are masked are left out',
    severity: 'info',
    needs: ['mask', 'advantages', 'finish'],
    notIn: ['verifiers-legacy'],
    plan: { scheme: 'centred', endless: 4, build: { maxTokens: LIMIT_OF_TURN } },
    patterns: ['sporadic'],
    keepAdvantages: true,
    dump: ({ rollouts }, { random }) => {
      const whole = inGroups(rollouts).filter((members) => members.every(({ truncated }) => !truncated))
      const cut: PlantedRollout[] = []
      for (const members of random.shuffle(whole))
        if (cut.length < 2) cut.push(...[cutAndCounted(members) ?? []].flat())
      return cut
    },
    alongside: MASKED_ROW,
  },
  {
    code: 'C05',
    title: 'a turn that was stopped by its limit is not flagged as truncated',
    needs: ['finish', 'more', 'messages'],
    rollout: (rollout) => {
      if (stopLastTurn(rollout) === null) return null
      flagged(rollout, false)
      return []
    },
    alongside: { ...CUT_IS_TRAINED, C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C05',
    title: 'the limit that a person declares is reached, and the flag says that the rollout is whole',
    needs: ['finish', 'messages'],
    patterns: ['sporadic'],
    plan: { endless: 6, build: { maxTokens: LIMIT_OF_TURN } },
    options: { limits: { max_completion_length: LIMIT_OF_TURN } },
    dump: ({ rollouts }) => {
      const cut = rollouts.filter(({ truncated }) => truncated)
      for (const rollout of cut) {
        rollout.truncated = false
        rollout.finishReason = 'stop'
      }
      return cut
    },
    alongside: {
      M04: 'rows that are masked because they were cut train nothing',
      C13: 'the limit holds for each turn, and rollouts go on beyond it',
      C03: 'where no mask is written, all that was sampled is trained',
    },
  },
  {
    code: 'C06',
    title: 'cut rollouts get the reward of a text that does not parse',
    needs: ['mask', 'messages', 'finish'],
    patterns: ['systematic'],
    dump: ({ rollouts }, { random }) => {
      for (const [index, rollout] of rollouts.entries()) rewarded(rollout, index % 2)
      const cut: PlantedRollout[] = []
      for (const rollout of random.shuffle(rollouts)) {
        if (cut.length === 4 || stopLastTurn(rollout) === null) continue
        flagged(rollout, true)
        rewarded(rollout, -1)
        cut.push(rollout)
      }
      return cut
    },
  },
  {
    code: 'C07',
    title: 'the limit fell into a call of the tool',
    needs: ['finish', 'messages'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      const pattern = rollout.family.name === 'llama3' ? /\{"name"[\s\S]*\}/ : /<tool_call>[\s\S]*?<\/tool_call>/
      const call = turn && findText(rollout, contentOf(turn), pattern)
      if (turn === undefined || !call) return null
      const end = call.start + Math.floor((call.end - call.start) / 2)
      const message = cutMessage(rollout, turn, end)
      endAt(rollout, end)
      const at = rollout.messages.findIndex(({ role }) => role === 'assistant')
      rollout.messages.splice(at, rollout.messages.length, message)
      flagged(rollout, true)
      return []
    },
    alongside: { ...CUT_IS_TRAINED, ...SAME_BEGINNING, C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C10',
    title: 'the length filter counted prompts without the tool schema',
    needs: ['tools', 'prompt-length'],
    plan: { padding: 'none', limits: true },
    patterns: ['systematic'],
    options: (dump) => ({ limits: { max_prompt_length: shortestPrompt(dump) - 12 } }),
    dump: ({ rollouts }) => rollouts,
  },
  {
    code: 'C10',
    title: 'the length filter that the dump declares counted prompts without the tool schema',
    needs: ['limits', 'tools', 'prompt-length', 'more'],
    plan: { padding: 'none', limits: true },
    patterns: ['systematic'],
    dump: (dump) => {
      const limit = shortestPrompt(dump) - 12
      for (const rollout of dump.rollouts) rollout.limits = { ...rollout.limits, max_prompt_length: limit }
      return dump.rollouts
    },
  },
  {
    code: 'C10',
    title: 'the schema makes the prompts of two long questions too long, which a filter counted without it',
    needs: ['tools', 'prompt-length'],
    plan: TWO_LONG_QUESTIONS,
    patterns: ['sporadic'],
    options: (dump) => ({ limits: { max_prompt_length: shortestPrompt(ofLongQuestions(dump)) - 12 } }),
    dump: (dump) => ofLongQuestions(dump).rollouts,
  },
  {
    code: 'C11',
    title: 'the longest prompts of the dataset were dropped before the run',
    // Llama's template writes the question into one turn with the schemas, where ids alone do not tell it.
    needs: ['messages'],
    patterns: ['sporadic'],
    dump: () => null,
    dataset: ({ rollouts }) => {
      const questions = [...new Set(rollouts.map(({ conversation }) => conversation.user))]
      // Between the others: prompts that a run has not come to yet stand together.
      return questions.flatMap((question, i) => [
        { question },
        { question: `${LONG_QUESTION.repeat(2 + (i % 3))} ${question}` },
      ])
    },
  },
  {
    code: 'C12',
    title: 'the reward was earned by an answer that was cut from the ids',
    needs: ['mask', 'messages', 'answer'],
    rollout: (rollout) => {
      const turn = lastTurn(rollout)
      if (turn === undefined || rollout.reward <= 0) return null
      const answer = findText(rollout, contentOf(turn), /<answer>/)
      if (answer === null) return null
      endAt(rollout, answer.start)
      flagged(rollout, true)
      return []
    },
    alongside: CUT_IS_TRAINED,
  },
  {
    code: 'C13',
    title: 'the limit of a completion holds for each turn, and rollouts go on beyond it',
    needs: ['limits', 'more'],
    patterns: ['sporadic'],
    plan: SOME_BEYOND_THE_LIMIT,
    dump: ({ rollouts }) => {
      for (const rollout of rollouts) rollout.limits = { ...rollout.limits, max_completion_length: LIMIT_OF_TURN }
      return rollouts.filter(goesOnBeyond)
    },
    alongside: { M04: 'rows that are masked because they were cut train nothing' },
  },
  {
    code: 'C13',
    title: 'the limit of a completion holds for each of many turns, and every rollout goes on beyond it',
    needs: ['finish'],
    patterns: ['systematic'],
    plan: BEYOND_THE_LIMIT,
    options: { limits: { max_completion_length: LIMIT_OF_TURN } },
    dump: ({ rollouts }) => rollouts,
    alongside: { M04: 'rows that are masked because they were cut train nothing', C03: 'cut rollouts may be trained' },
  },
  {
    code: 'C13',
    title: 'the limit of a completion, as a person declares it, holds for each turn',
    needs: ['finish'],
    patterns: ['sporadic'],
    plan: SOME_BEYOND_THE_LIMIT,
    options: { limits: { max_completion_length: LIMIT_OF_TURN } },
    dump: ({ rollouts }) => rollouts.filter(goesOnBeyond),
    alongside: { M04: 'rows that are masked because they were cut train nothing', C03: 'cut rollouts may be trained' },
  },
  {
    code: 'C14',
    title: 'the cut kept the prompt and dropped the completion',
    needs: ['mask'],
    // They write no row that trains nothing, no call that gave nothing, and no response of no tokens.
    notIn: ['prime-rl-export', 'verifiers-legacy', 'nemo-gym', 'verl-batch'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      if (turn === undefined) return null
      endAt(rollout, turn.contentStart)
      return []
    },
    alongside: {
      ...SAME_BEGINNING,
      M04: 'a row without a completion trains nothing',
      C04: 'its reward is in the baseline of its group',
      C12: 'what was scored is not in the ids',
    },
  },
]
