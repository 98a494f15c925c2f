import { ask } from '../engine/engine.ts'

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
  const { id } = await ask('addTokenizer', texts)
  return id
}

/** Finds the tokenizer among dropped files: `tokenizer.json`, and `tokenizer_config.json` beside it. */
export async function readTokenizer(files: readonly File[]): Promise<TokenizerTexts | null> {
  const tokenizer = files.find((file) => file.name === 'tokenizer.json')
  if (tokenizer === undefined) return null
  const config = files.find((file) => file.name === 'tokenizer_config.json')
  return { name: tokenizer.name, tokenizer: await tokenizer.text(), config: (await config?.text()) ?? null }
}

export function isTokenizerFile(file: File): boolean {
  return file.name === 'tokenizer.json' || file.name === 'tokenizer_config.json'
}
