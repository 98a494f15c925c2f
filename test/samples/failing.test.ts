import { describe, expect, test } from 'vitest'
import { byGroup, maskAt, mean, occurrences, readSample, type SampleRecord } from './read-sample.ts'

const IM_START = 151644
const IM_END = 151645
const PAD = 151643
const NEWLINE = 198
const ASSISTANT_HEADER = [IM_START, 77091, NEWLINE]
// Without the closing angle bracket, which merges with the newline after it.
const REPLY_HEADER = [IM_START, 872, NEWLINE, 27, 14172, 9655]
const TOOLS_TAG = [27, 15918]

function trained(record: SampleRecord): number {
  return record.loss_mask.reduce((sum, one) => sum + one, 0)
}

describe('verifiers-2025-08', () => {
  const records = readSample('verifiers-2025-08')
  const cut = records.filter((record) => record.is_truncated)
  const endless = records.filter((record) => record.finish_reason === 'length')

  test('V1: what is not trained is hidden from the forward pass, and the logprobs disagree', () => {
    for (const record of records) expect(record.attention_mask).toEqual(record.loss_mask)
    const gaps = records.flatMap(({ logprobs: { sampler, trainer } }) =>
      sampler.flatMap((own, i) => (own === null || trainer[i] == null ? [] : [Math.abs(own - (trainer[i] as number))])),
    )
    expect(mean(gaps)).toBeGreaterThan(0.5)
  })

  test('V2: only the first turn has its header', () => {
    for (const { input_ids, prompt_length } of records) {
      expect(occurrences(input_ids, ASSISTANT_HEADER)).toEqual([prompt_length - ASSISTANT_HEADER.length])
    }
  })

  test('V3: every reply follows an end token with no newline between', () => {
    for (const { input_ids } of records) {
      const replies = occurrences(input_ids, REPLY_HEADER)
      expect(replies.length).toBeGreaterThan(0)
      for (const at of replies) expect(input_ids[at - 1]).toBe(IM_END)
    }
  })

  test('V4: the prompt holds no tools although the run has one and calls it', () => {
    for (const { input_ids, prompt_length, tools, messages } of records) {
      expect(tools).toHaveLength(1)
      expect(messages.some((message) => message.tool_calls !== undefined)).toBe(true)
      expect(occurrences(input_ids.slice(0, prompt_length), TOOLS_TAG)).toEqual([])
    }
  })

  test('V10: turns stopped by the limit of a turn are trained without an end token and not flagged', () => {
    expect(endless.length).toBeGreaterThanOrEqual(5)
    for (const record of endless) {
      expect(record.is_truncated).toBe(false)
      const last = record.loss_mask.lastIndexOf(1)
      expect(last).toBeGreaterThan(0)
      expect(record.input_ids[last]).not.toBe(IM_END)
      expect(record.input_ids[last + 1] ?? PAD).toBe(PAD)
    }
  })

  test('V11: cut rows train nothing, keep their reward and count in their group', () => {
    expect(cut.length / records.length).toBeGreaterThan(0.2)
    for (const record of cut) {
      expect(record.input_ids).toHaveLength(record.limits.max_seq_len)
      expect(record.input_ids.at(-1)).not.toBe(IM_END)
      expect(trained(record)).toBe(0)
      expect(record.reward).toBeGreaterThan(0)
      expect(record.messages.at(-1)?.content).toContain('</answer>')
    }
    for (const group of byGroup(records)) {
      expect(mean(group.map((record) => record.advantage))).toBeCloseTo(0, 5)
      const partly = group.filter((record) => trained(record) > 0)
      if (partly.length < group.length)
        expect(Math.abs(mean(partly.map((record) => record.advantage)))).toBeGreaterThan(1e-3)
    }
  })

  test('whatever is not cut is trained exactly where it was sampled', () => {
    for (const { is_truncated, loss_mask, logprobs } of records) {
      if (!is_truncated) expect(logprobs.sampler.map((one) => (one === null ? 0 : 1))).toEqual(loss_mask)
    }
  })
})

describe('verifiers-2025-07', () => {
  const records = readSample('verifiers-2025-07')

  test('V5: headers are trained from the second turn on, newlines after every end token', () => {
    for (const { input_ids, loss_mask } of records) {
      const headers = occurrences(input_ids, ASSISTANT_HEADER)
      expect(headers.length).toBeGreaterThan(1)
      expect(maskAt(loss_mask, headers.slice(0, 1), 3)).toEqual([0, 0, 0])
      expect(new Set(maskAt(loss_mask, headers.slice(1), 3))).toEqual(new Set([1]))
      const ends = occurrences(input_ids, [IM_END, NEWLINE]).filter((at) => loss_mask[at] === 1)
      expect(ends).toHaveLength(headers.length)
      expect(new Set(maskAt(loss_mask, ends, 2))).toEqual(new Set([1]))
    }
  })

  test('the sampler scored none of what V5 adds', () => {
    for (const { input_ids, loss_mask, logprobs } of records) {
      for (const at of occurrences(input_ids, ASSISTANT_HEADER)) {
        expect(logprobs.sampler.slice(at, at + 3)).toEqual([null, null, null])
      }
      expect(loss_mask.at(-1)).toBe(1)
      expect(logprobs.sampler.at(-1)).toBeNull()
    }
  })

  test('nothing else is wrong: tools in the prompt, nothing cut, everything visible', () => {
    for (const record of records) {
      expect(occurrences(record.input_ids.slice(0, record.prompt_length), TOOLS_TAG).length).toBeGreaterThan(0)
      expect(record.is_truncated).toBe(false)
      expect(record.attention_mask.every((one) => one === 1)).toBe(true)
      for (const at of occurrences(record.input_ids, REPLY_HEADER)) expect(record.input_ids[at - 1]).toBe(NEWLINE)
    }
  })
})

describe('verifiers-2025-07-llama', () => {
  const records = readSample('verifiers-2025-07-llama')
  const BOS = 128000
  const HEADER = [128006, 78191, 128007, 271]

  test('V6: two BOS at the start and none later', () => {
    for (const { input_ids } of records) expect(occurrences(input_ids, [BOS])).toEqual([0, 1])
  })

  test('headers are trained from the second turn on here too', () => {
    for (const { input_ids, loss_mask } of records) {
      const headers = occurrences(input_ids, HEADER)
      expect(maskAt(loss_mask, headers.slice(0, 1), 4)).toEqual([0, 0, 0, 0])
      expect(new Set(maskAt(loss_mask, headers.slice(1), 4))).toEqual(new Set([1]))
    }
  })
})
