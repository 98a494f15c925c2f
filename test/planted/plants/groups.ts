import type { Random } from '../../../samples/random.ts'
import { WORLD } from '../../../samples/world.ts'
import type { PlannedConversation, PlannedTurn } from '../conversation.ts'
import { type DumpPlan, inGroups } from '../dump.ts'
import type { Plant } from '../plant.ts'
import type { PlantedRollout } from '../rollout.ts'
import { decoded, turnsBy } from '../rollout.ts'
import { advantagesOf, setAdvantage, trains } from '../scores.ts'

const CENTRED: DumpPlan = { scheme: 'centred' }
const SCALED: DumpPlan = { scheme: 'scaled' }

/** Whether two of eight that write this are copies: what is short, or what the policy is sure of, it may well give twice. */
function isNoChance({ tokens }: PlantedRollout): boolean {
  const written = tokens.filter(({ sampled }) => sampled)
  return written.length >= 64 && !(written.reduce((sum, { sampler }) => sum + sampler, 0) > -8)
}

/** Every fourth rollout goes through the documents again, and again. */
const UNEVEN_LENGTHS: DumpPlan = {
  change: (conversation, random) => {
    if (Number(conversation.id.split('-').at(-1)) % 4 !== 1) return conversation
    const last = conversation.turns.at(-1) as PlannedTurn
    const again = random
      .shuffle(WORLD)
      .slice(0, 24)
      .map(({ text }) => `I read again that ${text}`)
    const text = `${again.join(' ')}\n${last.text}`
    return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, text }] }
  },
  build: { maxTokens: 20_000 },
}

const LENGTH_REPORTED: DumpPlan = {
  finish: (rollout) => {
    const written = rollout.tokens.filter(({ sampled }) => sampled).length
    rollout.more = { ...rollout.more, meta: { response_length: written } }
  },
}

function reward(rollout: PlantedRollout, value: number): void {
  rollout.reward = value
  rollout.rewards = {}
}

function withoutNumber(rollout: PlantedRollout): [] {
  rollout.reward = Number.NaN
  return []
}

const spread = (members: readonly PlantedRollout[]) =>
  Math.max(...members.map((member) => member.reward)) - Math.min(...members.map((member) => member.reward))

/** A group in which all rollouts train and their rewards differ, so that what is done to its advantages shows. */
const isPlain = (members: readonly PlantedRollout[]) => members.every(trains) && spread(members) > 0.1

