import { describe, expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import type { Conversation, RecordOptions } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

const PADS = 6

/** The places of trained padding in rows that end with six pads, of which this mask and these flags of what was sampled are stored. */
async function trainedPadding(
  mask: (ofPads: number) => number,
  { sampled = null, counted = false }: { sampled?: ((ofPads: number) => number) | null; counted?: boolean } = {},
  end = true,
) {
  const options: RecordOptions = { padRight: PADS }
  const rows = (tokenizer: Parameters<typeof searchRow>[0]): Conversation[] => [
    searchRow(tokenizer, 0, { answer: { end, separator: end } }, options),
  ]
  const findings = await findingsOf('M12', 'qwen2.5', rows, (trajectory) => {
    const real = (trajectory.ids?.length ?? 0) - PADS
    const edited = (values: Uint8Array | null, of: (ofPads: number) => number) =>
      values?.map((value, at) => (at < real ? value : of(at - real))) ?? null
    return {
      mask: edited(trajectory.mask, mask),
      sampled: sampled === null ? null : edited(trajectory.mask, sampled),
      padding: counted ? { left: 0, right: 0 } : null,
    }
  })
  return findings.map(({ tokens, evidence }) => [(tokens?.[1] ?? 0) - (tokens?.[0] ?? 0), evidence.trained_tokens])
}

describe('M12', () => {
  it('names trained padding that the declared length of the row takes in', async () => {
    expect(await trainedPadding(() => 1, { counted: true })).toEqual([[6, 6]])
    expect(await trainedPadding(() => 0, { counted: true })).toEqual([])
  })

  it('leaves out the end that the model wrote, and not what follows it', async () => {
    const first = (ofPads: number) => (ofPads === 0 ? 1 : 0)
    expect(await trainedPadding(() => 1, { sampled: first }, false)).toEqual([[5, 5]])
    expect(await trainedPadding(first, { sampled: first }, false)).toEqual([])
    expect(await trainedPadding(() => 1, { sampled: () => 1 }, false)).toEqual([])
  })
})
