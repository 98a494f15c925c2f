import { describe, expect, test } from 'vitest'
import type { Command } from '../../renderer/commands/command.ts'
import { COMMANDS as ALL_COMMANDS } from '../../renderer/commands/commands.ts'
import {
  commandsElsewhere,
  fits,
  foundInReport,
  groupCommands,
  searchedText,
} from '../../renderer/commands/palette-entries.ts'
import { idQuery } from '../../renderer/data/find-rollouts.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { check, report } from '../exports/report-fixture.ts'

const command = (id: string, where?: Command['where']): Command => ({
  id,
  title: id,
  keys: [],
  ...(where === undefined ? {} : { where }),
  run() {},
})
const COMMANDS = [command('open', 'always'), command('copy', ['rollout']), command('sort', ['rollouts', 'rollout'])]
const ids = (groups: ReturnType<typeof groupCommands>) =>
  groups.map(({ title, entries }) => [title, entries.map(({ id }) => id)])

describe('commands in the palette', () => {
  test('stand once, those of the view on screen before those that work everywhere', () => {
    expect(ids(groupCommands(COMMANDS, [], 'rollout'))).toEqual([
      ['In a rollout', ['copy', 'sort']],
      ['Everywhere', ['open']],
    ])
    expect(ids(groupCommands(COMMANDS, [], 'lab'))).toEqual([
      ['Everywhere', ['open']],
      ['In the table', ['sort']],
      ['In a rollout', ['copy']],
    ])
  })

  test('of other views are offered behind them, and lead to the first view that they work in', () => {
    const went: string[] = []
    const [group] = commandsElsewhere(COMMANDS, 'verdicts', (view, { id }) => went.push(`${id} in ${view}`))
    for (const entry of group?.entries ?? []) entry.run()
    expect(went).toEqual(['copy in rollout', 'sort in rollouts'])
    expect(ids(commandsElsewhere(COMMANDS, 'rollout', () => undefined))).toEqual([])
  })

  test('begin with those given last, as far as they can be given now', () => {
    expect(ids(groupCommands(COMMANDS, ['sort', 'gone', 'open'], 'rollout'))).toEqual([
      ['Recent', ['sort', 'open']],
      ['In a rollout', ['copy']],
    ])
  })
})

test.each([
  ['grid', ['grid']],
  ['overlay', ['overlay']],
  ['entropy', ['overlay']],
  ['sibling', ['sibling-next', 'sibling-back']],
  ['retokenize', ['retokenise']],
  ['rerender', ['render']],
  ['raw json', ['raw']],
  ['url', ['copy-link']],
])('the palette finds %s', (typed, expected) => {
  const found = ALL_COMMANDS.filter((each) => fits(typed.split(' '), searchedText(each)))
  expect(found.map(({ id }) => id)).toEqual(expected)
})

describe('what the palette finds in a report', () => {
  const whole = report({ checks: [check('M01'), check('T04', { title: 'Cut in the middle' })] })

  test.each([
    [['m01'], ['check-M01']],
    [['middle', 'cut'], ['check-T04']],
    [['m01', 'middle'], []],
  ])('%j', (words, expected) => {
    const entries = foundInReport({ ...whole, defects: [] }, words).flatMap((group) => group.entries)
    expect(entries.map(({ id }) => id)).toEqual(expected)
  })

  test('nothing where none is open', () => {
    expect(foundInReport(null, ['m01'])).toEqual([])
  })
})

test.each([
  'q17',
  'a:b',
  'step-3/q',
  'two words',
  '"',
  '*',
  '(x',
  'a|b',
  '\\',
  'not',
  '>3',
  '1..2',
  '-q',
])('the query for the id %j can be read, and asks for an id', (text) => {
  const { root, problems } = parseQuery(idQuery(text))
  expect(problems).toEqual([])
  expect(root).toMatchObject({ kind: 'clause', field: 'id' })
})
