import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../shared/checks/oracles/shape.ts'
import { createView } from '../../shared/checks/view.ts'
import { assistant, conversation, type RecordOptions, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories, settings } from './audit.ts'

const qwen3 = await testTokenizer('qwen3')
const WORDS = 'It was Ines Valdoro who made this film.'

/** What is said of a row of one turn whose first two tokens carry no loss; `behind` trains what follows the end token as well. */
function shapeWith(text: string, more: RecordOptions, behind = false) {
  const row = conversation(qwen3, [user('Who made this film?'), assistant(text, { separator: behind })], {
    ...more,
    editMask: (mask, layout) => {
      const { contentStart, endToken } = layout[1]!
      mask.fill(0, contentStart, contentStart + 2)
      if (behind) mask.fill(1, endToken)
    },
  })
  const view = createView(trajectoryOf(row), { tokenizer: qwen3, settings: settings(), unsampledLogprob: null })!
  const { lag, lateStart } = shapeOf(view)
  return { lag, lateStart }
}

it('the only turn begins late where the dump says that what it leaves out was sampled', () => {
  expect(shapeWith(WORDS, { sampled: true })).toEqual({ lag: 0, lateStart: 2 })
  expect(shapeWith(WORDS, { logprobs: 'sampler' })).toEqual({ lag: 0, lateStart: 2 })
})

it('the only turn lies late where its loss goes on behind the end token', () => {
  expect(shapeWith(WORDS, {}, true)).toEqual({ lag: 2, lateStart: 0 })
})

it('the only turn may have a prefill where nothing says that it was sampled, and where it is a think tag', () => {
  expect(shapeWith(WORDS, {})).toEqual({ lag: 0, lateStart: 0 })
  expect(shapeWith(`<think>\nShe did.\n</think>\n\n${WORDS}`, { sampled: true })).toEqual({ lag: 0, lateStart: 0 })
})

describe('more tokens than an index goes wrong by', () => {
  /** Tokens by which all turns begin late, where the first so many of each carry no loss. */
  function lateStart(
    late: number,
    more: RecordOptions,
    texts = ['She made the film, it says.', 'No one else made it, I think.'],
  ) {
    const turns = texts.flatMap((text, at) => [user(`Who made film ${at}?`), assistant(text)])
    const row = conversation(qwen3, turns, {
      ...more,
      editMask: (mask, layout) => {
        for (const { role, contentStart } of layout)
          if (role === 'assistant') mask.fill(0, contentStart, contentStart + late)
      },
    })
    const view = createView(trajectoryOf(row), { tokenizer: qwen3, settings: settings(), unsampledLogprob: null })!
    return shapeOf(view).lateStart
  }

  it('are late where the dump says that they were sampled', () => {
    expect([lateStart(4, { sampled: true }), lateStart(6, { logprobs: 'sampler' })]).toEqual([4, 6])
  })

  it('are not where nothing says so, where all turns begin with them, and where they are a thought', () => {
    expect(lateStart(4, {})).toBe(0)
    expect(lateStart(4, { sampled: true }, ['So it was made by her, I say.', 'So it was made by him, I say.'])).toBe(0)
    const thought = ['<think>\nShe?\n</think>\n\nShe made it.', '<think>\nHe?\n</think>\n\nHe made it.']
    expect(lateStart(5, { sampled: true }, thought)).toBe(0)
  })
})

describe('of several turns', () => {
  const turns = [1, 2, 3].flatMap((at) => [user(`Who made film ${at}?`), assistant(`${at} was made by Ines Valdoro.`)])

  /** The turns of a row that begin late, where the first token of these assistant turns carries no loss. */
  function lateTurns(late: readonly number[], more: RecordOptions) {
    const row = conversation(qwen3, turns, {
      ...more,
      editMask: (mask, layout) => {
        for (const ordinal of late) mask[layout[2 * ordinal - 1]!.contentStart] = 0
      },
    })
    const view = createView(trajectoryOf(row), { tokenizer: qwen3, settings: settings(), unsampledLogprob: null })!
    return { found: auditTrajectories([trajectoryOf(row)], qwen3), turns: shapeOf(view).lateTurns }
  }

  it('those from a later one on begin late, each a fault of its turn, where the dump says that they were sampled', () => {
    const { found, turns } = lateTurns([2, 3], { sampled: true })
    expect(turns?.map(({ ordinal }) => ordinal)).toEqual([2, 3])
    const { findings, tally } = found.byCode.get('M06')!
    expect(findings.map(({ turn }) => turn)).toEqual([3, 5])
    expect(findings[0]?.message).toMatch(
      /^The first token of assistant turn 2 carries no loss, as in every turn from 2 on/,
    )
    expect(tally).toMatchObject({ affected: 1, placesChecked: 1, placesAffected: 1, byTurn: { 2: 1, 3: 1 } })
    expect(tally.byTurnChecked).toEqual({ 1: 1, 2: 1, 3: 1 })
  })

  it.each([
    ['nothing says that they were sampled', [2, 3], {}],
    ['only the last does', [3], { sampled: true }],
    ['the last does not', [1, 2], { sampled: true }],
  ] as const)('none is said to where %s', (_, late, more) => {
    expect(lateTurns(late, more).turns).toBeNull()
  })
})
