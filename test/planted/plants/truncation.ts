import { inGroups } from '../dump.ts'
import { contentOf, findText, realEnd } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { decoded, type PlantedMessage, type PlantedRollout, type TurnPlace, turnsBy } from '../rollout.ts'
import { advantagesOf, setAdvantage } from '../scores.ts'

const CUT_IS_TRAINED = { C03: 'the cut rollout is trained and keeps its reward' } as const
/** Rollouts of a group begin alike, and may be the same as far as they go. */
const SAME_BEGINNING = { A06: 'what is left is the same', S04: 'what is left is the same' } as const

const LONG_QUESTION =
  'Look the answer up in the documents, read all of what you find, and say where you have it from before you answer this question of a person who knows nothing of the matter and wants to learn it.'

const lastTurn = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').at(-1)

/** The tokens of a rollout end at `end`; padding that follows stays. */
function endAt(rollout: PlantedRollout, end: number): void {
  rollout.tokens.splice(end, realEnd(rollout) - end)
}

/** What a message says after the model was stopped: its text as the ids hold it, without a call or a thought of its own. */
function cutMessage(rollout: PlantedRollout, { contentStart }: TurnPlace, end: number): PlantedMessage {
  const ids = rollout.tokens.slice(contentStart, end).map(({ id }) => id)
  return { role: 'assistant', content: decoded(rollout.family, ids).replace(/\uFFFD$/, '') }
}

/** Stops the last turn in its text, some tokens before its end. Null where it has no text that long. */
export function stopLastTurn(rollout: PlantedRollout, tokens = 6): number | null {
  const turn = lastTurn(rollout)
  if (turn === undefined || turn.endToken < 0 || turn.contentEnd - turn.contentStart < tokens * 3) return null
  const end = turn.contentEnd - tokens
  const message = cutMessage(rollout, turn, end)
  endAt(rollout, end)
  const at = rollout.messages.findLastIndex(({ role }) => role === 'assistant')
  rollout.messages[at] = message
  return end
}

function rewarded(rollout: PlantedRollout, reward: number): void {
  rollout.reward = reward
  rollout.rewards = {}
}

export function flagged(rollout: PlantedRollout, truncated: boolean): void {
  rollout.finishReason = 'length'
  rollout.truncated = truncated
}

type ReplyUnit = 'tokens' | 'characters'

/** What the template wrote around the text of a reply, and how it wrote the text. */
interface ReplyText {
  readonly before: string
  readonly text: string
  readonly after: string
  readonly isQuoted: boolean
}

function replyText(rollout: PlantedRollout, { contentStart, contentEnd }: TurnPlace): ReplyText | null {
  const ids = rollout.tokens.slice(contentStart, contentEnd).map(({ id }) => id)
  const rendered = decoded(rollout.family, ids)
  if (rollout.family.name === 'llama3') {
    const isQuoted = /^"[\s\S]*"$/.test(rendered)
    return { before: '', text: isQuoted ? JSON.parse(rendered) : rendered, after: '', isQuoted }
  }
  const [, before, text, after] = /^(\s*<tool_response>\n)([\s\S]*?)(\n<\/tool_response>)$/.exec(rendered) ?? []
  return text === undefined ? null : { before: before as string, text, after: after as string, isQuoted: false }
}

/** The pieces that a limit counts. */
function piecesOf(rollout: PlantedRollout, text: string, unit: ReplyUnit): string[] {
  const { family } = rollout
  return unit === 'characters' ? [...text] : family.tokenizer.encode(text).map((id) => decoded(family, [id]))
}

function kept(pieces: readonly string[], limit: number, side: 'left' | 'right' | 'middle'): string {
  const half = limit / 2
  const left = { left: 0, right: limit, middle: half }[side]
  const right = limit - left
  return [...pieces.slice(0, left), ...(right === 0 ? [] : pieces.slice(-right))].join('')
}

