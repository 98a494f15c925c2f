import type { Random } from '../../../samples/random.ts'
import type { PlannedConversation } from '../conversation.ts'
import type { DumpPlan } from '../dump.ts'
import { contentOf, findText, realEnd, remask, train } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { decoded, type PlantedRollout, type TurnPlace, turnsBy } from '../rollout.ts'
import { VARIANTS } from '../variants.ts'

export const QWEN = ['qwen2.5', 'qwen3'] as const
export const MASK = ['mask'] as const
/** Formats that hold a mask in each message, beside who wrote it. */
export const IN_NODES = ['verifiers-v1'] as const
/** Masks over the response alone: nothing is said of the prompt, in which the first header stands. */
export const OF_RESPONSES = ['verl-batch'] as const
/** They hold 0 where nothing was sampled, which a sampled tag may have as well. */
export const ZERO_FILLED = ['nemo-rl', 'prime-rl-export', 'trl-async', 'openrlhf', ...OF_RESPONSES] as const
export const SUPPORTED = { H02: 'supported' } as const

/** The plan of a clean variant, which a plant then damages. */
export const planOf = (name: string): DumpPlan => {
  const { groups: _, ...plan } = VARIANTS.find((each) => each.name === name)?.plan ?? {}
  return plan
}
const EMPTY_THOUGHT = planOf('an empty thought is prefilled')
/** The tag is one id of Qwen3, and spelt in the other families. */
export const OPEN_THOUGHT: DumpPlan = {
  change: (conversation, _random, { name }) => ({
    ...conversation,
    prefill: name === 'qwen3' ? '<think>\n' : '<think>',
  }),
}
const TAGGED = planOf('tagged replies inside one assistant turn')

export const assistant = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant')
const through = ({ contentStart, endToken }: TurnPlace) => [contentStart, endToken + 1] as const

/** Thoughts of the model's turns, tags included. */
const thoughts = (rollout: PlantedRollout) =>
  assistant(rollout).flatMap((turn) => findText(rollout, contentOf(turn), /<think>[\s\S]*?<\/think>/) ?? [])

/** In a third of the rollouts no reply says what was asked for. */
function someRepliesWithoutAnswer(conversation: PlannedConversation, random: Random): PlannedConversation {
  if (!random.chance(0.35)) return conversation
  const without = (text: string) => text.replaceAll(conversation.answer, 'a name that was forgotten')
  return {
    ...conversation,
    documents: conversation.documents.map((document) => ({ ...document, text: without(document.text) })),
    turns: conversation.turns.map((turn) => ({ ...turn, replies: turn.replies.map(without) })),
  }
}

/** A fifth answers at once, and asks no tool. */
function someOfOneTurn(conversation: PlannedConversation, random: Random): PlannedConversation {
  if (!random.chance(0.2)) return conversation
  return { ...conversation, turns: conversation.turns.slice(-1) }
}

/** As where the template takes thoughts out of history. */
function thoughtAtTheEnd(conversation: PlannedConversation): PlannedConversation {
  const { turns } = conversation
  return {
    ...conversation,
    turns: turns.map((turn, index) => (index === turns.length - 1 ? turn : { ...turn, thought: null })),
  }
}

