import { gzipSync } from 'node:zlib'
import { tableFromArrays, tableToIPC } from '@uwdata/flechette'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { readDataset } from '../../shared/session/read-dataset.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

const COUNT = 30
const all = Array.from({ length: COUNT }, (_, i) => i)
const question = (i: number) => `Question ${i}: which river is it? ${'The rivers are long. '.repeat(i)}`
const jsonl = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const questions = jsonl(all.map((i) => ({ id: `q${i}`, question: question(i) })))
const file = (content: string | Uint8Array) => memorySource(content, 512, 'prompts.jsonl')

describe('the records of a dataset', () => {
  const read = (source: ByteSource) => readDataset([source], tokenizer, { maxUnpacked: null })

  it('are the same in any container', async () => {
    const plain = await read(file(questions))
    expect(plain.prompts).toHaveLength(COUNT)
    const table = tableToIPC(tableFromArrays({ id: all.map((i) => `q${i}`), question: all.map(question) }), {
      format: 'file',
    }) as Uint8Array
    const array = JSON.stringify(all.map((i) => ({ id: `q${i}`, question: question(i) })))
    for (const content of [gzipSync(questions), array, table]) {
      expect((await read(file(content))).prompts).toEqual(plain.prompts)
    }
  })

  it('may hold anything', async () => {
    const keys = [
      'id',
      'prompt',
      'messages',
      'question',
      'conversations',
      'prompt_ids',
      'extra_info',
      'responses_create_params',
      'input',
      'role',
      'content',
      'from',
      'value',
      'index',
    ]
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, -1, 1e308, 'x', '', 'user', 'human', 'assistant'),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 4 }),
      ),
    })).any
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.constantFrom(...keys), value), { minLength: 1, maxLength: 6 }),
        async (records) => {
          const { prompts, withoutPrompt, problems } = await read(file(jsonl(records)))
          expect(prompts.length + withoutPrompt).toBe(records.length)
          expect(problems).toEqual([])
          for (const { keys: digests, tokens } of prompts) {
            expect(digests.every((key) => /^(ids |prompt )?[0-9a-f]{16}$/.test(key))).toBe(true)
            expect(tokens).toSatisfy((count: number | null) => count === null || Number.isInteger(count))
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})
