import { configWithTemplate } from '../../shared/tokens/chat-template.ts'
import { ask } from '../engine/engine.ts'
import { during } from '../state/under-way.ts'
import type { TokenizerPart } from './tokenizer-part.ts'

/** What a dropped `tokenizer.json` is called, whose name says nothing. */
export const DROPPED = 'dropped tokenizer'

/** The texts of a tokenizer's two files, as a person dropped them. */
export interface TokenizerTexts {
  readonly name: string
  readonly tokenizer: string
  readonly config: string | null
}

export const BUNDLED = [
  { id: 'qwen2.5', title: 'Qwen2.5' },
  { id: 'qwen3', title: 'Qwen3' },
  { id: 'llama3', title: 'Llama 3.1 and later' },
] as const

/** Hands a dropped tokenizer to the engine; gives the id to choose it by. Fails with a sentence when it is none. */
export async function startTokenizer(texts: TokenizerTexts): Promise<string> {
  const { id } = await during(`Reading the tokenizer ${texts.name}`, () => ask('addTokenizer', texts))
  return id
}

/** A dropped file, and what it is of a tokenizer. */
export interface FileOfTokenizer {
  readonly file: File
  readonly part: TokenizerPart
}

/** Finds the tokenizer among dropped files: its `tokenizer.json`, and the `tokenizer_config.json` and `chat_template.jinja` beside it. */
export async function readTokenizer(files: readonly FileOfTokenizer[]): Promise<TokenizerTexts | null> {
  const find = (wanted: TokenizerPart) => files.find(({ part }) => part === wanted)?.file
  const tokenizer = find('tokenizer')
  if (tokenizer === undefined) return null
  const text = async (part: 'config' | 'template') => (await find(part)?.text()) ?? null
  return {
    name: tokenizer.name === 'tokenizer.json' ? DROPPED : tokenizer.name,
    tokenizer: await tokenizer.text(),
    config: configWithTemplate(await text('config'), await text('template')),
  }
}
