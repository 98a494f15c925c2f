import { expect, it } from 'vitest'
import { assistant, conversation, system, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const TURN_START = 151644

/** T05 of an answer with the trained mark of a turn amid its words, of which a flag may say who wrote it. */
async function isNamed(sampled: 0 | 1 | null) {
  const tokenizer = await testTokenizer('qwen2.5')
  const words = 'I think that it was Ines Valdoro who did it, for the yard was hers. '.repeat(4)
  const turns = [system('Be brief.'), user('Who was it?'), assistant(words.trim())]
  const talk = conversation(tokenizer, turns)
  const row = trajectoryOf(talk)
  const at = talk.layout[2]!.contentStart + 36
  const withMark = (values: ArrayLike<number>, value: number) => [
    ...Array.from(values).slice(0, at),
    value,
    ...Array.from(values).slice(at),
  ]
  const edited = {
    ...row,
    ids: Int32Array.from(withMark(row.ids!, TURN_START)),
    mask: Uint8Array.from(withMark(row.mask!, 1)),
    sampled: sampled === null ? null : Uint8Array.from(withMark(row.mask!, sampled)),
    messages: null,
  }
  return auditTrajectories([edited], tokenizer).failing.includes('T05')
}

it('the mark of a turn amid trained words was sampled with them, unless the dump says that it was not', async () => {
  expect(await isNamed(null)).toBe(false)
  expect(await isNamed(1)).toBe(false)
  expect(await isNamed(0)).toBe(true)
})
