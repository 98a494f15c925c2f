import { describe, expect, it } from 'vitest'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import type { Conversation, RecordOptions } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'
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

const QUESTION = 'Question: how many pens are left?\nAnswer:'
const ANSWER = ' 17 of 20 pens are left.'
const TEXT_END = 151643
const TURN_END = 151645

/** Tokens that M12 names in a text without turns that four pads follow, of which this mask is stored; its answer ends with `last`. */
async function inPlainText(ofPads: readonly number[], { last = null as number | null, trained = 1 } = {}) {
  const qwen = await testTokenizer('qwen2.5')
  const [asked, said] = [qwen.encode(QUESTION), [...qwen.encode(ANSWER), ...(last === null ? [] : [last])]]
  const trajectory = {
    ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'),
    ids: Int32Array.from([...asked, ...said, ...ofPads.map(() => TEXT_END)]),
    mask: Uint8Array.from([...asked.map(() => 0), ...said.map(() => trained), ...ofPads]),
  }
  return auditTrajectories([trajectory], qwen)
    .byCode.get('M12')!
    .findings.map(({ evidence }) => evidence.trained_tokens)
}

describe('M12 in a text without turns', () => {
  it('leaves out the end that a base model sampled, where it alone of the pads that follow it is trained', async () => {
    expect(await inPlainText([1, 0, 0, 0])).toEqual([])
    expect(await inPlainText([0, 0, 0, 0])).toEqual([])
  })

  it('names what no sampled end can be', async () => {
    expect(await inPlainText([1, 1, 0, 0])).toEqual([2])
    expect(await inPlainText([1, 1, 1, 1])).toEqual([4])
    expect(await inPlainText([1, 0, 0, 0], { last: TURN_END })).toEqual([1])
    expect(await inPlainText([1, 0, 0, 0], { trained: 0 })).toEqual([1])
  })
})
