import type { Span } from '../../../shared/model/tokens.ts'
import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, type TurnPlace, turnsBy } from '../rollout.ts'
import { OTHER_PROMPT, replace } from './like.ts'
import { planOf } from './mask.ts'

const QWEN = ['qwen2.5', 'qwen3'] as const
/** Formats that keep one whole sequence: in the others what was not sampled is the prompt of the next call. */
const IN_CALLS = ['verifiers-legacy', 'nemo-gym'] as const
/** `<`, `think`, `>` as Qwen's vocabularies cut it. */
const THINK_IN_LETTERS = [13708, 766, 29]
const THINK_OF_QWEN3 = 151667
const A05 = { A05: 'the prompts of its group differ' }
const NO_END = { C03: 'the last turn of the row has no end token any more' }

/** Where the format does not say that the letters were not sampled, the model may have written them. */
const TAG_SEVERITY: NonNullable<Plant['severity']> = (format) =>
  format === 'native' || format === 'atropos' || format === 'areal-batch' ? 'warning' : 'info'

/** Letters of a tag that is one id, in pieces that no tokenizer joins to it. */
const PIECES = /<\/?|\w[a-z]*|_[a-z]+|>/g

/**
 * Spells a marker that stood as one id. `unscored`: nobody scored the letters; `forced`: the framework put them there, and its writer has 0.0
 * for what it forced, beside the score of the id that was sampled.
 */
function spell(
  rollout: PlantedRollout,
  { start, end }: Span,
  text: string,
  how: 'unscored' | 'forced' = 'unscored',
): Span {
  const { tokenizer } = rollout.family
  const pieces = /^<\|/.test(text) ? [text] : (text.match(PIECES) ?? [])
  const ids = pieces.flatMap((piece) => tokenizer.encode(piece))
  const like = rollout.tokens[start] as PlantedToken
  const letters = ids.map((id, at): PlantedToken => {
    const scored = how === 'forced' && at === 0 && like.sampled
    const forced =
      how === 'forced' ? { sampler: 0, trainer: -3, reference: -3 } : { sampler: Number.NaN, trainer: -0.1 }
    return { ...like, id, ...(scored ? {} : { sampled: false, ...forced }) }
  })
  rollout.tokens.splice(start, end - start, ...letters)
  if (start < rollout.promptLength) rollout.promptLength += ids.length - (end - start)
  return { start, end: start + ids.length }
}

const endOf = ({ endToken }: TurnPlace): Span => ({ start: endToken, end: endToken + 1 })

/** Spells the markers that a pattern finds in a turn, the last one first. */
function spellIn(rollout: PlantedRollout, turn: TurnPlace | undefined, texts: readonly string[]): boolean {
  const places = texts.map((text) => turn && findText(rollout, contentOf(turn), new RegExp(text)))
  if (places.some((place) => !place)) return false
  for (const [index, text] of [...texts.entries()].toReversed()) spell(rollout, places[index] as Span, text)
  return true
}

const header = ({ family: { headerEnd } }: PlantedRollout, role: string) =>
  headerEnd < 0 ? `<|im_start|>${role}\n` : `<|start_header_id|>${role}<|end_header_id|>\n\n`

