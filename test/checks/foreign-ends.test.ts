import { describe, expect, it } from 'vitest'
import { assistant, system, user } from '../helpers/conversation.ts'
import { type Edit, findingsOf, search } from './findings-of.ts'

const FAMILIES = [
  ['qwen2.5', 151643],
  ['qwen3', 151643],
  ['llama3', 128001],
] as const

/** The end tokens of these turns, by their place in the row, are those that end a text. */
const ending =
  (id: number, ...turns: number[]): Edit =>
  ({ ids }, { layout }) => {
    const edited = ids!.slice()
    for (const turn of turns) edited[layout[turn]!.endToken] = id
    return { ids: edited }
  }

const [SYSTEM, USER, CALL, REPLY, ANSWER] = [0, 1, 2, 3, 4]

describe.each(FAMILIES)('%s: a turn that ends with what ends a text', (family, id) => {
  const named = (edit: Edit, changes: Parameters<typeof search>[0] = {}) =>
    findingsOf('T16', family, search(changes), edit)

  it('is named where others wrote it, and others of the row end as the template ends them', async () => {
    const [found, ...more] = await named(ending(id, REPLY))
    expect(found).toMatchObject({ severity: 'warning', turn: 3 })
    expect(found!.tokens![1] - found!.tokens![0]).toBe(1)
    expect(found!.message).toMatch(/^A tool turn ends with "<\|end_?of_?text\|>", and not with the end token/)
    expect(more).toEqual([])
    expect(await named(ending(id, USER))).toMatchObject([{ turn: 1 }])
  })

  it('is sound where the model stopped on it', async () => {
    expect(await named(ending(id, CALL, ANSWER))).toEqual([])
    const sampled: Edit = (trajectory, row, index) => {
      const { ids } = ending(id, REPLY)(trajectory, row, index)
      return { ids: ids!, sampled: Uint8Array.from(ids!, (token) => Number(token === id)) }
    }
    expect(await named(sampled)).toEqual([])
  })

  it('is how the template writes them where all turns of others end so', async () => {
    expect(await named(ending(id, SYSTEM, USER, REPLY))).toEqual([])
  })

  it('parts two texts before a system turn, and ends one with the row', async () => {
    const more = () => [user('Thank you.'), system('Be brief.'), user('Who?'), assistant('Ada.')]
    expect(await named(ending(id, 5), { after: more })).toEqual([])
    expect(await named(ending(id, 5), { after: () => [user('Thank you.')] })).toEqual([])
  })
})