export const GROUP_PLANTS: readonly Plant[] = [
  {
    code: 'A01',
    title: 'every rollout of a group has the same reward',
    needs: ['groups'],
    group: (members) => {
      for (const member of members) reward(member, 0.5)
      return []
    },
    alongside: { A10: 'components that are gone explain nothing' },
  },
  {
    code: 'A02',
    title: 'a gap of a hundredth is divided by its own std',
    needs: ['advantages'],
    plan: SCALED,
    group: (members) => {
      if (!members.every(trains)) return null
      for (const [index, member] of members.entries()) reward(member, index === 3 ? 0.61 : 0.6)
      return []
    },
  },
  {
    code: 'A03',
    title: 'an advantage went to thousands',
    needs: ['advantages'],
    plan: SCALED,
    // Advantages that explode everywhere show no scheme.
    options: { scaleRewards: 'group' },
    keepAdvantages: true,
    group: (members) => {
      if (!isPlain(members)) return null
      setAdvantage(members[5] as PlantedRollout, 6123.7)
      return []
    },
    alongside: { A04: 'no formula gives such an advantage' },
  },
  {
    code: 'A04',
    title: 'advantages are in the reverse order of the rewards',
    needs: ['advantages'],
    plan: CENTRED,
    keepAdvantages: true,
    group: (members) => {
      if (!isPlain(members)) return null
      const own = members.map(({ advantage }) => advantage)
      for (const member of members) setAdvantage(member, -member.advantage)
      return own.some((advantage) => Math.abs(advantage) > 0.05) ? [] : null
    },
  },
  {
    code: 'A05',
    title: 'two rollouts stand in each other’s groups',
    needs: ['advantages', 'groups'],
    // Its groups are told by their order alone.
    notIn: ['nemo-rl'],
    plan: CENTRED,
    dump: ({ rollouts }, { pattern }) => {
      const groups = inGroups(rollouts)
      const mixed = pattern === 'systematic' ? groups : groups.slice(0, 2)
      for (let pair = 0; pair + 1 < mixed.length; pair += 2) {
        const [one, other] = [mixed[pair]?.[3], mixed[pair + 1]?.[2]] as [PlantedRollout, PlantedRollout]
        const [here, there] = [rollouts.indexOf(one), rollouts.indexOf(other)]
        ;[one.group, other.group] = [other.group, one.group]
        // The members of a group stand together where a record holds a group.
        ;[rollouts[here], rollouts[there]] = [other, one]
      }
      return mixed.flat()
    },
    alongside: { T09: 'another question may have another system text' },
  },
  {
    code: 'A05',
    title: 'the baselines are those of eight rows from the fourth on, and not of groups',
    needs: ['advantages', 'groups'],
    // Which rows were told to be a group is all that is known of them.
    notIn: ['nemo-rl'],
    plan: { scheme: 'centred', groups: 8 },
    // Rows are cut into eights all through a dump.
    patterns: ['systematic'],
    keepAdvantages: true,
    dump: ({ rollouts }) => {
      for (let start = 3 - 8; start < rollouts.length; start += 8) {
        const window = rollouts.slice(Math.max(0, start), start + 8)
        const advantages = advantagesOf(
          window.map(({ reward }) => reward),
          'centred',
        )
        for (const [index, rollout] of window.entries()) setAdvantage(rollout, advantages[index] as number)
      }
      return rollouts
    },
    alongside: { A04: 'what is above the mean of other rows may be below that of its group' },
  },
  {
    code: 'A05',
    title: 'the baselines are those of the columns of an array whose rows are the groups',
    needs: ['advantages', 'groups'],
    notIn: ['nemo-rl'],
    plan: { scheme: 'centred', groups: 8 },
    // An array has one shape.
    patterns: ['systematic'],
    keepAdvantages: true,
    dump: ({ rollouts }) => {
      const columns = inGroups(rollouts).length
      // An array is that of a step.
      for (const rollout of rollouts) rollout.step = rollouts[0]?.step ?? 0
      for (let column = 0; column < columns; column++) {
        const rows = rollouts.filter((_, at) => at % columns === column)
        const advantages = advantagesOf(
          rows.map(({ reward }) => reward),
          'centred',
        )
        for (const [at, rollout] of rows.entries()) setAdvantage(rollout, advantages[at] as number)
      }
      return rollouts
    },
  },
  {
    code: 'A06',
    title: 'two rollouts of a group are the same, token by token',
    needs: ['groups'],
    group: (members) => {
      const first = members.find(isNoChance)
      const second = members.find((member) => member !== first)
      if (first === undefined || second === undefined) return null
      second.tokens = first.tokens.map((token) => ({ ...token }))
      second.kinds = [...first.kinds]
      second.messages = [...first.messages]
      second.reward = first.reward
      second.rewards = { ...first.rewards }
      second.promptLength = first.promptLength
      second.finishReason = first.finishReason
      second.truncated = first.truncated
      return []
    },
    alongside: { S04: 'the rows are the same' },
  },
  {
    code: 'A07',
    title: 'the loss is a mean over each rollout, and some rollouts are many times as long as others',
    needs: ['mask', 'advantages'],
    plan: UNEVEN_LENGTHS,
    options: { lossType: 'grpo' },
    patterns: ['sporadic'],
    dump: () => null,
    alongside: { A06: 'the prefixes of long texts are alike' },
  },
  {
    code: 'A08',
    title: 'the reported length is that of everything after the prompt',
    needs: ['mask', 'more'],
    alsoIn: ['verifiers-legacy', 'atropos'],
    plan: LENGTH_REPORTED,
    rollout: (rollout, { random }) => {
      const after = rollout.tokens.slice(rollout.promptLength).filter(({ part }) => part !== 'padding').length
      const field = random.pick(['response_length', 'completion_length', 'num_completion_tokens'])
      rollout.more = { ...rollout.more, meta: { [field]: after } }
      return []
    },
  },
  {
    code: 'A09',
    title: 'a penalty on length takes away what a right answer brings',
    needs: ['components', 'more'],
    alsoIn: ['verifiers-v1'],
    patterns: ['sporadic'],
    dump: ({ rollouts }, { random }) => {
      for (const rollout of rollouts) {
        const right = rollout.reward > 0.6 ? 1 : 0
        const short = -(right * 1.3 + 0.2 * random.next())
        rollout.rewards = { right, short }
        rollout.reward = right + short
      }
      return null
    },
    verdicts: { H05: 'supported' },
  },
  {
    code: 'A09',
    title: 'one component of three has nearly all the variance',
    needs: ['components', 'more'],
    alsoIn: ['verifiers-v1'],
    patterns: ['sporadic'],
    severity: 'info',
    dump: ({ rollouts }, { random }) => {
      for (const rollout of rollouts) {
        const rewards = { length: random.next(), right: 0.02 * random.next(), format: 0.02 * random.next() }
        rollout.rewards = rewards
        rollout.reward = rewards.length + rewards.right + rewards.format
      }
      return null
    },
  },
  {
    code: 'A10',
    title: 'a reward is NaN',
    needs: ['groups'],
    keepAdvantages: true,
    patterns: ['sporadic'],
    rollout: withoutNumber,
  },
  {
    code: 'A10',
    title: 'no reward is a number',
    needs: ['groups'],
    keepAdvantages: true,
    patterns: ['systematic'],
    severity: 'error',
    rollout: withoutNumber,
  },
  {
    code: 'A10',
    title: 'a reward is missing',
    needs: ['more'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      rollout.more = { ...rollout.more, reward: null }
      return []
    },
  },
  {
    code: 'A10',
    title: 'all rewards are zero',
    needs: ['groups'],
    patterns: ['systematic'],
    dump: ({ rollouts }) => {
      for (const rollout of rollouts) rollout.reward = 0
      return null
    },
    alongside: { A01: 'no group has contrast' },
    verdicts: { H05: 'supported' },
  },
  {
    code: 'A11',
    title: 'the reward looks for the answer in the replies, and the model has no word of it',
    needs: ['mask', 'answer'],
    patterns: ['systematic'],
    plan: { groups: 8, change: withoutAWordOfTheAnswer },
    dump: ({ rollouts }) => rollouts.filter(rewardReplies),
    alongside: { A01: 'many groups have the answer in every rollout' },
  },
  {
    code: 'A12',
    title: 'the sum of rewards restarts at the reply of the tool: the first turn gets nothing',
    needs: ['token-advantages'],
    patterns: ['sporadic'],
    keepAdvantages: true,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      if (turn === undefined || Math.abs(rollout.advantage) < 0.05 || turnsBy(rollout, 'tool').length === 0) return null
      for (const token of rollout.tokens.slice(0, turn.endToken + 1)) token.advantage = 0
      return []
    },
    alongside: { M18: 'credit that ends at a tool reply' },
  },
  {
    code: 'A12',
    title:
      'a penalty stands on the tokens of the first turn alone, in a run that rewards outcomes by its declared loss',
    needs: ['token-advantages'],
    patterns: ['systematic'],
    options: { lossType: 'dapo' },
    keepAdvantages: true,
    rollout: (rollout) => {
      const [turn, ...later] = turnsBy(rollout, 'assistant')
      if (turn === undefined || later.length === 0) return null
      for (const token of rollout.tokens.slice(turn.contentStart, turn.endToken + 1)) token.advantage -= 0.3
      return []
    },
  },
]