/** Cuts every reply to one length, in the ids and in the messages, and gives the rollouts that have one which was longer. */
function cutRepliesOf(rollouts: readonly PlantedRollout[], side: 'left' | 'right' | 'middle', unit: ReplyUnit) {
  const sizes = rollouts.flatMap((rollout) =>
    turnsBy(rollout, 'tool').map((turn) => piecesOf(rollout, replyText(rollout, turn)?.text ?? '', unit).length),
  )
  // One reply in three is longer; those of nearly the same length are made shorter, since they would be counted with what was cut.
  const limit = 2 * Math.floor((sizes.sort((a, b) => a - b)[Math.floor(sizes.length * 0.7)] as number) / 2)
  return rollouts.filter((rollout) => {
    let cut = false
    for (const turn of turnsBy(rollout, 'tool').toReversed()) {
      const reply = replyText(rollout, turn)
      const pieces = piecesOf(rollout, reply?.text ?? '', unit)
      if (reply === null || pieces.length < limit - 1) continue
      const isCut = pieces.length > limit + 1
      const text = isCut ? kept(pieces, limit, side) : kept(pieces, limit - 14, 'right')
      const written = reply.isQuoted ? JSON.stringify(text) : text
      const like = rollout.tokens[turn.contentStart] as PlantedRollout['tokens'][number]
      const ids = rollout.family.encodeRendered(`${reply.before}${written}${reply.after}`)
      rollout.tokens.splice(
        turn.contentStart,
        turn.contentEnd - turn.contentStart,
        ...ids.map((id) => ({ ...like, id })),
      )
      rollout.messages = rollout.messages.map((message) =>
        message.role === 'tool' && message.content === reply.text ? { ...message, content: text } : message,
      )
      // A token that was cut off from its word may be encoded otherwise, and a newline becomes one with that of the tag, or with a tag that is spelt.
      const isMerged = /\n$/.test(text) || (/^\n/.test(text) && rollout.family.name === 'qwen2.5')
      cut ||= isCut && !isMerged && piecesOf(rollout, text, unit).length === limit
    }
    return cut
  })
}

