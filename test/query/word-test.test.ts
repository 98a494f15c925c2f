import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { FactColumns } from '../../shared/checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { Item } from '../../shared/query/language/ast.ts'
import { wordMatcher } from '../../shared/query/match-words.ts'
import { WordAutomaton } from '../../shared/query/word-automaton.ts'
import { WordTest } from '../../shared/query/word-test.ts'
import { factsOf } from '../helpers/facts.ts'

/** Of groups, which a rollout may lack: 1 where one fits, 0 where it does not, -1 where there is none. */
function fitting(words: readonly (string | null)[], items: readonly Item[], match: 'whole' | 'contains' = 'whole') {
  const facts: TrajectoryFacts[] = []
  addFacts(facts, new FactsKeeper().keep(packFacts(words.map((group, at) => factsOf(at, { group }))))())
  return [...new FactColumns(facts).words('group', WordTest.ofItems(items, match))]
}

function fittingPlainly(words: readonly (string | null)[], items: readonly Item[], match: 'whole' | 'contains') {
  const matches = wordMatcher(items, match)
  return words.map((word) => (word === null ? -1 : Number(matches(word))))
}

afterEach(() => vi.restoreAllMocks())

test.each([
  ['as many alternatives as may have tables of their own are read by them', 8, 8],
  ['of one more no tables are made', 9, 0],
])('%s, and what fits is the same', (_, alternatives, made) => {
  const ids = Array.from({ length: 2000 }, (_, at) => `rollout-${at}`)
  const items = Array.from({ length: alternatives }, (_, at): Item => ({ kind: 'glob', text: `*${at}7*` }))
  const automata = vi.spyOn(WordAutomaton, 'of')
  const found = fitting(ids, items)
  expect(automata).toHaveBeenCalledTimes(made)
  const matches = wordMatcher(items, 'whole')
  expect(found).toEqual(ids.map((id) => Number(matches(id))))
})

describe('parts of hexadecimal ids', () => {
  const digits = (from: string, count: number) =>
    fc.array(fc.constantFrom(...from), { minLength: count, maxLength: count }).map((each) => each.join(''))
  /** Of few digits, of which a part is in many ids and often more than once, and lies over itself. */
  const ids = fc
    .tuple(
      fc.constantFrom('01', 'a7f', '0123456789abcdef'),
      fc.constantFrom([8, 4, 4, 4, 12], [32], [24], [22], [17], [16, 4, 5]),
      fc.constantFrom('', 'chatcmpl-', 'Q/', '3-', 'é'),
      fc.constantFrom('', '-a', '/0'),
    )
    .chain(([from, groups, before, behind]) => {
      const id = fc.tuple(...groups.map((count) => digits(from, count))).map((each) => before + each.join('-') + behind)
      return fc.array(fc.option(id, { freq: 9 }), { minLength: 8, maxLength: 40 })
    })
  /** Parts of the ids that there are, of their ends and over their dashes, and what none has. */
  const part = (words: readonly string[]) => {
    const own = fc
      .tuple(fc.constantFrom(...words, 'a7'), fc.nat(60), fc.integer({ min: 1, max: 12 }))
      .map(([word, from, length]) => {
        const start = from % word.length
        return word.slice(start, start + length)
      })
    const some = fc.oneof(own, fc.constantFrom('a7', '0', 'aa', '-', '-4', 'g', 'é', '', '1-1'))
    return fc.tuple(some, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text))
  }
  const item = (words: readonly string[]): fc.Arbitrary<Item> =>
    fc
      .tuple(part(words), part(words), fc.constantFrom('word', '*p', 'p*', '*p*', 'p*q', '*p*q', '*p*q*', 'regex'))
      .map(([p, q, form]): Item => {
        if (form === 'word') return { kind: 'word', text: p }
        if (form === 'regex' && /^[^-é]+$/.test(p)) return { kind: 'regex', source: `${p}.?${q}`, flags: '' }
        return { kind: 'glob', text: form.replace('p', p).replace('q', q) }
      })

  test('are found where their texts have them', () => {
    const asked = ids.chain((words) => {
      const texts = words.filter((word) => word !== null)
      return fc.tuple(fc.constant(words), fc.array(item(texts), { minLength: 1, maxLength: 3 }))
    })
    fc.assert(
      fc.property(asked, fc.constantFrom('whole' as const, 'contains' as const), ([words, items], match) => {
        expect(fitting(words, items, match)).toEqual(fittingPlainly(words, items, match))
      }),
      { numRuns: 1000 },
    )
  })

  test('are looked for in the texts where it takes more states than a table has', () => {
    // Which of the last fourteen digits was an "a" is sixteen thousand states.
    const items: Item[] = [{ kind: 'regex', source: 'a.{14}7$', flags: '' }]
    const words = fc.sample(
      digits('a7', 32).map((id) => `x-${id}`),
      { numRuns: 3000, seed: 1 },
    )
    const texts = vi.spyOn(WordTest.prototype, 'numberOf')
    const found = fitting(words, items)
    expect(texts.mock.calls.length).toBeGreaterThan(0)
    expect(found).toEqual(fittingPlainly(words, items, 'whole'))
    expect(new Set(found)).toEqual(new Set([0, 1]))
  })
})