export const MARKER_PLANTS: readonly Plant[] = [
  {
    code: 'T16',
    title: 'the tag that closes a thought is spelt in letters',
    families: ['qwen3'],
    needs: ['mask'],
    notIn: IN_CALLS,
    severity: TAG_SEVERITY,
    rollout: (rollout) => (spellIn(rollout, turnsBy(rollout, 'assistant')[0], ['</think>']) ? [] : null),
  },
  {
    code: 'T16',
    title: 'the tags around a call are spelt in letters',
    families: QWEN,
    needs: ['mask'],
    notIn: IN_CALLS,
    severity: TAG_SEVERITY,
    rollout: (rollout) =>
      spellIn(rollout, turnsBy(rollout, 'assistant')[0], ['<tool_call>', '</tool_call>']) ? [] : null,
  },
  {
    code: 'T16',
    title: 'the tags around a call are spelt in letters, and the turn begins with them',
    plan: planOf('thinking absent'),
    families: QWEN,
    needs: ['mask'],
    // There what was not sampled before the response is its prompt.
    notIn: [...IN_CALLS, 'verl-batch'],
    severity: TAG_SEVERITY,
    rollout: (rollout) =>
      spellIn(rollout, turnsBy(rollout, 'assistant')[0], ['<tool_call>', '</tool_call>']) ? [] : null,
    alongside: { L04: 'in a short rollout the zeros that stand for no logprob of the letters are a tenth' },
  },
  {
    code: 'T16',
    title: 'the tags around a reply are spelt in letters',
    families: ['qwen3'],
    needs: ['mask'],
    notIn: IN_CALLS,
    rollout: (rollout) =>
      spellIn(rollout, turnsBy(rollout, 'tool')[0], ['<tool_response>', '</tool_response>']) ? [] : null,
  },
  {
    code: 'T16',
    title: 'the end token of a turn was replaced by its letters, which were forced',
    needs: ['mask', 'sampler', 'trainer'],
    // In the others a score says that the model wrote what has one.
    notIn: ['native', ...IN_CALLS],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      return turn === undefined ? null : [spell(rollout, endOf(turn), rollout.family.endText, 'forced')]
    },
    alongside: { L05: 'what was forced is trained with 0.0 for a logprob', C03: NO_END.C03 },
  },
  {
    code: 'T16',
    title: 'the end of the question is spelt in letters',
    needs: ['mask'],
    notIn: IN_CALLS,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'user')
      return turn === undefined ? null : [spell(rollout, endOf(turn), rollout.family.endText)]
    },
    alongside: A05,
  },
  {
    code: 'T16',
    title: 'headers of the model’s later turns are spelt in letters',
    needs: ['mask'],
    notIn: IN_CALLS,
    rollout: (rollout) => {
      const later = turnsBy(rollout, 'assistant').slice(1).toReversed()
      for (const { start, headerEnd } of later) spell(rollout, { start, end: headerEnd }, header(rollout, 'assistant'))
      return later.length > 0 ? [] : null
    },
  },
  {
    code: 'T16',
    // Where all turns lack it, a stop string may be what ended them.
    title: 'decoding took an end token of the model’s turns, and left those of others like it',
    needs: ['mask'],
    notIn: IN_CALLS,
    patterns: ['sporadic'],
    rollout: (rollout) => {
      const [turn, ...others] = turnsBy(rollout, 'assistant').slice(0, -1)
      if (turn === undefined || others.length < 2) return null
      rollout.tokens.splice(turn.endToken, 1)
      return []
    },
  },
  {
    code: 'T16',
    title: 'decoding took the end tokens of all answered turns of a rollout, and left those of its siblings',
    needs: ['mask', 'groups'],
    notIn: IN_CALLS,
    patterns: ['sporadic'],
    rollout: (rollout) => {
      const answered = turnsBy(rollout, 'assistant').slice(0, -1)
      for (const { endToken } of answered.toReversed()) rollout.tokens.splice(endToken, 1)
      return answered.length > 0 ? [] : null
    },
  },
  {
    code: 'T16',
    title: 'a response was decoded without its markers and encoded again, behind a prompt that has them',
    needs: ['mask', 'messages'],
    notIn: IN_CALLS,
    rollout: (rollout) => {
      const { family, promptLength } = rollout
      if (turnsBy(rollout, 'tool').length === 0) return null
      const [first] = turnsBy(rollout, 'assistant')
      const markers = [rollout.tokens[first?.start ?? -1]?.id, family.headerEnd, family.end]
      rollout.tokens = rollout.tokens.filter(({ id }, at) => at < promptLength || !markers.includes(id))
      return []
    },
    alongside: {
      ...NO_END,
      C09: 'what the environment said stands in no turn of its own',
      C07: 'the first call is read as open',
    },
  },
  {
    code: 'T16',
    title: 'decoding took the tags around the thoughts',
    families: ['qwen3'],
    needs: ['mask', 'messages'],
    // Its messages have a role and a text alone.
    notIn: ['atropos'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      for (const tag of [/<\/think>/, /<think>/]) {
        const place = turn && findText(rollout, contentOf(turn), tag)
        if (!place) return null
        rollout.tokens.splice(place.start, 1)
      }
      return []
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
    code: 'T17',
    title: 'an id that no vocabulary has stands in the model’s text',
    families: ['qwen3', 'llama3'],
    needs: [],
    rollout: (rollout) => {
      const turn = turnsBy(rollout, 'assistant').at(-1)
      const token = turn && rollout.tokens[turn.contentStart + 2]
      if (!token) return null
      token.id = 160_000
      return []
    },
  },
  {
    code: 'T18',
    title: 'the newlines of the header and the first one of the answer are one token',
    needs: [],
    rollout: (rollout) => {
      const { headerEnd: closed, tokenizer } = rollout.family
      // One newline ends the header of ChatML, two that of Llama.
      const [id, ...more] = tokenizer.encode(closed < 0 ? '\n\n' : '\n\n\n')
      if (id === undefined || more.length > 0) throw new Error('newlines are several tokens')
      const turns = turnsBy(rollout, 'assistant').slice(1)
      for (const { headerEnd } of turns) (rollout.tokens[headerEnd - 1] as PlantedToken).id = id
      return turns.length > 0 ? turns.map(({ headerEnd }) => ({ start: headerEnd - 1, end: headerEnd })) : null
    },
    perTurn: true,
  },
  {
    code: 'T19',
    title: 'a limit cut placeholders of an image',
    families: QWEN,
    needs: ['more'],
    alsoIn: ['verifiers-legacy', 'nemo-gym', 'atropos'],
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
