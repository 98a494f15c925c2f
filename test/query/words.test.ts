import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FactColumns } from '../../shared/checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { Item } from '../../shared/query/language/ast.ts'
import { compileRegex } from '../../shared/query/language/regex.ts'
import { wordMatcher } from '../../shared/query/match-words.ts'
import { ordered } from '../../shared/query/order.ts'
import { templateRanks } from '../../shared/query/template-ranks.ts'
import { wordRanks } from '../../shared/query/word-order.ts'
import { WordTest } from '../../shared/query/word-test.ts'
import { Words } from '../../shared/query/words.ts'
import { factsOf } from '../helpers/facts.ts'

const HEXADECIMAL = /([0-9a-f]{8,}(?:-[0-9a-f]{4,}){3}-[0-9a-f]{12,}|[0-9a-f]{16,})/
const DIGIT = /^\d/

/**
 * Words as they compare, piece by piece: numbers as numbers, everything else by its characters, in any case. A digit of a hexadecimal id
 * is a character, behind all numbers.
 */
function plainly(one: string, other: string): number {
  const pieces = (word: string) =>
    word
      .toLowerCase()
      .split(HEXADECIMAL)
      .flatMap((part, i) =>
        i % 2 === 1
          ? part.split('').map((text) => ({ text, isNumber: false }))
          : (part.match(/\d+|[^\d]/g) ?? []).map((text) => ({ text, isNumber: DIGIT.test(text) })),
      )
  const [left, right] = [pieces(one), pieces(other)]
  for (const [i, a] of left.entries()) {
    const b = right[i]
    if (b === undefined) return 1
    const difference =
      a.isNumber && b.isNumber
        ? Number(BigInt(a.text) - BigInt(b.text))
        : a.isNumber !== b.isNumber && DIGIT.test(a.text) && DIGIT.test(b.text)
          ? Number(b.isNumber) - Number(a.isNumber)
          : a.text.charCodeAt(0) - b.text.charCodeAt(0)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(left.length - right.length)
}

const number = fc.oneof(
  fc.nat(12).map(String),
  fc.nat(2e9).map(String),
  fc.constantFrom('007', '7', '123456789', '1234567890123', '0'),
)
const hexadecimal = fc
  .tuple(fc.constantFrom(8, 16, 24, 32), fc.constantFrom('0123456789', '0123456789abcdef'))
  .chain(([digits, from]) =>
    fc.array(fc.constantFrom(...from), { minLength: digits, maxLength: digits }).map((each) => each.join('')),
  )
const id = fc.oneof(hexadecimal, fc.uuid(), fc.constantFrom('11111111-1111-1111-1111-111111111111'))
const piece = fc.oneof(
  number,
  fc.constantFrom('q', 'Q', '-', 'step', 'é', '\0', 'aaaaaaaaaa', 'AAAAAAAAAAAAAAA', ' ', ':', '@', '[', '/'),
  id,
)
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
        expect(inOrder(ids)).toEqual([...ids].sort())
      }),
    )
  })

  test('of hexadecimal ids is that of their characters, those of decimal digits alone and other words among them or not', () => {
    const of = (digits: number) => hexadecimal.filter(({ length }) => length === digits)
    const lists = fc.constantFrom(16, 24, 32).chain((digits) => fc.array(of(digits), { minLength: 1, maxLength: 60 }))
    fc.assert(
      fc.property(lists, fc.constantFrom('', 'chatcmpl-'), (given, before) => {
        const ids = given.map((each) => before + each)
        expect(inOrder(ids)).toEqual([...ids].sort())
        expect(inOrder(['~', ...ids])).toEqual([...ids.sort(), '~'])
      }),
    )
  })

  test('of two is the same in any list', () => {
    const alike = fc
      .tuple(
        fc.array(fc.oneof(piece, fc.constant(null)), { maxLength: 9 }),
        fc.array(fc.array(number, { minLength: 9 })),
      )
      .map(([pieces, rows]) => rows.map((row) => pieces.map((each, i) => each ?? row[i]).join('')))
    const dashed = fc
      .array(
        fc.tuple(...[8, 4, 4, 4, 12].map((most) => fc.constantFrom('1', '2', '1'.repeat(most), '1'.repeat(most - 1)))),
      )
      .map((rows) => rows.map((row) => row.join('-')))
    const glued = fc
      .tuple(fc.constantFrom('a', 'abc', 'abcdef', 'Abcdef'), fc.array(fc.nat(14)))
      .map(([before, rows]) => rows.map((digits, i) => `${before}${(i % 9) + 1}${'1'.repeat(digits)}`))
    const lists = fc.oneof(fc.array(fc.oneof(word, id), { maxLength: 20 }), fc.array(id), alike, dashed, glued)
    fc.assert(
      fc.property(lists, fc.boolean(), (words, areOneBatch) => {
        const batches = areOneBatch ? [words] : words.map((each) => [each])
        const kept = wordsOf(batches).words.ranks()
        const asTexts = wordRanks(words)
        const asRows = ranksOfRows(batches) ?? asTexts
        for (const [i, a] of words.entries()) {
          for (const [j, b] of words.slice(0, i).entries()) {
            const order = plainly(a, b)
            expect([a, b, Math.sign((kept[i] as number) - (kept[j] as number))]).toEqual([a, b, order])
            expect([a, b, Math.sign((asTexts[i] as number) - (asTexts[j] as number))]).toEqual([a, b, order])
            expect([a, b, Math.sign((asRows[i] as number) - (asRows[j] as number))]).toEqual([a, b, order])
          }
        }
      }),
      { numRuns: 1000 },
    )
  })
})

