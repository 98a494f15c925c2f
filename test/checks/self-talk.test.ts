import { describe, expect, it } from 'vitest'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, system, type TurnLayout, trajectoryOf, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const TURNS = [
  system('Solve it step by step.'),
  user('What is 35 * 61 + 213?'),
  assistant('35 times 61 is 2135, so the sum is 2348.'),
  user('And what would it be with 214 in place of 213, if one had asked for that?'),
  assistant('Then it would be 2349.', { separator: false }),
]

/** What follows the first answer is trained to the end of the row, whoever wrote it. */
async function row(family: BundledTokenizerId, turns = TURNS) {
  const tokenizer = await testTokenizer(family)
  const talk = conversation(tokenizer, turns)
  const { contentStart } = talk.layout[2]!
  const trajectory = {
    ...trajectoryOf(talk),
    mask: Uint8Array.from(talk.sampled, (_, i) => (i >= contentStart ? 1 : 0)),
  }
  return { tokenizer, layout: talk.layout, contentStart, trajectory }
}

const scored = (length: number, from: number, isOther: (token: number) => boolean, filler: number) =>
  Float32Array.from({ length }, (_, i) => (i < from || isOther(i) ? filler : -0.02 - (i % 7) / 10))

const NO_LOGPROBS = { trainer: null, reference: null }

const masks = ({ failing }: { readonly failing: readonly string[] }) => failing.filter((code) => code.startsWith('M'))

describe.each(FAMILIES)('a model that goes on with a question and an answer of its own (%s)', (family) => {
  it('is trained on what it wrote, as the flags say', async () => {
    const { tokenizer, trajectory } = await row(family)
    const audited = auditTrajectories([{ ...trajectory, sampled: trajectory.mask }], tokenizer)
    expect(masks(audited)).toEqual([])
  })

  it.each([
    0,
    'nan',
  ] as const)('is trained on what it wrote, in a format that writes %s where nobody sampled', async (unsampledLogprob) => {
    const { tokenizer, trajectory, contentStart, layout } = await row(family)
    const filler = unsampledLogprob === 'nan' ? Number.NaN : 0
    // The sampler was certain of the whole second header and of how the first answer ends.
    const { start, headerEnd } = layout[4]!
    const isCertain = (token: number) =>
      unsampledLogprob === 0 && ((token >= start && token < headerEnd) || token === layout[2]!.endToken)
    const sampler = scored(trajectory.mask.length, contentStart, isCertain, filler)
    const logprobs = { ...trajectory.logprobs, sampler }
    const audited = auditTrajectories([{ ...trajectory, logprobs }], tokenizer, { format: { unsampledLogprob } })
    expect(masks(audited)).toEqual([])
  })

  /** The same mask, though the user's turn was the environment's. */
  const others =
    ({ start }: TurnLayout, { headerEnd }: TurnLayout) =>
    (token: number) =>
      token >= start && token < headerEnd

  it('is told from a mask that never ends by flags', async () => {
    const { tokenizer, trajectory, layout } = await row(family)
    const isOther = others(layout[3]!, layout[4]!)
    const sampled = trajectory.mask.map((flag, i) => (isOther(i) ? 0 : flag))
    expect(masks(auditTrajectories([{ ...trajectory, sampled }], tokenizer))).toEqual(['M05'])
  })

  it.each([
    0,
    'nan',
  ] as const)('is told from a mask that never ends by %s in place of logprobs', async (unsampledLogprob) => {
    const { tokenizer, trajectory, contentStart, layout } = await row(family)
    const filler = unsampledLogprob === 'nan' ? Number.NaN : 0
    const sampler = scored(trajectory.mask.length, contentStart, others(layout[3]!, layout[4]!), filler)
    const logprobs = { ...trajectory.logprobs, sampler }
    const audited = auditTrajectories([{ ...trajectory, logprobs }], tokenizer, { format: { unsampledLogprob } })
    expect(masks(audited)).toEqual(['M05'])
  })

  it('cannot be told from it by logprobs of a format that may score all of a response', async () => {
    const { tokenizer, trajectory, contentStart } = await row(family)
    const sampler = scored(trajectory.mask.length, contentStart, () => false, Number.NaN)
    const audited = auditTrajectories([{ ...trajectory, logprobs: { ...trajectory.logprobs, sampler } }], tokenizer)
    expect(masks(audited)).toEqual(['M05'])
  })

  it('is told by a question that somebody else asked before, which no logprob scores', async () => {
    const asked = user('Good. Now tell me what it would be with 14 more.')
    const { tokenizer, layout, ...written } = await row(family, [...TURNS.slice(0, 3), asked, ...TURNS.slice(2)])
    const isOther = others(layout[3]!, layout[4]!)
    const mask = written.trajectory.mask.map((flag, i) => (isOther(i) ? 0 : flag))
    const auditedAs = (isOf: (token: number) => boolean) => {
      const sampler = scored(mask.length, written.contentStart, isOf, Number.NaN)
      return auditTrajectories([{ ...written.trajectory, mask, logprobs: { ...NO_LOGPROBS, sampler } }], tokenizer)
    }
    expect(masks(auditedAs(isOther))).toEqual([])
    expect(masks(auditedAs(() => false))).toContain('M05')
  })
})
