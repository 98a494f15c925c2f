import { describe, expect, it } from 'vitest'
import { assistant, conversation, system, type TurnSpec, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const FIRST = [system('Solve it.'), user('What is 35 * 61?'), assistant('It is 2135.')]
const OWN = [user('And 36 * 61?'), assistant('It is 2196.', { separator: false })]

/** The ends of whole texts, which no chat template writes. */
const TEXT_END = { 'qwen2.5': 151643, llama3: 128001 } as const
const TURN_END = { 'qwen2.5': 151645, llama3: 128009 } as const

describe.each([
  'qwen2.5',
  'llama3',
] as const)('loss that runs from the first answer to the end of the row (%s)', (family) => {
  const said = async (turns: readonly TurnSpec[], end: number, padding = 0) => {
    const tokenizer = await testTokenizer(family)
    const talk = conversation(tokenizer, turns)
    const { contentStart } = talk.layout[2]!
    const row = trajectoryOf(talk)
    const ids = Int32Array.from([...row.ids!, end, ...Array<number>(padding).fill(TEXT_END[family])])
    const mask = Uint8Array.from(ids, (_, i) => (i >= contentStart && i < ids.length - padding ? 1 : 0))
    const lone = { ...row, ids, mask, sampled: null, messages: null }
    const { failing } = auditTrajectories([lone], tokenizer)
    return failing.filter((code) => /^M/.test(code))
  }

  it('was written by a model that ended the text itself', async () => {
    expect(await said([...FIRST, ...OWN], TEXT_END[family])).toEqual([])
    expect(await said([...FIRST, ...OWN], TEXT_END[family], 12)).toEqual([])
  })

  it('is a mask that never ends where a turn ends the row, or a tool replied in between', async () => {
    expect(await said([...FIRST, ...OWN], TURN_END[family])).toContain('M05')
    const replied = [...FIRST, tool('61 times 36 is 2196.'), assistant('It is 2196.', { separator: false })]
    expect(await said(replied, TEXT_END[family])).toContain('M05')
  })
})