/** Of words that are kept as they are in a dump. */
function inOrder(words: readonly string[]) {
  return [...ordered(ranksOfRows([words]) ?? wordsOf([words]).words.ranks(), false)].map((index) => words[index])
}

/** Of ids; null where they are of no template. */
function ranksOfRows(batches: readonly (readonly string[])[]) {
  const ids = batches.flat()
  return templateRanks(new FactColumns(factsWith(batches)), 'id', (row) => ids[row] as string)
}

/** Words of ids, each list of them a batch. */
function wordsOf(batches: readonly (readonly string[])[], areUnique = true) {
  const words = new Words(areUnique)
  return { words, at: new FactColumns(factsWith(batches)).words('id', words) }
}

function factsWith(batches: readonly (readonly string[])[]): TrajectoryFacts[] {
  const keeper = new FactsKeeper()
  const facts: TrajectoryFacts[] = []
  for (const ids of batches) addFacts(facts, keeper.keep(packFacts(ids.map((id, at) => factsOf(at, { id }))))())
  return facts
}

/** An expression that fits an empty text is refused. */
function canBeAsked(source: string): boolean {
  try {
    compileRegex(source, '')
    return true
  } catch {
    return false
  }
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
      const regex = fc
        .array(
          fc.constantFrom(
            '^',
            '$',
            'q',
            'Q7',
            '7',
            '\\d+',
            '[0-9a-f]',
            '[^3]',
            '.',
            '.*',
            '\\b',
            '(?:1|s)',
            '/',
            'a{2}',
          ),
          {
            minLength: 1,
            maxLength: 4,
          },
        )
        .map((pieces) => pieces.join(''))
        .filter(canBeAsked)
      return fc.oneof(
        text.map((each): Item => ({ kind: 'word', text: each })),
        glob.map((each): Item => ({ kind: 'glob', text: each })),
        fc
          .tuple(regex, fc.constantFrom('', 'i', 'ms'))
          .map(([source, flags]): Item => ({ kind: 'regex', source, flags })),
        fc.nat(9).map((value): Item => ({ kind: 'number', value })),
      )
    }
    const asked = fc
      .array(ids, { maxLength: 3 })
      .chain((batches) => fc.tuple(fc.constant(batches), fc.array(item(batches.flat()), { maxLength: 3 })))
    fc.assert(
      fc.property(asked, fc.constantFrom('whole' as const, 'contains' as const), ([batches, items], match) => {
        const matches = wordMatcher(items, match)
        const fits = new FactColumns(factsWith(batches)).words('id', WordTest.ofItems(items, match))
        expect([...fits]).toEqual(batches.flat().map((each) => Number(matches(each))))
      }),
      { numRuns: 1000 },
    )
  })

  test('that fit are those whose texts do, however many digits their numbers have', () => {
    const edges = [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e9, 1e12, 999_999_999_999_999]
    const numbers = edges.flatMap((edge) => [edge - 1, edge, edge + 1].filter((each) => each < 1e15))
    const batches = [
      numbers.map((each) => `q${each}`),
      numbers.filter((each) => each < 1e6).map((each) => `q${String(each).padStart(6, '0')}-x`),
      numbers.map(
        (each) =>
          `${(each % 2 ** 32).toString(16).padStart(8, '0')}-0123-4567-89ab-${String(each).padStart(15, '0').slice(3)}`,
      ),
    ]
    const globs = [...'0123456789'].flatMap((digit) => [
      `*${digit}`,
      `q${digit}*${digit}`,
      `*${digit}${digit}*`,
      `*9${digit}-*`,
    ])
    const items: Item[] = [
      ...globs.map((text): Item => ({ kind: 'glob', text })),
      ...['^q(..)*$', '[1-8]$', '^[^0]+$', '\\b0+1'].map((source): Item => ({ kind: 'regex', source, flags: '' })),
    ]
    for (const batch of batches) {
      for (const item of items) {
        const fits = new FactColumns(factsWith([batch])).words('id', WordTest.ofItems([item], 'whole'))
        expect([item, ...fits]).toEqual([item, ...batch.map((each) => Number(wordMatcher([item], 'whole')(each)))])
      }
    }
  })

  test('of templates are in order by their numbers, whether they come again or are missing', () => {
    const groups = fc.array(fc.option(fc.tuple(fc.nat(3), fc.nat(120)).map(([step, value]) => `s${step}/q${value}`)), {
      maxLength: 60,
    })
    const uuids = fc.array(fc.option(fc.tuple(fc.uuid(), fc.nat(2)).map(([uuid, i]) => `0000000${i}${uuid.slice(8)}`)))
    fc.assert(
      fc.property(fc.array(fc.oneof(groups, uuids), { maxLength: 4 }), fc.boolean(), (batches, descending) => {
        const keeper = new FactsKeeper()
        const facts: TrajectoryFacts[] = []
        for (const all of batches) {
          addFacts(facts, keeper.keep(packFacts(all.map((group, at) => factsOf(at, { group }))))())
        }
        const words = batches.flat()
        const ranks = templateRanks(new FactColumns(facts), 'group', (row) => words[row] as string)
        const texts = words.filter((each) => each !== null)
        const places = new Map([...new Set(texts)].sort(plainly).map((each, at) => [each, at]))
        const expected = Float64Array.from(words, (each) => (each === null ? Number.NaN : (places.get(each) as number)))
        if (ranks !== null) expect([...ordered(ranks, descending)]).toEqual([...ordered(expected, descending)])
        else expect(new Set(texts.map((each) => each[0])).size).not.toBe(1)
      }),
      { numRuns: 300 },
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
