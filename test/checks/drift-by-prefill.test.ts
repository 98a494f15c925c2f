import { describe, expect, it } from 'vitest'
import { assistant, conversation, type TurnLayout, tool, user } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

const EMPTY_THINK = '<think>\n\n</think>\n\n'
const said = (text: string) => assistant(text, { prefill: EMPTY_THINK })
const LONG = 'The register says who was born there, in its very first sentence, and nothing else.'

/** Three turns, the last of which is short; the mask of each lies so many tokens early, and ends so many before that. */
const withRuns = (code: string, early: (turn: number) => number, short: (turn: number) => number = () => 0) => {
  const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
    mask.fill(0)
    for (const [turn, { contentStart, endToken }] of layout.filter(({ role }) => role === 'assistant').entries())
      mask.fill(1, contentStart - early(turn), endToken + 1 - early(turn) - short(turn))
  }
  const turns = [
    user('Who was born in Quillfort?'),
    said(LONG),
    tool(LONG),
    said(LONG),
    tool(LONG),
    said('Maud Ester.'),
  ]
  return findingsOf(code, 'qwen3', (tokenizer) => [conversation(tokenizer, turns, { editMask })])
}
const growing = (turn: number) => 4 * (turn + 1)

it('M07 says how far off a drift gets that grows with each block', async () => {
  const [finding] = await withRuns('M07', growing)
  expect(finding?.message).toBe(
    'The loss mask lies 4 tokens early in assistant turn 1 and 12 in turn 3, for each block, the length of the empty think block that the template can write',
  )
})

it('M07 says one number of a drift that stays', async () => {
  const [finding] = await withRuns('M07', () => 4)
  expect(finding?.message).toBe(
    'The loss mask lies 4 tokens early, the length of the empty think block that the template can write',
  )
})

it('a short turn that lies behind its own run is masked out whole (M03), which V7 explains', async () => {
  expect(await withRuns('M03', growing)).toHaveLength(1)
})

describe('beside end tokens that are left out', () => {
  const bare = () => 1

  it('M07 says so of a drift by blocks', async () => {
    const [finding] = await withRuns('M07', growing, bare)
    expect(finding?.message).toBe(
      'The loss mask lies 4 tokens early in assistant turn 1 and 12 in turn 3, for each block, the length of the empty think block that the template can write, and no end token is meant to be trained',
    )
    expect(finding?.evidence).toMatchObject({ end_tokens_left_out: true })
  })

  it('M07 is silent where only the ends are left out, where blocks are trained beside, and where one turn has its end', async () => {
    expect(await withRuns('M07', () => 0, bare)).toEqual([])
    expect(
      await withRuns(
        'M07',
        () => 4,
        () => -3,
      ),
    ).toEqual([])
    expect(await withRuns('M07', growing, (turn) => (turn === 1 ? 0 : 1))).toEqual([])
  })
})
