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
  /** Whether both are stored as two lists. */
  readonly promptApart?: true
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
          const { promptApart } = apart
          return {
            promptLength,
            ...(promptApart ? { promptApart } : {}),
            logprobs: { sampler, trainer: null, reference: null },
          }
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

  it('show it without a number and without a reply where they are two lists, and the row has no turn of the model', async () => {
    const cut = [[expect.stringContaining('The prompt ends inside a user turn')], []]
    const alone = { text: `${HALF}Ines Valdoro did.`, scores: 'none' } as const
    expect(await told(family, { ...alone, after: [], promptApart: true })).toEqual(cut)
    expect(await told(family, { ...alone, after: [user('Are you sure?')], promptApart: true })).toEqual(cut)
    // A length may be wrong where it is a number: the row may hold a question alone.
    expect((await told(family, { ...alone, after: [] }))[0]).toEqual([])
    // Two lists may be parted at the wrong place where a turn of the model follows.
    const after = [user('Answer in one word.'), assistant('Valdoro.')]
    expect((await told(family, { text: QUESTION, scores: 'none', after, promptApart: true }))[0]).toEqual([])
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
