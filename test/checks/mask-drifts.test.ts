import { describe, expect, it } from 'vitest'
import { assistant, conversation, type TurnLayout, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { findingsOf } from './findings-of.ts'

const llama = await testTokenizer('llama3')
const turns = [1, 2, 3].flatMap((at) => [user(`Who made film ${at}?`), assistant(`${at} was made by Ines Valdoro.`)])

/** A row of three assistant turns whose trained runs begin and end so many tokens off. */
const withRuns = (...off: readonly (readonly [start: number, end: number])[]) => {
  const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
    mask.fill(0)
    for (const [index, [start, end]] of off.entries()) {
      const { contentStart, endToken } = layout[2 * index + 1]!
      mask.fill(1, contentStart + start, endToken + 1 + end)
    }
  }
  return findingsOf('T03', 'llama3', () => [conversation(llama, turns, { logprobs: 'sampler', editMask })])
}

describe('T03 within the text of a turn', () => {
  it('is said where a run is short by as much as all behind it lie early', async () => {
    const [finding, ...more] = await withRuns([0, -1], [-1, -1], [-1, -1])
    expect(more).toEqual([])
    expect(finding).toMatchObject({ turn: 1, severity: 'error' })
    expect(finding?.message).toBe(
      'The trained run of assistant turn 1 is 1 token too short, and the mask lies 1 token early from turn 2 on',
    )
  })

  it('is said where a later turn grows, and where the one behind shrinks by more', async () => {
    const [finding] = await withRuns([0, 0], [0, 2], [2, -1])
    expect(finding?.message).toBe(
      'The trained run of assistant turn 2 is 2 tokens too long, and the mask lies 2 tokens late from turn 3 on',
    )
  })

  it.each([
    [
      'the last end is not trained',
      [
        [0, 0],
        [0, 0],
        [0, -1],
      ],
    ],
    [
      'ends are not trained',
      [
        [0, -1],
        [0, -1],
        [0, -1],
      ],
    ],
    [
      'what lies off behind an end does not by as much',
      [
        [0, -1],
        [-2, -2],
        [-2, -2],
      ],
    ],
  ] as const)('is not said where %s', async (_, off) => {
    expect(await withRuns(...off)).toEqual([])
  })
})

/** The last turn without the loss on some of its tokens, counted from its first one. */
const withHole = (from: number, tokens: number) => {
  const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
    const { contentStart } = layout.at(-1)!
    mask.fill(0, contentStart + from, contentStart + from + tokens)
  }
  return findingsOf('T03', 'llama3', () => [conversation(llama, turns, { logprobs: 'sampler', editMask })])
}

describe('T03 of a last turn that is trained in part', () => {
  it.each([
    ['one token near its beginning', 1, 1],
    ['several', 1, 3],
    ['its first token, which the sampler scored', 0, 1],
  ] as const)('is not said where the mask leaves out %s', async (_, from, tokens) => {
    expect(await withHole(from, tokens)).toEqual([])
  })

  it('is said where the turn begins late', async () => {
    const [finding] = await withHole(0, 2)
    expect(finding?.message).toBe(
      'The mask fits the turns up to assistant turn 2 and lies 2 tokens late from turn 3 on',
    )
  })
})

const qwen3 = await testTokenizer('qwen3')
const thinking = [1, 2, 3].flatMap((at) => [
  user(`Who made film ${at}?`),
  assistant(`<think>\nI know film ${at}.\n</think>\n\n${at} was made by Ines Valdoro.`),
])

/** As `withRuns`, of turns that begin with a think tag, with logprobs of the sampler where the mask is 1 alone: both were built for other ids. */
const withThoughts = (...off: readonly (readonly [start: number, end: number])[]) =>
  findingsOf('T03', 'qwen3', () => {
    const row = conversation(qwen3, thinking)
    const { input_ids: ids } = row.record as { input_ids: readonly number[] }
    const mask = ids.map(() => 0)
    for (const [index, [start, end]] of off.entries()) {
      const { contentStart, endToken } = row.layout[2 * index + 1]!
      mask.fill(1, contentStart + start, endToken + 1 + end)
    }
    const sampler = mask.map((trained, i) => (trained === 1 ? -0.1 - (i % 7) / 50 : null))
    return [{ ...row, record: { ...row.record, loss_mask: mask, logprobs: { sampler } } }]
  })

describe('T03 of turns that begin with a think tag, of which only the drifted mask says who wrote it', () => {
  it('is said where each run lies as far off as the one before ends, and ever farther', async () => {
    const [finding, ...more] = await withThoughts([0, 1], [1, 2], [2, 0])
    expect(more).toEqual([])
    expect(finding?.message).toBe(
      'The trained run of assistant turn 1 is 1 token too long, and the mask lies 1 token late from turn 2 on',
    )
  })

  it.each([
    [
      'the tags are of the template, and newlines are trained',
      [
        [0, 1],
        [1, 1],
        [1, 0],
      ],
    ],
    [
      'the tags are of the template',
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
    ],
    [
      'all is in its place',
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
  ] as const)('is not said where %s', async (_, off) => {
    expect(await withThoughts(...off)).toEqual([])
  })
})
