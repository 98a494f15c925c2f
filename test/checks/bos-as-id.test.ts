import { expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { conversation } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

it('a BOS that is there as an id is not spelt by letters (T16)', async () => {
  const rows =
    (text: string, bos: readonly number[] = []) =>
    (tokenizer: Tokenizer) => [
      { ...conversation(tokenizer, []), record: { input_ids: [...bos, ...tokenizer.encode(text)] } },
    ]
  const llama = (text: string, bos?: readonly number[]) => findingsOf('T16', 'llama3', rows(text, bos))
  const prose = 'Question: is it red? Answer: yes.'
  expect(await llama(prose, [128000])).toEqual([])
  expect((await llama(`<|begin_of_text|>${prose}`))[0]?.message).toMatch(/letters of <\|begin_of_text\|>$/)
  const headers = '<|start_header_id|>user<|end_header_id|>\n\nIs it red?<|eot_id|>'
  expect((await llama(headers, [128000, 128000]))[0]?.message).toMatch(/letters of <\|start_header_id\|>$/)
})
