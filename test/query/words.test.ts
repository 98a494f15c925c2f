import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FactColumns } from '../../shared/checks/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/kept-facts.ts'
import type { Item } from '../../shared/query/language/ast.ts'
import { wordMatcher } from '../../shared/query/match-words.ts'
import { ordered } from '../../shared/query/order.ts'
import { wordRanks } from '../../shared/query/word-order.ts'
import { Words } from '../../shared/query/words.ts'
import { factsOf } from '../helpers/facts.ts'

/** Words as they compare, piece by piece: numbers as numbers, everything else by its characters, in any case. */
function plainly(one: string, other: string): number {
  const pieces = (word: string) => word.toLowerCase().match(/\d+|[^\d]/g) ?? []
  const [left, right] = [pieces(one), pieces(other)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [a, b] = [left[i] as string, right[i] as string]
    const areNumbers = /^\d/.test(a) && /^\d/.test(b)
    const difference = areNumbers ? Number(BigInt(a) - BigInt(b)) : a.charCodeAt(0) - b.charCodeAt(0)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(left.length - right.length)
}

const number = fc.oneof(
  fc.nat(12).map(String),
  fc.nat(2e9).map(String),
  fc.constantFrom('007', '7', '123456789', '1234567890123', '0'),
)
const piece = fc.oneof(number, fc.constantFrom('q', 'Q', '-', 'step', 'é', '\0', 'aaaaaaaaaa', ' '))
const word = fc.oneof(
  fc.string(),
  fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
)

describe('the order of words', () => {
  test('is that of their numbers and characters', () => {
    const few = fc.array(word, { maxLength: 40 })
    const alike = fc.tuple(word, few).map(([start, words]) => words.map((each) => start + each))
    fc.assert(
      fc.property(
        fc.oneof(
          few,
          alike,
          fc.tuple(alike, alike).map((two) => two.flat()),
        ),
        (words) => {
          const ranks = wordRanks(words)
          for (let i = 1; i < words.length; i++) {
            const [a, b] = [words[i - 1] as string, words[i] as string]
            expect([a, b, Math.sign((ranks[i - 1] as number) - (ranks[i] as number))]).toEqual([a, b, plainly(a, b)])
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is the same whether they are kept as numbers or as texts', () => {
    const inOrder = (words: string[]) =>
      [...ordered(wordsOf([words]).words.ranks(), false)].map((index) => words[index])
    expect(inOrder(['q10', 'q2', 'q1', 'q2'])).toEqual(['q1', 'q2', 'q2', 'q10'])
    expect(inOrder(['q10', 'q2', 'x', 'q2'])).toEqual(['q2', 'q2', 'q10', 'x'])
    expect(inOrder([])).toEqual([])
    expect(inOrder(['s2-q10', 's10-q1', 's2-q9'])).toEqual(['s2-q9', 's2-q10', 's10-q1'])
  })

  test('of UUIDs is that of their characters', () => {
    const near = fc.tuple(fc.uuid(), fc.uuid()).map(([one, other]) => one.slice(0, 24) + other.slice(24))
    const uuids = fc.array(fc.oneof(fc.uuid(), near), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(uuids, fc.constantFrom('', 'chatcmpl-'), fc.boolean(), (given, before, hasDashes) => {
        const all = [...given, ...given.map((uuid) => given[0]?.slice(0, 24) + uuid.slice(24))]
        const ids = all.map((uuid) => before + (hasDashes ? uuid : uuid.replaceAll('-', '')))
        const inOrder = [...ordered(wordsOf([ids]).words.ranks(), false)].map((index) => ids[index])
        // A list whose first id has decimal digits alone is kept as texts.
        if (/[a-f]/.test(given[0] as string)) expect(inOrder).toEqual([...ids].sort())
      }),
    )
  })
})

/** Words of ids, each list of them a batch. */
function wordsOf(batches: readonly (readonly string[])[], areUnique = true) {
  const keeper = new FactsKeeper()
  const facts: TrajectoryFacts[] = []
  for (const ids of batches) addFacts(facts, keeper.unpack(packFacts(ids.map((id, at) => factsOf(at, { id })))))
  const words = new Words(areUnique)
  return { words, at: new FactColumns(facts).words('id', words) }
}

describe('words', () => {
  const padded = fc
    .tuple(fc.nat(3000), fc.constantFrom(1, 4))
    .map(([value, digits]) => String(value).padStart(digits, '0'))
  const ids = fc.oneof(
    fc.array(fc.nat(3000).map((value) => `q${value}`)),
    fc.array(fc.nat(3000).map((value) => `q${String(value).padStart(4, '0')}`)),
    fc.array(fc.tuple(fc.nat(3), padded).map(([step, value]) => `s${step}/${value}`)),
    fc.array(fc.uuid()),
    fc.array(fc.constantFrom('stop', 'length')),
    fc.array(word),
  )

  test('of batches are those of each rollout, each different one once unless they are ids', () => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), fc.boolean(), (batches, areUnique) => {
        const plain = batches.flat()
        const { words, at } = wordsOf(batches, areUnique)
        expect([...at].map((number) => words.text(number))).toEqual(plain)
        expect([...words]).toHaveLength(words.length)
        expect(words.length).toBe(areUnique ? plain.length : new Set(plain).size)
      }),
      { numRuns: 300 },
    )
  })

  test('that fit are those whose texts do', () => {
    const piece = fc.oneof(
      fc.nat(99).map(String),
      fc.constantFrom('q', 'Q', 'q7', 's1/', 's1/00', '0', '00', 'a7', 'stop', ''),
    )
    const item = (words: readonly string[]): fc.Arbitrary<Item> => {
      const start =
        words.length === 0
          ? piece
          : fc.tuple(fc.constantFrom(...words), fc.nat(40)).map(([each, to]) => each.slice(0, to))
      const text = fc.oneof(
        piece,
        start,
        start.map((each) => each.toUpperCase()),
      )
      const glob = fc.oneof(
        text.map((each) => `${each}*`),
        text.map((each) => `*${each}`),
        fc.tuple(text, piece).map((two) => two.join('*')),
      )
      return fc.oneof(
        text.map((each): Item => ({ kind: 'word', text: each })),
        glob.map((each): Item => ({ kind: 'glob', text: each })),
      )
    }
    const asked = fc
      .array(ids, { maxLength: 3 })
      .chain((batches) => fc.tuple(fc.constant(batches), fc.array(item(batches.flat()), { maxLength: 3 })))
    fc.assert(
      fc.property(asked, fc.constantFrom('whole' as const, 'contains' as const), ([batches, items], match) => {
        const { words } = wordsOf(batches)
        const matches = wordMatcher(items, match)
        expect([...words.fitting(items, match)]).toEqual([...words].map((each) => Number(matches(each))))
      }),
      { numRuns: 1000 },
    )
  })

  test('that a rollout has not have no number', () => {
    const words = new Words(false)
    expect([words.numberOf('q1'), words.numberOf(null), words.numberOf('q2'), words.numberOf('q1')]).toEqual([
      0, -1, 1, 0,
    ])
    expect([words.numberOf('r2'), words.numberOf('q2'), [...words]]).toEqual([2, 1, ['q1', 'q2', 'r2']])
  })
})
