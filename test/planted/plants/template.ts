import type { DumpPlan } from '../dump.ts'
import { inGroups, SINGLE_TURN } from '../dump.ts'
import { contentOf, findText, remask } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, turnsBy } from '../rollout.ts'
import { VARIANTS } from '../variants.ts'
import { OTHER_PROMPT, replace } from './like.ts'
import { OF_RESPONSES, OPEN_THOUGHT, ZERO_FILLED } from './mask.ts'

const QWEN = ['qwen2.5', 'qwen3'] as const
const LLAMA = ['llama3'] as const
/** Formats that keep one whole sequence: in the others what was not sampled is the prompt of the next call. */
const IN_CALLS = ['verifiers-legacy', 'nemo-gym'] as const

const PARALLEL: DumpPlan = VARIANTS.find(({ name }) => name === 'parallel tool calls')?.plan ?? {}

const ASKED_AGAIN: DumpPlan = VARIANTS.find(({ name }) => name === 'the user asks again')?.plan ?? {}

const later = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').slice(1)

/** The mask of the last turn lies two tokens early. */
const displaceLastMask = (rollout: PlantedRollout) => {
  const turn = later(rollout).at(-1)
  if (turn === undefined || turn.endToken < 0) return null
  for (const token of rollout.tokens.slice(turn.contentStart - 2, turn.contentStart)) token.trained = true
  for (const token of rollout.tokens.slice(turn.endToken - 1, turn.endToken + 1)) token.trained = false
  return [{ start: turn.contentStart - 2, end: turn.endToken + 1 }]
}

const encode = ({ family }: PlantedRollout, text: string) => family.encodeRendered(text)

/** Ids from the first turn of the model on, as they were sampled: `halves` stood at `at`. */
function responseIds(rollout: PlantedRollout, at = -1, halves: readonly number[] = []): number[] {
  const [first] = turnsBy(rollout, 'assistant')
  return rollout.tokens.flatMap(({ id, part }, index) => {
    if (part === 'padding' || index < (first?.contentStart ?? 0)) return []
    return index === at ? halves : [id]
  })
}

/** Two tokens that spell a word which is one token; null where it is no word, or no two tokens spell it. */
function otherSplit({ tokens, family: { tokenizer } }: PlantedRollout, at: number): readonly number[] | null {
  const word = tokenizer.raw(tokens[at]?.id ?? -1)
  if (word === null || !/^[a-z]{4,}$/.test(word)) return null
  for (let cut = 1; cut < word.length; cut++) {
    const halves = [word.slice(0, cut), word.slice(cut)].flatMap((half) => tokenizer.encode(half))
    if (halves.length === 2) return halves
  }
  return null
}

/** Every rollout keeps what was sampled beside its sequence. */
const RESPONSE_KEPT: DumpPlan = {
  finish: (rollout) => {
    rollout.more = { ...rollout.more, meta: { response_ids: responseIds(rollout) } }
  },
}

/** What the model wrote as it would be if a template had written it: trained, and scored by nobody as sampled. */
function unproven(tokens: readonly PlantedToken[]): void {
  for (const token of tokens) {
    token.sampled = false
    token.sampler = Number.NaN
  }
}

