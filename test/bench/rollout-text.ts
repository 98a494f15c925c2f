import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { generator } from './dump.ts'

const NOT_LATIN = ['東京', '城市里', 'привет', 'мир', '😀', 'été', 'Straße', '안녕', 'नमस्ते', 'naïve']

/**
 * Texts as rollouts have them, about `characters` in all: reasoning, tool calls, retrieved documents and answers, of
 * words that come as often as in a language (the common ones first in `words`), with names, numbers, hashes and other
 * scripts.
 */
export function rolloutTexts(characters: number, words: readonly string[], seed = 11): string[] {
  const random = generator(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const word = () => words[Math.floor(words.length ** random()) - 1] as string
  const hash = () => below(2 ** 31).toString(36) + below(2 ** 31).toString(36)
  const term = () => {
    const kind = below(100)
    if (kind < 3) return String(below(10 ** (1 + below(6))))
    if (kind < 4) return NOT_LATIN[below(NOT_LATIN.length)] as string
    if (kind < 5) return `${word()}'s`
    if (kind < 6) return `“${word()}”`
    if (kind < 9) return word()[0]?.toUpperCase() + word().slice(1) + word()
    return word()
  }
  const sentence = () => {
    const terms = Array.from({ length: 4 + below(20) }, term).join(' ')
    return `${terms.charAt(0).toUpperCase()}${terms.slice(1)}${'..,?:'.charAt(below(5))}`
  }
  const prose = (sentences: number) => Array.from({ length: sentences }, sentence).join(below(6) === 0 ? '\n' : ' ')
  const call = () =>
    `<tool_call>\n${JSON.stringify({ name: 'search', arguments: { query: `${term()} ${term()}`, limit: below(20) } })}\n</tool_call>`
  const documents = () =>
    Array.from(
      { length: 3 },
      (_, i) => `{"id": "${hash()}", "rank": ${i + 1}, "score": ${random()}, "text": ${JSON.stringify(prose(6))}}`,
    ).join('\n')
  const code = () =>
    `\`\`\`python\ndef ${word()}(${word()}: int):\n    return ${word()}[${below(99)}]  # ${word()}\n\`\`\``
  const rollout = () => {
    const turns = Array.from(
      { length: 2 + below(6) },
      () => `<think>\n${prose(8)}\n</think>\n\n${call()}\n<tool_response>\n${documents()}\n</tool_response>\n`,
    )
    return `${prose(3)}\n\n${turns.join('')}${code()}\n\n<answer>${word()} ${below(3000)}</answer>`
  }
  const texts: string[] = []
  for (let written = 0; written < characters; ) {
    const text = rollout()
    texts.push(text)
    written += text.length
  }
  return texts
}

/** Words that the vocabulary has whole. */
export function wordsOf({ table, raw }: Tokenizer): string[] {
  const words: string[] = []
  for (let id = 0; id < table.size; id++) {
    const word = /^Ġ([A-Za-z]{2,})$/.exec(raw(id) ?? '')?.[1]
    if (word !== undefined) words.push(word)
  }
  return words
}
