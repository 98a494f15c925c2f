import type { DumpPlan } from '../dump.ts'
import { inGroups, SINGLE_TURN } from '../dump.ts'
import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, turnsBy } from '../rollout.ts'
import { VARIANTS } from '../variants.ts'
import { TAG_SEVERITY } from './markers.ts'

const QWEN = ['qwen2.5', 'qwen3'] as const
const LLAMA = ['llama3'] as const
/** `<`, `think`, `>` as Qwen's vocabularies cut it. */
const THINK_IN_LETTERS = [13708, 766, 29]
const THINK_OF_QWEN3 = 151667
/** Formats that keep one whole sequence: in the others what was not sampled is the prompt of the next call. */
const IN_CALLS = ['verifiers-legacy', 'nemo-gym'] as const

const PARALLEL: DumpPlan = VARIANTS.find(({ name }) => name === 'parallel tool calls')?.plan ?? {}

const THOUGHTLESS: DumpPlan = VARIANTS.find(({ name }) => name === 'thinking absent')?.plan ?? {}

const ASKED_AGAIN: DumpPlan = VARIANTS.find(({ name }) => name === 'the user asks again')?.plan ?? {}

/** In two rollouts of 64, a changed prompt is another one than those of their groups. */
const OTHER_PROMPT = {
  A05: 'the prompts of its group differ',
  T09: 'the system texts of its group differ',
}

const later = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').slice(1)

/** Puts ids in the place of tokens; they are of the same turn and part as the one before them. */
function replace(rollout: PlantedRollout, start: number, end: number, ids: readonly number[], sampled = false): void {
  const like = (rollout.tokens[start] ?? rollout.tokens[start - 1]) as PlantedToken
  const tokens = ids.map((id): PlantedToken => {
    const score = sampled ? -0.25 : Number.NaN
    const context = like.part === 'padding' ? Number.NaN : -0.5
    return { ...like, id, sampled, trained: sampled, sampler: score, trainer: context, reference: context }
  })
  rollout.tokens.splice(start, end - start, ...tokens)
  if (start < rollout.promptLength) rollout.promptLength += ids.length - (end - start)
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
    alongside: OTHER_PROMPT,
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
    rollout: (rollout) => {
      const turn = later(rollout).at(-1)
      if (turn === undefined || turn.endToken < 0) return null
      for (const token of rollout.tokens.slice(turn.contentStart - 2, turn.contentStart)) token.trained = true
      for (const token of rollout.tokens.slice(turn.endToken - 1, turn.endToken + 1)) token.trained = false
      return [{ start: turn.contentStart - 2, end: turn.endToken + 1 }]
    },
    alongside: {
      M08: 'the displaced mask trains the end of the header',
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
    alongside: { ...OTHER_PROMPT, T08: 'the line that announces the tools of Llama stands without them' },
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
    alongside: OTHER_PROMPT,
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
    code: 'T10',
    title: 'the template put an empty thought before the last turn',
    families: ['qwen3'],
    needs: ['mask', 'messages'],
    notIn: IN_CALLS,
    plan: THOUGHTLESS,
    rollout: (rollout) => {
      const turns = turnsBy(rollout, 'assistant')
      const last = turns.at(-1)
      if (last === undefined || turns.length < 2) return null
      const block = encode(rollout, '<think>\n\n</think>\n\n')
      rollout.tokens.splice(
        last.contentStart,
        0,
        ...block.map((id) => ({
          ...(rollout.tokens[last.headerEnd - 1] as PlantedToken),
          id,
          part: 'prefill' as const,
        })),
      )
      return [{ start: last.contentStart, end: last.contentStart + block.length }]
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
    families: QWEN,
    needs: ['mask', 'messages', 'sampler'],
    notIn: IN_CALLS,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      const called = turn && findText(rollout, contentOf(turn), /<tool_call>[\s\S]*?<\/tool_call>/)
      const query = rollout.conversation.turns[0]?.calls[0]?.arguments
      if (turn === undefined || !called || query === undefined) return null
      const again = JSON.stringify({ name: 'retrieve', arguments: JSON.stringify(query) })
      const before = rollout.tokens.length
      replace(rollout, called.start, called.end, encode(rollout, `<tool_call>\n${again}\n</tool_call>`))
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
    title: 'the template wrote the day, and the run went on past midnight',
    families: LLAMA,
    needs: [],
    patterns: ['sporadic'],
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
    code: 'T15',
    title: 'a document spells the end token, and encoding made it one',
    needs: ['messages'],
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      const at = rollout.messages.findIndex(({ role }) => role === 'tool')
      const [turn] = turnsBy(rollout, 'tool')
      const message = rollout.messages[at]
      if (turn === undefined || message === undefined) return null
      const place = findText(rollout, contentOf(turn), /[a-z](?= [a-z]+ [a-z]+)/)
      const position = /[a-z](?= [a-z]+ [a-z]+)/.exec(message.content)
      if (place === null || position === null) return null
      const { endText } = rollout.family
      const head = position.index + 1
      rollout.messages[at] = {
        ...message,
        content: `${message.content.slice(0, head)}${endText}${message.content.slice(head)}`,
      }
      replace(rollout, place.end, place.end, [rollout.family.end])
      return []
    },
    alongside: {
      M03: 'what follows the forged end is read as a turn of the model, and is masked',
      C08: 'the reply ends at the forged end, without its closing tag',
      C09: 'what follows the forged end is no text of the environment any more',
    },
  },
  {
    code: 'T16',
    title: 'the tag that opens a thought is spelt in letters, which the model did not write',
    families: ['qwen3'],
    needs: ['mask'],
    notIn: IN_CALLS,
    severity: TAG_SEVERITY,
    rollout: (rollout) => {
      const turn = turnsBy(rollout, 'assistant').at(-1)
      const open = turn && findText(rollout, contentOf(turn), /<think>/)
      if (!open) return null
      replace(rollout, open.start, open.end, THINK_IN_LETTERS)
      for (const token of rollout.tokens.slice(open.start, open.start + 3)) token.trained = true
      return []
    },
    alongside: { M09: 'what opens a turn and was not sampled is a prefill' },
  },
  {
    code: 'T17',
    title: 'ids of another family stand in the model’s text',
    // Told by ids alone, such a dump would be one of the other family.
    families: ['qwen2.5'],
    options: { tokenizer: 'qwen2.5' },
    needs: [],
    rollout: (rollout) => {
      const turn = turnsBy(rollout, 'assistant').at(-1)
      if (turn === undefined) return null
      const at = turn.contentStart + 2
      replace(rollout, at, at + 1, [THINK_OF_QWEN3], true)
      return []
    },
  },
  {
    code: 'T18',
    title: 'the newline of the header and the first one of the answer are one token',
    families: QWEN,
    needs: [],
    rollout: (rollout) => {
      const turns = later(rollout)
      for (const { headerEnd } of turns) (rollout.tokens[headerEnd - 1] as PlantedToken).id = 271
      return turns.length > 0 ? turns.map(({ headerEnd }) => ({ start: headerEnd - 1, end: headerEnd })) : null
    },
    perTurn: true,
  },
  {
    code: 'T19',
    title: 'a limit cut placeholders of an image',
    families: QWEN,
    needs: ['more'],
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'user')
      if (turn === undefined) return null
      replace(rollout, turn.contentStart, turn.contentStart, [151652, 151655, 151655, 151655, 151655, 151653])
      rollout.more = { ...rollout.more, meta: { image_grid_thw: [[1, 4, 6]] } }
      return []
    },
    alongside: OTHER_PROMPT,
  },
]
