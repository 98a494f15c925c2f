import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openRunMetadata } from '../../shared/session/run-context.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testTokenizerPath } from '../helpers/tokenizers.ts'

it('a tokenizer of any size is called one', async () => {
  const bytes = readFileSync(testTokenizerPath('qwen2.5', 'tokenizer.json'))
  expect(bytes.length).toBeGreaterThan(4 << 20)
  const found = await openRunMetadata(memorySource(bytes, 1 << 16, 'model.json'))
  expect(found?.report.title).toMatch(/^tokenizer /)
})

it('another large file is not', async () => {
  const record = `{"version": "1.0", "input_ids": [${Array(100).fill(7)}], "text": "added_tokens"}\n`
  expect(await openRunMetadata(memorySource(record.repeat(20_000), 1 << 16, 'dump.jsonl'))).toBeNull()
})
