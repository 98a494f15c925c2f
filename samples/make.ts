import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { loadBundledTokenizer } from '../shared/tokens/create.ts'
import type { BundledTokenizers } from '../shared/tokens/tokenizer.ts'
import { SAMPLES, sampleText } from './files.ts'

/** Writes every sample into `samples/`. Started by `npm run samples`, in the root of the checkout. */

const bundled: BundledTokenizers = (id) => readFile(join('dist', 'tokenizers', id, 'tokenizer.compact'))

/** Node writes no time; the header's byte for the operating system is fixed here. */
function gzip(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 })
  bytes[9] = 255
  return bytes
}

const tokenizers = {
  'qwen2.5': await loadBundledTokenizer('qwen2.5', bundled),
  qwen3: await loadBundledTokenizer('qwen3', bundled),
  llama3: await loadBundledTokenizer('llama3', bundled),
}
let total = 0
for (const file of SAMPLES) {
  const bytes = gzip(sampleText(file, tokenizers))
  await writeFile(join('samples', `${file.name}.jsonl.gz`), bytes)
  total += bytes.length
  console.log(`${file.name}.jsonl.gz  ${bytes.length.toLocaleString('en')} bytes`)
}
console.log(`together  ${total.toLocaleString('en')} bytes`)