export const TEMPLATE_PLANTS: readonly Plant[] = [
  {
    code: 'T01',
    title: 'rendered text was encoded with a second begin-of-text token',
    families: LLAMA,
    needs: [],
    rollout: (rollout) => {
      const at = rollout.tokens.findIndex(({ part }) => part === 'bos')
      rollout.tokens.splice(at, 0, { ...(rollout.tokens[at] as PlantedToken) })
      rollout.promptLength++
      return [{ start: at, end: at + 2 }]
    },
  },
  {
    code: 'T02',
    title: 'a turn was decoded and encoded again: a word has another split than the one that was sampled',
    needs: ['mask', 'more'],
    plan: RESPONSE_KEPT,
    perTurn: true,
    rollout: (rollout, { random }) => {
      const turn = random.pick(turnsBy(rollout, 'assistant'))
      const places = Array.from({ length: turn.contentEnd - turn.contentStart }, (_, at) => turn.contentStart + at)
      for (const at of random.shuffle(places)) {
        const halves = otherSplit(rollout, at)
        if (halves === null) continue
        rollout.more = { ...rollout.more, meta: { response_ids: responseIds(rollout, at, halves) } }
        return [{ start: at, end: at + 1 }]
      }
      return null
    },
    verdicts: { H02: 'contradicted' },
  },
  {
    code: 'T03',
    title: 'the last turn got two tokens more than its mask was built for',
    needs: ['mask', 'sampler'],
    notIn: IN_CALLS,
    rollout: displaceLastMask,
    alongside: {
      M08: 'the displaced mask trains the end of the header',
      M10: 'the displaced mask ends before the end token',
    },
  },
  {
    code: 'T03',
    title: 'a turn before the last one got a token more than the mask was built for',
    needs: ['mask', 'sampler'],
    // Of a mask over the response alone the start of the first run is not seen: in its turn a drift is a shift as well.
    notIn: [...IN_CALLS, ...OF_RESPONSES],
    rollout: (rollout, { random }) => {
      const turns = turnsBy(rollout, 'assistant')
      if (turns.length < 2 || turns.some(({ endToken, contentStart }) => endToken - contentStart < 3)) return null
      const { contentStart: start } = random.pick(turns.slice(0, -1))
      const { end } = remask(rollout, (index, was) => was[index > start ? index + 1 : index] ?? false)
      return [{ start, end }]
    },
    alongside: {
      M08: 'the displaced mask trains the end of the header',
      M10: 'the displaced mask ends before the end token',
    },
  },
  {
    code: 'T03',
    title:
      'the last turn got two tokens more than its mask was built for, behind an open thought of the generation prompt',
    plan: OPEN_THOUGHT,
    needs: ['mask', 'sampler'],
    notIn: [...IN_CALLS, ...ZERO_FILLED],
    rollout: displaceLastMask,
    alongside: {
      M09: 'the displaced mask trains the tag that the template supplied',
      L05: 'of that tag there is no logprob',
      M10: 'the displaced mask ends before the end token',
    },
  },
  {
    code: 'T04',
    title: 'the newline after the model’s turns is lost',
    families: QWEN,
    needs: [],
    rollout: (rollout) => {
      for (const turn of turnsBy(rollout, 'assistant').slice(0, -1).toReversed()) {
        if (rollout.tokens[turn.endToken + 1]?.part === 'separator') rollout.tokens.splice(turn.endToken + 1, 1)
      }
      return []
    },
  },
  {
    code: 'T05',
    title: 'no header stands before the model’s turns after the first',
    needs: ['mask'],
    rollout: (rollout) => {
      for (const { start, headerEnd } of later(rollout).toReversed()) rollout.tokens.splice(start, headerEnd - start)
      return later(rollout).length > 0 ? [] : null
    },
    verdicts: { H02: 'supported' },
  },
  {
    code: 'T05',
    title: 'no header stands before the model’s turns after the first, and the user asks between them',
    needs: ['mask'],
    plan: ASKED_AGAIN,
    patterns: ['systematic'],
    rollout: (rollout) => {
      for (const { start, headerEnd } of later(rollout).toReversed()) rollout.tokens.splice(start, headerEnd - start)
      return later(rollout).length > 0 ? [] : null
    },
    verdicts: { H02: 'supported' },
  },
  {
    code: 'T06',
    title: 'the generation prompt is there twice',
    needs: [],
    rollout: (rollout) => {
      const turn = later(rollout)[0]
      if (turn === undefined) return null
      const header = rollout.tokens.slice(turn.start, turn.headerEnd).map((token) => ({ ...token }))
      rollout.tokens.splice(turn.start, 0, ...header)
      return []
    },
  },
  {
    code: 'T07',
    title: 'the prompt was rendered without the tools',
    needs: ['mask'],
    rollout: (rollout) => {
      const { name } = rollout.family
      const [turn] = turnsBy(rollout, name === 'llama3' ? 'user' : 'system')
      if (turn === undefined) return null
      const pattern =
        name === 'llama3' ? /^Given the following functions[\s\S]*?\n\n\{[\s\S]*\n\n/ : /\n\n# Tools[\s\S]*$/
      const schema = findText(rollout, contentOf(turn), pattern)
      if (schema === null) return null
      replace(rollout, schema.start, schema.end, [])
      return []
    },
    alongside: { T09: OTHER_PROMPT.T09, T08: 'the line that announces the tools of Llama stands without them' },
    verdicts: { H02: 'supported' },
  },
  {
    code: 'T08',
    title: 'an empty list of tools was rendered as tools',
    families: LLAMA,
    needs: [],
    plan: SINGLE_TURN,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'system')
      if (turn === undefined) return null
      replace(rollout, turn.contentStart, turn.contentStart, encode(rollout, 'Environment: ipython\n'))
      return []
    },
    alongside: { A05: OTHER_PROMPT.A05 },
  },
  {
    code: 'T08',
    title: 'an empty list of tools was rendered as a block of tools',
    families: QWEN,
    needs: [],
    plan: SINGLE_TURN,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'system')
      if (turn === undefined) return null
      const block =
        '\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:'
      replace(rollout, turn.contentEnd, turn.contentEnd, encode(rollout, rollout.family.protect(block)))
      return []
    },
    alongside: { A05: OTHER_PROMPT.A05 },
  },
  {
    code: 'T09',
    title: 'the system turn is repeated before a later turn',
    needs: [],
    rollout: (rollout) => {
      const [system] = turnsBy(rollout, 'system')
      const [reply] = turnsBy(rollout, 'tool')
      if (system === undefined || reply === undefined) return null
      const again = rollout.tokens
        .slice(system.start, system.end)
        .map((token) => ({ ...token, turn: rollout.kinds.length }))
      rollout.kinds.push('system')
      rollout.tokens.splice(reply.start, 0, ...again)
      return []
    },
  },
  {
    code: 'T10',
    title: 'the template took the thought out of an earlier turn',
    families: ['qwen3'],
    needs: ['mask', 'messages'],
    // Its messages have a role and a text alone, and the thought stands in a field of its own.
    notIn: ['atropos'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant').slice(0, -1)
      const thought = turn && findText(rollout, contentOf(turn), /<think>[\s\S]*?<\/think>\n*/)
      if (turn === undefined || !thought) return null
      rollout.tokens.splice(thought.start, thought.end - thought.start)
      return [{ start: turn.start, end: turn.end - (thought.end - thought.start) }]
    },
  },
  {
    code: 'T11',
    title: 'replies to parallel calls have a turn each',
    families: QWEN,
    needs: ['messages'],
    plan: PARALLEL,
    rollout: (rollout) => {
      for (const turn of turnsBy(rollout, 'tool')) {
        const seam = findText(rollout, contentOf(turn), /<\/tool_response>\n<tool_response>\n/)
        if (seam === null) continue
        replace(
          rollout,
          seam.start,
          seam.end,
          encode(rollout, '\n</tool_response><|im_end|>\n<|im_start|>user\n<tool_response>\n'),
        )
        return []
      }
      return null
    },
  },
  {
    code: 'T12',
    title: 'the arguments of a call were encoded twice',
    needs: ['mask', 'messages', 'sampler'],
    notIn: IN_CALLS,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      const isLlama = rollout.family.name === 'llama3'
      const pattern = isLlama ? /\{"name"[\s\S]*\}/ : /<tool_call>[\s\S]*?<\/tool_call>/
      const called = turn && findText(rollout, contentOf(turn), pattern)
      const query = rollout.conversation.turns[0]?.calls[0]?.arguments
      if (!called || query === undefined) return null
      const twice = JSON.stringify(JSON.stringify(query))
      const again = isLlama
        ? `{"name": "retrieve", "parameters": ${twice}}`
        : `<tool_call>\n{"name":"retrieve","arguments":${twice}}\n</tool_call>`
      const before = rollout.tokens.length
      replace(rollout, called.start, called.end, encode(rollout, again))
      const end = called.end + rollout.tokens.length - before
      for (const token of rollout.tokens.slice(called.start, end)) token.trained = true
      return [{ start: called.start, end }]
    },
  },
  {
    code: 'T13',
    title: 'the template dropped what the model said beside its call',
    families: LLAMA,
    needs: ['mask', 'messages', 'sampler'],
    notIn: [...IN_CALLS, 'atropos'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      const at = rollout.messages.findIndex(({ role }) => role === 'assistant')
      const message = rollout.messages[at]
      if (turn === undefined || !message?.tool_calls?.length) return null
      rollout.messages[at] = { ...message, content: 'I look for the director of the film in the documents first.' }
      unproven(rollout.tokens.slice(turn.contentStart, turn.endToken + 1))
      return [{ start: turn.contentStart, end: turn.endToken + 1 }]
    },
  },
  {
    code: 'T14',
    title: 'a rollout of a group was sampled a day later than its siblings',
    families: LLAMA,
    needs: [],
    // Which of its sequences are siblings is not known: one day later is a run that goes on past midnight.
    notIn: ['prime-rl-export'],
    patterns: ['sporadic'],
    dump: ({ rollouts }, { random }) => {
      for (const members of random.shuffle(inGroups(rollouts)).slice(0, 2)) {
        // The first of its group, as siblings stand behind it then: the last rollouts of a file may well be of the day after.
        const [rollout] = members
        const [turn] = rollout === undefined ? [] : turnsBy(rollout, 'system')
        const date = rollout && turn && findText(rollout, contentOf(turn), /26 Jul/)
        if (rollout && date) replace(rollout, date.start, date.end, encode(rollout, '27 Jul'))
      }
      return null
    },
  },
  {
    code: 'T14',
    title: 'the template wrote the day, and the run went on past midnight',
    families: LLAMA,
    needs: [],
    patterns: ['sporadic'],
    severity: 'info',
    dump: ({ rollouts }, { random }) => {
      for (const rollout of random.pick(inGroups(rollouts))) {
        const [turn] = turnsBy(rollout, 'system')
        const date = turn && findText(rollout, contentOf(turn), /26 Jul/)
        if (date) replace(rollout, date.start, date.end, encode(rollout, ' 27 Jul'))
      }
      return null
    },
  },
  {
    code: 'T14',
    title: 'the template wrote the day, and each group of the run was sampled on a day of its own',
    families: LLAMA,
    needs: [],
    // The day that most prompts have is the one that others are held against: a twentieth of the prompts, or less.
    plan: { groups: 24 },
    patterns: ['systematic'],
    dump: ({ rollouts }) => {
      for (const [day, members] of inGroups(rollouts).entries()) {
        for (const rollout of members) {
          const [turn] = turnsBy(rollout, 'system')
          const date = turn && findText(rollout, contentOf(turn), /26 Jul/)
          if (date) replace(rollout, date.start, date.end, encode(rollout, ` ${String(day + 1).padStart(2, '0')} Jul`))
        }
      }
      return null
    },
  },
]
