import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SAMPLES, sampleText } from '../../samples/files.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { sampleBytes } from './read-sample.ts'

describe('the committed samples', () => {
  test.each(SAMPLES.map((file) => [file.name, file] as const))('%s is what the script makes', async (name, file) => {
    const tokenizers = {
      'qwen2.5': await testTokenizer('qwen2.5'),
      qwen3: await testTokenizer('qwen3'),
      llama3: await testTokenizer('llama3'),
    }
    const committed = gunzipSync(sampleBytes(name)).toString('utf8')
    // Compared as a truth value: a difference of megabytes is not worth printing.
    expect(sampleText(file, tokenizers) === committed, 'differs: run `npm run samples` and commit the result').toBe(
      true,
    )
  })

  test('carry no time, so that the same records give the same file', () => {
    for (const { name } of SAMPLES) expect([...sampleBytes(name).subarray(4, 8)]).toEqual([0, 0, 0, 0])
  })

  test('are under 3 MB together', () => {
    expect(SAMPLES.reduce((sum, { name }) => sum + sampleBytes(name).length, 0)).toBeLessThan(3_000_000)
  })
})