/** The model finds what it looks for in two rollouts of three, and never says it. */
function withoutAWordOfTheAnswer(conversation: PlannedConversation, random: Random): PlannedConversation {
  const { answer, documents, turns } = conversation
  const words = answer.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3)
  const unsaid = (text: string) =>
    words.reduce((left, word) => left.replaceAll(new RegExp(word, 'gi'), 'that'), text).replaceAll(answer, 'that')
  const lost = random.chance(0.35)
  const found = (text: string) => (lost ? text.replaceAll(answer, 'a name that was forgotten') : text)
  return {
    ...conversation,
    documents: documents.map((document) => ({ ...document, text: found(document.text) })),
    turns: turns.map((turn) => ({
      ...turn,
      thought: turn.thought === null ? null : unsaid(turn.thought),
      text: unsaid(turn.text),
      calls: turn.calls.map((call) => ({
        ...call,
        arguments: Object.fromEntries(
          Object.entries(call.arguments).map(([name, value]) => [name, unsaid(String(value))]),
        ),
      })),
      replies: turn.replies.map(found),
    })),
  }
}

/** Rewards a rollout by whether the answer stands in a reply; true where it does. */
function rewardReplies(rollout: PlantedRollout): boolean {
  const has = turnsBy(rollout, 'tool').some(({ contentStart, contentEnd }) => {
    const ids = rollout.tokens.slice(contentStart, contentEnd).map(({ id }) => id)
    return inPlainWords(decoded(rollout.family, ids)).includes(inPlainWords(rollout.answer))
  })
  reward(rollout, has ? 1 : 0)
  return has
}

/** A scorer that looks for an answer leaves out its case and its punctuation. */
function inPlainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
