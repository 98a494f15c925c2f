import type { Span } from '../../../shared/model/tokens.ts'
import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, type TurnPlace, turnsBy } from '../rollout.ts'

const QWEN = ['qwen2.5', 'qwen3'] as const
/** Formats that keep one whole sequence: in the others what was not sampled is the prompt of the next call. */
const IN_CALLS = ['verifiers-legacy', 'nemo-gym'] as const
const A05 = { A05: 'the prompts of its group differ' }
const NO_END = { C03: 'the last turn of the row has no end token any more' }

/** Where the format does not say that the letters were not sampled, the model may have written them. */
export const TAG_SEVERITY: NonNullable<Plant['severity']> = (format) =>
  format === 'native' || format === 'atropos' ? 'warning' : 'info'

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
]
