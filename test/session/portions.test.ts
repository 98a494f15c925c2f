import { expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { parseInPortions, parseRecords } from '../../shared/containers/records.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import { auditBatch } from '../../shared/session/audit/batch.ts'
import { openSource } from '../../shared/session/opening/open-source.ts'
import { survey } from '../../shared/session/opening/survey.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

const IDS = [151644, 872, 198, 15191, 30, 151645, 198, 151644, 77091, 198, 2132, 374, 13, 151645]
const MASK = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0]

/** Records whose faults stand in different portions: lines that are not JSON, fields that are not known, values that are none. */
function lines(): string {
  const rows = Array.from({ length: 40 }, (_, i) => {
    const ids = i % 3 === 0 ? IDS : [...IDS.slice(0, 10), 2132 + i, ...IDS.slice(10)]
    const mask = i % 3 === 0 ? MASK : [...MASK.slice(0, 10), i % 2, ...MASK.slice(10)]
    return JSON.stringify({
      input_ids: ids,
      loss_mask: mask,
      ...(i % 7 === 0 ? { [`odd_${i % 2}`]: i } : {}),
      ...(i % 11 === 0 ? { reward: 'high' } : {}),
    })
  })
  return [...rows.slice(0, 5), '{"input_ids":[1,', ...rows.slice(5, 30), '[]', ...rows.slice(30)].join('\n')
}

test('a batch that is decoded in portions is audited as one that is decoded at once', async () => {
  const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }
  const open = await openSource(new MemorySource('dump.jsonl', Buffer.from(lines())), 0)
  const { plan, tokenizers } = await survey([open], { tokenizer: 'qwen2.5' }, host, [])
  for await (const spans of open.container.index()) {
    const records = await open.container.read(spans)
    if (records.decoder !== 'json') throw new Error('these are lines')
    const [bytes] = records.bytes
    const job = { job: 0, source: 0, records, keep: null }
    const runtime = () => ({ plan, tokenizers: [...tokenizers] })
    const whole = auditBatch(job, [parseRecords(bytes, spans, allNumericKeys)], runtime())
    expect(whole.records).toBe(40)
    expect(whole.skipped).toHaveLength(2)
    expect(whole.drift.length).toBeGreaterThan(1)
    expect(whole.findings.flat().length).toBeGreaterThan(40)
    for (const most of [1, 3, 16]) {
      expect(auditBatch(job, parseInPortions(bytes, spans, allNumericKeys, most), runtime())).toEqual(whole)
    }
  }
  expect.assertions(7)
})