export const TRUNCATION_PLANTS: readonly Plant[] = [
  {
    code: 'C01',
    title: 'the prompt was cut on the left, within its first turn',
    needs: [],
    rollout: (rollout) => {
      const [system] = turnsBy(rollout, 'system')
      const first = rollout.tokens.findIndex(({ part }) => part !== 'padding')
      if (system === undefined) return null
      const cut = system.contentStart + 7 - first
      rollout.tokens.splice(first, cut)
      rollout.promptLength -= cut
      return []
    },
    alongside: { A05: 'the prompts of its group differ', T09: 'the system texts of its group differ' },
  },
  {
    code: 'C02',
    title: 'the end of the question is gone, and its turn is not closed',
    needs: [],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      if (user === undefined) return null
      const start = user.contentEnd - 6
      rollout.tokens.splice(start, user.end - start)
      rollout.promptLength -= user.end - start
      return []
    },
    alongside: {
      A05: 'the prompts of its group differ',
      T05: 'a header stands where a turn is open',
    },
  },
  {
    code: 'C02',
    title: 'the middle of the schemas and the beginning of the question behind them are gone',
    families: ['llama3'],
    needs: ['messages', 'tools'],
    // The question stands in one turn with the schemas, and has a tail to be known by.
    plan: {
      groups: 2,
      change: (conversation) => ({ ...conversation, user: `${LONG_QUESTION} ${conversation.user}` }),
    },
    patterns: ['systematic'],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      if (user === undefined) return null
      const [start, end] = [user.contentStart + 60, user.contentEnd - 40]
      rollout.tokens.splice(start, end - start)
      rollout.promptLength -= end - start
      return []
    },
  },
  {
    code: 'C03',
    title: 'the last turn was stopped by a limit, is trained and keeps its reward',
    needs: ['mask', 'messages'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      if (rollout.reward <= 0 || stopLastTurn(rollout) === null) return null
      flagged(rollout, true)
      return []
    },
    alongside: { C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C04',
    title: 'cut rollouts are masked, and their rewards are in the baselines of their groups',
    needs: ['mask', 'advantages', 'finish'],
    notIn: ['verifiers-legacy'],
    plan: { scheme: 'centred' },
    patterns: ['sporadic'],
    keepAdvantages: true,
    dump: ({ rollouts }, { random }) => {
      const cut: PlantedRollout[] = []
      for (const members of random.shuffle(inGroups(rollouts))) {
        const rewards = members.map(({ reward }) => reward)
        const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
        const chosen = members.find(({ reward }) => Math.abs(reward - mean) > 0.2)
        if (cut.length === 2 || chosen === undefined || stopLastTurn(chosen) === null) continue
        for (const token of chosen.tokens) token.trained = false
        flagged(chosen, true)
        const advantages = advantagesOf(rewards, 'centred')
        for (const [index, member] of members.entries()) setAdvantage(member, advantages[index] as number)
        cut.push(chosen)
      }
      return cut
    },
    alongside: { M04: 'the masked rollout is a row that trains nothing, flagged as truncated' },
  },
  {
    code: 'C05',
    title: 'a turn that was stopped by its limit is not flagged as truncated',
    needs: ['finish', 'more', 'messages'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      if (stopLastTurn(rollout) === null) return null
      flagged(rollout, false)
      return []
    },
    alongside: { ...CUT_IS_TRAINED, C12: 'what was scored is not in the ids' },
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
    needs: ['finish', 'more', 'messages'],
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
    alongside: { ...CUT_IS_TRAINED, ...SAME_BEGINNING },
  },
  {
    code: 'C08',
    title: 'the environment cuts the middle out of replies',
    needs: [],
    rollout: (rollout) => {
      const reply = turnsBy(rollout, 'tool').find(({ contentStart, contentEnd }) => contentEnd - contentStart > 80)
      if (reply === undefined) return null
      const from = reply.contentStart + 30
      const to = reply.contentEnd - 30
      const like = rollout.tokens[from]
      const mark = rollout.family.encodeRendered('...(truncated)...')
      rollout.tokens.splice(from, to - from, ...mark.map((id) => ({ ...(like as NonNullable<typeof like>), id })))
      return []
    },
    alongside: { C09: 'a supporting document is among what was cut' },
  },
  ...(
    [
      ['right', 'tokens'],
      ['right', 'characters'],
      ['left', 'characters'],
      ['middle', 'characters'],
    ] as const
  ).map(
    ([side, unit]): Plant => ({
      code: 'C08',
      title: `the environment keeps so many ${unit} of every reply, and marks no cut (${side})`,
      needs: [],
      patterns: ['sporadic'],
      // In Llama’s replies a limit in tokens cannot be told from the ids: the template quotes what was counted before.
      ...(unit === 'tokens' ? { families: ['qwen2.5', 'qwen3'] } : {}),
      dump: ({ rollouts }) => cutRepliesOf(rollouts, side, unit),
      alongside: {
        C09: 'a supporting document is among what was cut',
        A11: 'the answer is no longer in what the model read',
        M18: 'the answer is no longer in what the model read',
      },
    }),
  ),
  {
    code: 'C09',
    title: 'a supporting document that was retrieved is cut from the trained ids',
    needs: ['documents', 'messages'],
    rollout: (rollout) => {
      const { tokens, documents } = rollout
      for (const reply of turnsBy(rollout, 'tool')) {
        for (const document of documents.filter(({ supporting }) => supporting)) {
          const opening = document.text
            .slice(0, 24)
            .replace(/[^ -~]/g, '.')
            .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          const find = (turn: TurnPlace) => findText(rollout, contentOf(turn), new RegExp(opening))
          const place = find(reply)
          // One that was found twice is still there after the cut.
          if (place === null || turnsBy(rollout, 'tool').filter((turn) => find(turn) !== null).length > 1) continue
          // The reply ends where the document begins; its tags stay.
          const end = reply.contentEnd - (rollout.family.name === 'llama3' ? 1 : 8)
          if (end - place.end < 24) continue
          tokens.splice(place.end, end - place.end)
          return []
        }
      }
      return null
    },
    alongside: { C08: 'the reply is shorter than its message' },
  },
  {
    code: 'C10',
    title: 'the length filter counted prompts without the tool schema',
    needs: ['limits', 'tools', 'prompt-length', 'more'],
    plan: { padding: 'none', limits: true },
    patterns: ['systematic'],
    patternOfTwo: 'systematic',
    dump: ({ rollouts }) => {
      const limit = Math.min(...rollouts.map(({ promptLength }) => promptLength)) - 12
      for (const rollout of rollouts) rollout.limits = { ...rollout.limits, max_prompt_length: limit }
      return rollouts
    },
  },
  {
    code: 'C12',
    title: 'the reward was earned by an answer that was cut from the ids',
    needs: ['mask', 'messages', 'answer', 'more'],
    patterns: ['sporadic'],
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
    plan: { endless: 6, build: { maxTokens: 256 } },
    dump: ({ rollouts }) => {
      for (const rollout of rollouts) rollout.limits = { ...rollout.limits, max_completion_length: 256 }
      return rollouts.filter((rollout) => {
        const written = rollout.tokens.filter(({ sampled }) => sampled).length
        return turnsBy(rollout, 'assistant').length > 1 && written > 256
      })
    },
    alongside: { M04: 'rows that are masked because they were cut train nothing' },
  },
  {
    code: 'C14',
    title: 'the cut kept the prompt and dropped the completion',
    needs: ['mask', 'more'],
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
