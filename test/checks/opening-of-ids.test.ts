import { describe, expect, it } from 'vitest'
import { createView } from '../../shared/checks/view.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { assistant, conversation, type TurnSpec, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const tokenizer = await testTokenizer('qwen3')
const EMPTY = '<think>\n\n</think>\n\n'

interface Told {
  /** Of the tokens behind the prompt whose logprob is exactly 0.0; `none` stores no logprobs. */
  readonly zeros?: number | 'none'
  /** Tokens behind the prompt that are left out of the loss. */
  readonly masked?: number
  /** What the dump writes on what nobody sampled. */
  readonly filler?: number
  readonly promptLength?: boolean
}

/** The opening of one row: an answer behind a prompt that writes `prefill`. */
function openingOf(turn: Partial<TurnSpec> & { readonly text: string }, told: Told = {}): string | undefined {
  const row = conversation(tokenizer, [user('Who?'), assistant(turn.text, turn)])
  const { layout, record } = row
  const { contentStart, endToken } = layout.at(-1)!
  const { zeros = 0, masked = 0, filler = 0, promptLength = false } = told
  const sampler = Float32Array.from(record.input_ids, (_, at) =>
    at < contentStart || at > endToken ? filler : at < contentStart + Number(zeros) ? 0 : -0.5,
  )
  const mask = Uint8Array.from(record.loss_mask!, (value, at) => (at < contentStart + masked ? 0 : value))
  const more: Partial<Trajectory> = {
    promptLength: promptLength ? contentStart : null,
    mask,
    sampled: null,
    logprobs: { sampler: zeros === 'none' ? null : sampler, trainer: null, reference: null },
  }
  const view = createView({ ...trajectoryOf(row), ...more }, { tokenizer, settings: settings(), unsampledLogprob: 0 })
  return view?.facts.pairing?.opening
}

describe('how a prompt begins the answer, where no length is stored', () => {
  it.each([
    ['no-think', { text: 'It is Ann.', prefill: EMPTY }],
    ['think', { text: 'Let me see.\n</think>\n\nAnn', prefill: '<think>\n' }],
    ['plain think', { text: '<think>\nLet me see.\n</think>\n\nAnn' }],
    ['plain words:it', { text: 'It is Ann.' }],
  ] as const)('is %s by what has no logprob and no loss, as by a stored length', (expected, turn) => {
    expect(openingOf(turn)).toBe(expected)
    expect(openingOf(turn, { promptLength: true })).toBe(expected)
    expect(openingOf(turn, { filler: Number.NaN })).toBe(expected)
  })

  it('is told of words where something says that nobody sampled them, and not by zeros that may be logprobs', () => {
    const turn = { text: ' is Ann.', prefill: 'Surely it' }
    expect(openingOf(turn, { filler: Number.NaN })).toBe('words:surely')
    expect(openingOf(turn)).toBeUndefined()
  })

  it('is not told of thoughts that the loss leaves out', () => {
    const thoughts = { text: '<think>\nHm.\n</think>\n\nAnn' }
    expect(openingOf(thoughts, { masked: 7 })).toBe('plain think')
    expect(openingOf(thoughts, { masked: 7, zeros: 1 })).toBeUndefined()
    expect(openingOf(thoughts, { masked: 7, zeros: 'none' })).toBeUndefined()
  })

  it('is told by a mask alone only where the loss begins right behind the header', () => {
    expect(openingOf({ text: 'It is Ann.' }, { zeros: 'none' })).toBe('plain words:it')
    expect(openingOf({ text: 'It is Ann.', prefill: EMPTY }, { zeros: 'none' })).toBeUndefined()
  })

  it('is not told of an empty block in the loss of which no logprob says who wrote it', () => {
    const block = { text: `${EMPTY}It is Ann.` }
    expect(openingOf(block, { zeros: 4 })).toBeUndefined()
    expect(openingOf(block, { zeros: 3 })).toBe('plain no-think')
  })
})

describe('a header of the model without the newline that others have', () => {
  const row = conversation(tokenizer, [user('Who?'), assistant('It is Ann.')])
  const { headerEnd } = row.layout.at(-1)!
  const opened = (ids: readonly number[]) => {
    const loss = ids.map((_, at) => (at < headerEnd - 1 ? 0 : 1))
    const more = { ids: Int32Array.from(ids), mask: Uint8Array.from(loss), promptLength: headerEnd - 1 }
    const whole = { ...trajectoryOf(row), sampled: null, arrays: [], ...more }
    return createView(whole, { tokenizer, settings: settings(), unsampledLogprob: null })?.facts.pairing?.opening
  }

  it('is another beginning', () => {
    const { input_ids: ids } = row.record
    expect(opened(ids.toSpliced(headerEnd - 1, 1))).toBe('plain words:it|no-newline')
    expect(opened(ids)).not.toMatch(/no-newline/)
    // A newline that is merged with one of the text is there.
    const [merged = 0] = tokenizer.encode('\n\n')
    expect(opened(ids.toSpliced(headerEnd - 1, 1, merged))).not.toMatch(/no-newline/)
  })
})