export const MASK_PLANTS: readonly Plant[] = [
  {
    code: 'M01',
    title: 'replies of the tool are trained',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      turnsBy(rollout, 'tool').map(({ contentStart, contentEnd }) => train(rollout, contentStart, contentEnd)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M01',
    title: 'whole turns of the tool are trained, header and end included',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) => turnsBy(rollout, 'tool').map(({ start, end }) => train(rollout, start, end)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M01',
    title: 'a few words in the middle of one reply are trained',
    needs: MASK,
    alsoIn: IN_NODES,
    rollout: (rollout, { random }) => {
      const { contentStart, contentEnd } = random.pick(turnsBy(rollout, 'tool'))
      const at = random.integer(contentStart + 8, contentEnd - 16)
      return [train(rollout, at, at + 5)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M01',
    title: 'the question is trained',
    needs: MASK,
    notIn: OF_RESPONSES,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      turnsBy(rollout, 'user').map(({ contentStart, contentEnd }) => train(rollout, contentStart, contentEnd)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M01',
    title: 'replies between tags in the model’s own turn are trained',
    needs: MASK,
    notIn: ['nemo-gym'],
    plan: TAGGED,
    rollout: (rollout) => [
      remask(
        rollout,
        (index, was) =>
          was[index] === true ||
          (rollout.tokens[index]?.part === 'content' &&
            assistant(rollout).some(({ contentStart, contentEnd }) => contentStart <= index && index < contentEnd)),
      ),
    ],
    alongside: { L05: 'the empty lines around the reply hold what the format writes where nothing was sampled' },
    verdicts: SUPPORTED,
  },
  {
    code: 'M02',
    title: 'the environment is trained and the model is not',
    needs: MASK,
    alsoIn: IN_NODES,
    rollout: (rollout) => [
      remask(rollout, (index, was) => rollout.tokens[index]?.part !== 'padding' && was[index] === false),
    ],
    verdicts: SUPPORTED,
  },
  {
    code: 'M02',
    title: 'after the prompt the environment is trained and the model is not',
    needs: MASK,
    alsoIn: IN_NODES,
    rollout: (rollout) => {
      const from = turnsBy(rollout, 'assistant')[0]?.contentStart ?? 0
      const end = realEnd(rollout)
      return [remask(rollout, (index, was) => index >= from && index < end && was[index] === false)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M03',
    title: 'only the last turn of the model is trained',
    needs: MASK,
    alsoIn: IN_NODES,
    // There masked replies before the first trained one are those that another branch trains (decision 7).
    notIn: ['atropos', 'prime-rl-export'],
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout)
        .slice(0, -1)
        .map((turn) => train(rollout, ...through(turn), false)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M03',
    title: 'only the first turn of the model is trained',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout)
        .slice(1)
        .map((turn) => train(rollout, ...through(turn), false)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M03',
    title: 'the last turn of the model is not trained',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout)
        .slice(-1)
        .map((turn) => train(rollout, ...through(turn), false)),
    verdicts: SUPPORTED,
  },
  {
    code: 'M04',
    title: 'nothing is trained',
    needs: MASK,
    // It writes no line for such a row.
    notIn: ['prime-rl-export'],
    rollout: (rollout) => {
      remask(rollout, () => false)
      return []
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M05',
    title: 'the trained span of a turn runs to the end of the row',
    needs: MASK,
    alsoIn: IN_NODES,
    rollout: (rollout, { random }) => {
      const { contentStart } = random.pick(assistant(rollout).slice(0, -1))
      return [train(rollout, contentStart, realEnd(rollout))]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M07',
    title: 'the mask was built without the empty thoughts of the template',
    families: ['qwen3'],
    needs: MASK,
    plan: EMPTY_THOUGHT,
    rollout: (rollout) => {
      const spans = assistant(rollout).map((turn, before) => {
        const [start, end] = through(turn)
        const early = 4 * (before + 1)
        return { start: start - early, end: end - early }
      })
      return [remask(rollout, (index) => spans.some(({ start, end }) => start <= index && index < end))]
    },
    alongside: {
      M01: 'later turns lie eight tokens early and more, and train the end of the reply',
      M03: 'a late and short turn is shorter than its mask is early',
      M08: 'later turns lie eight tokens early and more, and train their header',
      M09: 'the block lies where the mask begins',
      M10: 'the end tokens lie behind where the mask ends',
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M08',
    title: 'headers of the model’s turns are trained',
    needs: MASK,
    notIn: OF_RESPONSES,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) => assistant(rollout).map(({ start, headerEnd }) => train(rollout, start, headerEnd)),
  },
  {
    code: 'M08',
    title: 'headers are trained from the second turn on',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout)
        .slice(1)
        .map(({ start, headerEnd }) => train(rollout, start, headerEnd)),
  },
  {
    code: 'M08',
    title: 'headers are trained beside whole turns of the tool',
    // Without a newline between turns, what runs from one turn of the model over the reply into the next is a span without an end (M05).
    families: ['qwen2.5', 'qwen3'],
    needs: MASK,
    notIn: OF_RESPONSES,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) => {
      for (const { start, end } of turnsBy(rollout, 'tool')) train(rollout, start, end)
      return assistant(rollout).map(({ start, headerEnd }) => train(rollout, start, headerEnd))
    },
    alongside: { M01: 'the replies are trained as well' },
  },
  {
    code: 'M09',
    title: 'the empty thought of the generation prompt is trained',
    families: ['qwen3'],
    needs: MASK,
    notIn: OF_RESPONSES,
    plan: EMPTY_THOUGHT,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout).map(({ headerEnd, contentStart }) => train(rollout, headerEnd, contentStart)),
  },
  {
    code: 'M09',
    title: 'the open thought of the generation prompt is trained',
    needs: ['mask', 'sampler'],
    notIn: ZERO_FILLED,
    plan: OPEN_THOUGHT,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout).map(({ headerEnd, contentStart }) => train(rollout, headerEnd, contentStart)),
  },
  {
    code: 'M15',
    title: 'the loss mask is the attention mask',
    needs: ['mask', 'attention'],
    rollout: (rollout) => {
      for (const token of rollout.tokens) token.attended = token.trained
      return [{ start: 0, end: rollout.tokens.length }]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M15',
    title: 'replies of the tool are hidden from the forward pass',
    needs: ['mask', 'attention'],
    rollout: (rollout) =>
      turnsBy(rollout, 'tool').map(({ start, end }) => {
        for (const token of rollout.tokens.slice(start, end)) token.attended = false
        return { start, end }
      }),
    verdicts: SUPPORTED,
  },
  {
    code: 'M15',
    title: 'replies of the tool are hidden wherever there are any, and a fifth of the rollouts have one turn',
    needs: ['mask', 'attention'],
    patterns: ['systematic'],
    plan: { groups: 8, change: someOfOneTurn },
    rollout: (rollout) => {
      const replies = turnsBy(rollout, 'tool').map(({ start, end }) => {
        for (const token of rollout.tokens.slice(start, end)) token.attended = false
        return { start, end }
      })
      return replies.length === 0 ? null : replies
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M16',
    title: 'thoughts are masked and the rest of their turns is trained',
    families: QWEN,
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) => thoughts(rollout).map(({ start, end }) => train(rollout, start, end, false)),
  },
  {
    code: 'M16',
    title: 'the closing tag of thoughts is masked',
    families: ['qwen3'],
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) => thoughts(rollout).map(({ end }) => train(rollout, end - 1, end, false)),
  },
  {
    code: 'M16',
    title: 'the thought of the last turn, the only one that has any, is masked',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    plan: { change: thoughtAtTheEnd },
    rollout: (rollout) => {
      const spans = thoughts(rollout)
      return spans.length === 0 ? null : spans.map(({ start, end }) => train(rollout, start, end, false))
    },
  },
  {
    code: 'M18',
    title: 'the advantage starts anew behind every reply',
    needs: ['mask', 'token-advantages'],
    keepAdvantages: true,
    rollout: (rollout) => {
      const last = assistant(rollout).at(-1)
      if (last === undefined || rollout.advantage === 0) return null
      for (const token of rollout.tokens.slice(0, last.start)) token.advantage = 0
      return [{ start: 0, end: last.start }]
    },
    alongside: { A12: 'the advantage is not the same all over the row' },
    verdicts: SUPPORTED,
  },
  {
    code: 'M18',
    title: 'the reward looks for the answer in replies as well',
    needs: ['mask', 'answer'],
    patterns: ['systematic'],
    plan: { groups: 8, change: someRepliesWithoutAnswer },
    dump: ({ rollouts }) => rollouts.filter(rewardAnywhere),
    alongside: { A01: 'many groups have the answer in every rollout' },
    verdicts: SUPPORTED,
  },
]

/** Rewards a rollout by whether the answer stands anywhere in it; true where only a reply has it. */
function rewardAnywhere(rollout: PlantedRollout): boolean {
  const has = (places: readonly TurnPlace[]) =>
    places.some(({ contentStart, contentEnd }) =>
      decoded(
        rollout.family,
        rollout.tokens.slice(contentStart, contentEnd).map(({ id }) => id),
      ).includes(rollout.answer),
    )
  const model = has(turnsBy(rollout, 'assistant'))
  const reply = has(turnsBy(rollout, 'tool'))
  rollout.reward = model || reply ? 1 : 0
  rollout.rewards = { found: rollout.reward }
  return reply && !model
}
