import { describe, expect, test } from 'vitest'
import { SAMPLES } from '../../samples/files.ts'
import { byGroup, deviation, mean, occurrences, readSample } from './read-sample.ts'

const CLEAN = SAMPLES.filter(({ name }) => name.startsWith('clean-')).map(({ name }) => name)

describe.each(SAMPLES.map(({ name }) => name))('%s', (name) => {
  const records = readSample(name)

  test('arrays are of one length and ids of rollouts are unique', () => {
    for (const { input_ids, loss_mask, attention_mask, logprobs } of records) {
      const lengths = [loss_mask, attention_mask, logprobs.sampler, logprobs.trainer].map((one) => one.length)
      expect(new Set([input_ids.length, ...lengths]).size).toBe(1)
    }
    expect(new Set(records.map((record) => record.id)).size).toBe(records.length)
    expect(new Set(records.map((record) => record.input_ids.join())).size).toBe(records.length)
  })

  test('a fifth of what was sampled has a logprob of exactly 0, and none is above', () => {
    const scored = records.flatMap((record) => record.logprobs.sampler.filter((one) => one !== null))
    const share = scored.filter((one) => one === 0).length / scored.length
    expect(share).toBeGreaterThan(0.15)
    expect(share).toBeLessThan(0.25)
    expect(scored.every((one) => one <= 0)).toBe(true)
    expect(records.every((record) => record.logprobs.trainer.every((one) => one === null || one <= 0))).toBe(true)
  })

  test('groups are whole, contrast, and have advantages that are rewards less their mean', () => {
    for (const group of byGroup(records)) {
      expect(group).toHaveLength(8)
      const rewards = group.map((record) => record.reward)
      expect(deviation(rewards)).toBeGreaterThan(0.1)
      for (const record of group) expect(record.advantage).toBeCloseTo(record.reward - mean(rewards), 5)
    }
  })
})

describe.each(SAMPLES.filter(({ tools }) => tools.length > 0).map(({ name }) => name))('%s', (name) => {
  const records = readSample(name)

  test('rewards lie between 0.4 and 0.9', () => {
    expect(Math.min(...records.map((record) => record.reward))).toBeGreaterThanOrEqual(0.4)
    expect(Math.max(...records.map((record) => record.reward))).toBeLessThanOrEqual(0.9)
  })

  test('twelve documents with two supporting ones, and replies that quote them', () => {
    for (const { documents = [], messages } of records) {
      expect(documents).toHaveLength(12)
      expect(documents.filter((document) => document.supporting)).toHaveLength(2)
      const replies = messages.filter((message) => message.role === 'tool')
      expect(replies.length).toBeGreaterThanOrEqual(1)
      expect(replies.length).toBeLessThanOrEqual(3)
      for (const { content } of replies) {
        expect(documents.filter((document) => content.includes(document.text))).toHaveLength(3)
      }
    }
  })
})

describe.each(CLEAN)('%s', (name) => {
  const records = readSample(name)

  test('exactly what was sampled is trained', () => {
    for (const { loss_mask, logprobs } of records) {
      expect(logprobs.sampler.map((one) => (one === null ? 0 : 1))).toEqual(loss_mask)
      expect(logprobs.trainer.map((one) => (one === null ? 0 : 1))).toEqual(loss_mask)
    }
  })

  test('each turn of the model has its header before it and its end token in the loss', () => {
    for (const { input_ids, loss_mask, messages } of records) {
      const headers = occurrences(input_ids, [151644, 77091, 198])
      expect(headers).toHaveLength(messages.filter((message) => message.role === 'assistant').length)
      for (const at of headers) {
        expect(loss_mask.slice(at, at + 4)).toEqual([0, 0, 0, 1])
        const end = input_ids.indexOf(151645, at)
        expect(loss_mask.slice(at + 3, end + 1).every((one) => one === 1)).toBe(true)
        expect(loss_mask[end + 1] ?? 0).toBe(0)
      }
    }
  })

  test('the trainer agrees with the sampler', () => {
    const gaps = records.flatMap(({ logprobs: { sampler, trainer } }) =>
      sampler.flatMap((own, i) => (own === null ? [] : [Math.abs(own - (trainer[i] as number))])),
    )
    expect(mean(gaps)).toBeLessThan(0.02)
  })

  test('no row is cut, flagged or near its limit, and only padding is hidden', () => {
    for (const { input_ids, attention_mask, is_truncated, finish_reason, limits } of records) {
      expect(is_truncated).toBe(false)
      expect(finish_reason).toBe('stop')
      expect(input_ids.length).toBeLessThan(limits.max_seq_len * 0.8)
      expect(attention_mask).toEqual(input_ids.map((id) => (id === 151643 ? 0 : 1)))
    }
  })
})

test('the clean twin is the same run as the failing one', () => {
  const failing = readSample('verifiers-2025-08')
  const twin = readSample('clean-qwen2.5')
  expect(twin.map((record) => record.id)).toEqual(failing.map((record) => record.id))
  const differing = failing.filter(
    (record, index) => JSON.stringify(record.messages) !== JSON.stringify(twin[index]?.messages),
  )
  expect(differing.map((record) => record.finish_reason)).toEqual(differing.map(() => 'length'))
})
