import { afterEach, expect, test, vi } from 'vitest'
import { FactColumns } from '../../shared/checks/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/kept-facts.ts'
import type { Item } from '../../shared/query/language/ast.ts'
import { wordMatcher } from '../../shared/query/match-words.ts'
import { WordAutomaton } from '../../shared/query/word-automaton.ts'
import { WordTest } from '../../shared/query/word-test.ts'
import { factsOf } from '../helpers/facts.ts'

afterEach(() => vi.restoreAllMocks())

test.each([
  ['as many alternatives as may have tables of their own are read by them', 8, 8],
  ['of one more no tables are made', 9, 0],
])('%s, and what fits is the same', (_, alternatives, made) => {
  const ids = Array.from({ length: 2000 }, (_, at) => `rollout-${at}`)
  const facts: TrajectoryFacts[] = []
  addFacts(facts, new FactsKeeper().keep(packFacts(ids.map((id, at) => factsOf(at, { id }))))())
  const items = Array.from({ length: alternatives }, (_, at): Item => ({ kind: 'glob', text: `*${at}7*` }))
  const automata = vi.spyOn(WordAutomaton, 'of')
  const found = new FactColumns(facts).words('id', WordTest.ofItems(items, 'whole'))
  expect(automata).toHaveBeenCalledTimes(made)
  const matches = wordMatcher(items, 'whole')
  expect([...found]).toEqual(ids.map((id) => Number(matches(id))))
})
