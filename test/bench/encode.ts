import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import { compactTokenizer } from '../../shared/tokens/compact/compact-tokenizer.ts'
import { writeCompact } from '../../shared/tokens/compact/write-compact.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'
import { rolloutTexts, wordsOf } from './rollout-text.ts'
import { median } from './timing.ts'

const CHARACTERS = 10 << 20
const REPEATS = 3
const ONE_CHARACTER = ['a', '7', ' ', '\n', '=', '中', '\u0301']
/** How many times the library's speed ours is to be. */
const GOALS = { 'qwen2.5': 15, llama3: 12 } as const

/**
 * Re-encoding 10 MB of rollouts against the library, both sides in turns, every pass of ours with nothing remembered
 * from the one before. Processor time, which other work on the machine stretches less. Throws where one id differs.
 */
export async function encodeAgainstLibrary(): Promise<void> {
  for (const family of ['qwen2.5', 'llama3'] as const) {
    const files = await testTokenizerFiles(family)
    const compact = writeCompact(files)
    const first = fresh(compact)
    const texts = rolloutTexts(CHARACTERS, wordsOf(first.tokenizer))
    const library = new LibraryTokenizer(files.tokenizer as object, files.config as object)
    const encode = (text: string) => library.encode(text, { add_special_tokens: false }).ids
    const sample = texts.slice(0, 20)
    for (const text of sample) if (!same(encode(text), first.tokenizer.encode(text))) throw new Error('ids differ')

    const ours: number[] = []
    const theirs: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const { tokenizer } = fresh(compact)
      ours.push(timed(() => texts.map((text) => tokenizer.encode(text))).milliseconds)
      const run = timed(() => texts.map(encode))
      theirs.push(run.milliseconds)
      if (!run.result.every((ids, i) => same(ids, tokenizer.encode(texts[i] as string)))) throw new Error('ids differ')
    }
    const ratio = median(theirs) / median(ours)
    console.log(
      `${family}: 10 MB encoded in ${median(ours).toFixed(0)} ms, by the library in ${median(theirs).toFixed(0)} ms, ` +
        `same ids: ${ratio.toFixed(1)} × its speed (goal ${GOALS[family]}); tables made in ${first.milliseconds.toFixed(0)} ms`,
    )
    const slowest = ONE_CHARACTER.map((character) => {
      const text = character.repeat(1 << 20)
      return { character, ...timed(() => first.tokenizer.encode(text)) }
    }).reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a))
    console.log(
      `${family}: a megabyte of one character in ${slowest.milliseconds.toFixed(0)} ms at most (${JSON.stringify(slowest.character)}; goal 1000)`,
    )
  }
}

function fresh(compact: Uint8Array): { tokenizer: Tokenizer; milliseconds: number } {
  const tokenizer = compactTokenizer(compact, { id: 'x', title: 'X', origin: 'bundled' })
  const { milliseconds } = timed(() => tokenizer.encode('a'))
  return { tokenizer, milliseconds }
}

function timed<T>(work: () => T): { result: T; milliseconds: number } {
  const start = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(start)
  return { result, milliseconds: (user + system) / 1000 }
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}
