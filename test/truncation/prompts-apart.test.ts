import { describe, expect, it } from 'vitest'
import { findingsOf } from '../checks/findings-of.ts'
import { assistant, call, conversation, system, type TurnSpec, tool, user } from '../helpers/conversation.ts'
import { FAMILIES } from '../helpers/tokenizers.ts'

const QUESTION = 'Who directed the film Night Harbour, which was shot in the old port?'
const HALF = 'Who directed the'
/** Tokens of it, which each of the families spells with three. */
const ENDS_BEHIND = 3

interface Apart {
  readonly text?: string
  readonly after?: readonly TurnSpec[]
  /** Characters of the user's text before which the stored prompt ends. */
  /** Whether the sampler's logprobs are those of the response as it is stored apart, of other tokens, or not there. */
  readonly scores?: 'response' | 'all' | 'none'
}

/** Findings of C02 and S05 of a row without a mask that stores how long its prompt is; the words of its first turn are the user's and, behind them, the model's. */
async function told(family: (typeof FAMILIES)[number], apart: Apart = {}) {
  const found = await Promise.all(
    ['C02', 'S05'].map((code) =>
      findingsOf(
        code,
        family,
        (tokenizer) => {
          const text = apart.text ?? `${HALF}${call(tokenizer, 'search', { query: 'Night Harbour' })}`
          const after = apart.after ?? [tool('Ines Valdoro made it.'), assistant('It is Ines Valdoro.')]
          return [conversation(tokenizer, [system('Be brief.'), user(text), ...after], { mask: 'none' })]
        },
        ({ ids }, { layout }) => {
          const { contentStart } = layout[1]!
          const promptLength = contentStart + ENDS_BEHIND
          const scores = apart.scores ?? 'response'
          const sampler =
            scores === 'none'
              ? null
              : Float32Array.from(ids!, (_, at) =>
                  scores === 'response' && at < promptLength ? Number.NaN : at % 3 === 0 ? 0 : -0.5,
                )
          return { promptLength, logprobs: { sampler, trainer: null, reference: null } }
        },
      ),
    ),
  )
  return found.map((findings) => findings.map(({ message }) => message))
}

describe.each(FAMILIES)('%s: prompt and response that are stored apart, without a mask', (family) => {
  it('show that the prompt was cut where a reply follows words of the model inside the question', async () => {
    const cut = [[expect.stringContaining('The prompt ends inside a user turn')], []]
    expect(await told(family)).toEqual(cut)
    expect(await told(family, { scores: 'none' })).toEqual(cut)
    expect(await told(family, { text: `${HALF}Ines Valdoro did.`, after: [] })).toEqual(cut)
  })

  it('are split at the wrong place where the model’s header follows the question', async () => {
    const whole = { text: QUESTION, after: [assistant('It is Ines Valdoro.')] }
    for (const scores of ['response', 'all', 'none'] as const)
      expect(await told(family, { ...whole, scores })).toEqual([
        [],
        [expect.stringContaining('it lies inside a user turn')],
      ])
  })

  it('tell nothing of two turns of the user where the numbers begin elsewhere', async () => {
    const two = { text: QUESTION, after: [user('Answer in one word.'), assistant('Valdoro.')] }
    for (const scores of ['all', 'none'] as const) expect((await told(family, { ...two, scores }))[0]).toEqual([])
  })
})
