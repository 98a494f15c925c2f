import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { chooseColumns, loadColumns } from '../../renderer/data/columns.ts'
import { InspectorDatabase } from '../../renderer/data/database.ts'
import { askedBefore, rememberQuery } from '../../renderer/data/query-history.ts'
import { loadViews, openView, removeView, savedViews, saveView } from '../../renderer/data/views.ts'
import {
  columnsFrom,
  MOST_COLUMNS,
  moved,
  STANDARD_COLUMNS,
  toggled,
  useColumns,
} from '../../renderer/state/columns.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { NO_FILTERS, useFilters } from '../../renderer/state/filters.ts'
import {
  codeLetters,
  codesThatFit,
  fitting,
  gridOf,
  lettersFor,
  roomy,
  widthFor,
  withWholeNumbers,
} from '../../renderer/views/rollouts/column.ts'
import { COLUMNS, columnsOf } from '../../renderer/views/rollouts/columns.tsx'

let names = 0
let database: InspectorDatabase

beforeEach(() => {
  database = new InspectorDatabase(`columns-${names++}`)
  useColumns.setState({ shown: STANDARD_COLUMNS })
  useFilters.setState(NO_FILTERS)
  useFiles.setState({ problems: [] })
  savedViews.set([])
})

describe('codes of findings', () => {
  const codes = ['L02', 'M15', 'T04', 'T05', 'T07']

  it.each([
    [19, 5],
    [18.5, 4],
    [18, 3],
    [14.5, 3],
    [14, 2],
    [6, 1],
    [0, 1],
  ])('%d average letters have room for %i of five, and for how many more there are', (letters, fit) => {
    expect(codesThatFit(codes, letters)).toBe(fit)
  })

  it('of wide letters take more room than others', () => {
    expect(codesThatFit(['M04', 'M10', 'M15', 'T04'], 15)).toBe(2)
    expect(codesThatFit(['L02', 'L05', 'L06', 'T04'], 15)).toBe(4)
  })

  it('a column that is as wide as its text has room for all of it', () => {
    for (let letters = 3; letters < 33; letters++)
      expect(lettersFor({ rem: widthFor({ rem: 1 }, letters) })).toBeGreaterThanOrEqual(letters)
  })
})

describe('columns', () => {
  it('are all offered, each key once, and the standard ones are among them', () => {
    const keys = COLUMNS.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toEqual(expect.arrayContaining([...STANDARD_COLUMNS]))
  })

  it('stand in the order in which they were chosen; what this dump has none of is left out', () => {
    const keys = (shown: string[], rewards: string[]) => columnsOf(shown, rewards).map(({ key }) => key)
    expect(keys(['reward.format', 'id', 'gone', 'index'], ['format'])).toEqual(['reward.format', 'id', 'index'])
    expect(keys(['reward.format', 'id'], [])).toEqual(['id'])
    expect(keys(['gone'], [])).toEqual(['index'])
  })

  it('fill the window and say how narrow they may get', () => {
    const { tracks, rem } = gridOf(columnsOf(['index', 'id'], []))
    expect(tracks).toBe('4.2rem minmax(6rem, 1.2fr)')
    expect(rem).toBeCloseTo(10.2)
    expect(gridOf(columnsOf(['index'], [])).tracks).toBe('4.2rem 1fr')
  })

  it('go in the order that is given until the others fit, and no further', () => {
    const standard = columnsOf(STANDARD_COLUMNS, [])
    const keys = (room: number, goFirst: string[]) => fitting(standard, room, goFirst).map(({ key }) => key)
    const all = gridOf(standard).rem
    expect(keys(all, ['notes', 'index'])).toEqual(STANDARD_COLUMNS)
    expect(keys(all - 0.1, ['notes', 'index'])).toEqual(STANDARD_COLUMNS.filter((key) => key !== 'notes'))
    // What may not go stays, however narrow the window is.
    expect(keys(0, ['notes', 'index'])).toEqual(STANDARD_COLUMNS.filter((key) => key !== 'notes' && key !== 'index'))
  })

  it('are as wide as their texts where there is room; where there is less, as many as can be are whole', () => {
    const columns = columnsOf(['index', 'end', 'findings'], [])
    const letters = new Map([
      ['end', 23],
      ['findings', 29],
    ])
    const rems = (room: number) => roomy(columns, room, letters).map(({ rem }) => rem)
    const [index = 0, end = 0, findings = 0] = columns.map(({ rem }) => rem)
    expect(rems(1000)).toEqual([index, 12.6, 15.6])
    const least = index + end + findings
    expect(rems(least)).toEqual([index, end, findings])
    expect(rems(least - 5)).toEqual([index, end, findings])
    const some = rems(least + 12.6 - end + 1)
    expect(some[1]).toBeCloseTo(12.6)
    expect(some[2]).toBeCloseTo(findings + 1)
    // Nothing is as wide as a text without end.
    expect(roomy(columns, 1000, new Map([['findings', 5000]]))[2]?.rem).toBeLessThan(20)
  })

  it('of ids have room for what tells them apart before anything else is made wider', () => {
    const columns = columnsOf(['id', 'group', 'end', 'findings'], [])
    const letters = new Map([
      ['id', 40],
      ['group', 30],
      ['end', 23],
      ['findings', 29],
    ])
    const rems = (room: number, of = letters) => roomy(columns, room, of).map(({ rem }) => rem)
    const least = gridOf(columns).rem
    const [id = 0, group = 0, end = 0] = rems(least + 12.2)
    expect(id).toBeCloseTo(widthFor({ rem: 6 }, 22))
    expect(group).toBeCloseTo(widthFor({ rem: 4 }, 18))
    expect(end).toBeCloseTo(8)
    // Short ones take what they need and leave the rest to the others.
    const short = rems(least + 4.6, new Map([...letters, ['id', 6], ['group', 4]]))
    expect(short.slice(0, 2)).toEqual([6, 4])
    expect(short[2]).toBeCloseTo(12.6)
  })

  it('of numbers are never narrower than the longest of them', () => {
    const columns = columnsOf(['id', 'tokens', 'trained'], [])
    const letters = new Map([
      ['id', 40],
      ['tokens', codeLetters('500,009')],
    ])
    const [id, tokens, trained] = withWholeNumbers(columns, letters)
    expect(id?.rem).toBe(6)
    expect(tokens?.rem).toBeGreaterThan(4.6)
    expect(trained?.rem).toBe(5)
  })

  it('are shown, moved and taken away, and one always stays', () => {
    const step = fc.record({ key: fc.constantFrom('index', 'id', 'x', 'y'), by: fc.constantFrom<0 | 1 | -1>(0, 1, -1) })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let shown: readonly string[] = ['index', 'id']
        for (const { key, by } of steps) {
          const next = by === 0 ? toggled(shown, key) : moved(shown, key, by)
          expect(new Set(next).size).toBe(next.length)
          expect(next.length).toBeGreaterThan(0)
          if (by !== 0) expect([...next].sort()).toEqual([...shown].sort())
          shown = next
        }
      }),
    )
    expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b'])
    expect(moved(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c'])
    const many = Array.from({ length: MOST_COLUMNS }, (_, k) => `c${k}`)
    expect(toggled(many, 'one more')).toBe(many)
  })

  it('are there again after a restart; what was kept by hand is checked', async () => {
    await chooseColumns(['id', 'reward.format'], database)
    useColumns.setState({ shown: STANDARD_COLUMNS })
    await loadColumns(new InspectorDatabase(database.name))
    expect(useColumns.getState().shown).toEqual(['id', 'reward.format'])
    expect(columnsFrom(['id', 3, 'id', '', null])).toEqual(['id'])
    for (const value of [null, {}, [], [3]]) expect(columnsFrom(value)).toBeNull()
  })

  it('last until the window is closed, and say so, where nothing can be kept', async () => {
    await database.open()
    database.close()
    await chooseColumns(['id'], database)
    expect(useColumns.getState().shown).toEqual(['id'])
    expect(useFiles.getState().problems[0]).toMatch(/^The choice of columns could not be saved: .* It lasts until/)
  })
})

describe('views', () => {
  it('keep query, columns and order, and bring them back after a restart', async () => {
    useFilters.setState({ query: 'reward>0', sort: 'tokens', descending: true })
    useColumns.setState({ shown: ['id', 'tokens'] })
    await saveView('  Long   ones ', database)
    useFilters.setState(NO_FILTERS)
    useColumns.setState({ shown: STANDARD_COLUMNS })
    savedViews.set([])
    await loadViews(new InspectorDatabase(database.name))
    const [view] = savedViews.get()
    expect(view?.name).toBe('Long ones')
    if (view !== undefined) await openView(view, database)
    expect(useFilters.getState()).toEqual({ query: 'reward>0', sort: 'tokens', descending: true })
    expect(useColumns.getState().shown).toEqual(['id', 'tokens'])
  })

  it('of the same name take the place of each other, and are removed', async () => {
    await saveView('b', database)
    await saveView('a', database)
    useFilters.setState({ query: 'flag' })
    await saveView('b', database)
    expect(savedViews.get().map(({ name, query }) => [name, query])).toEqual([
      ['a', ''],
      ['b', 'flag'],
    ])
    await saveView('  ', database)
    await removeView('a', database)
    expect(savedViews.get()).toHaveLength(1)
    expect(await database.views.toCollection().primaryKeys()).toEqual(['b'])
  })
})

describe('queries that were asked', () => {
  it('are offered once each, the newest first', async () => {
    for (const text of ['flag', ' ', 'reward>0', 'flag ']) {
      await rememberQuery(text, database)
      await new Promise((done) => setTimeout(done, 2))
    }
    expect(await askedBefore(8, database)).toEqual(['flag', 'reward>0'])
    expect(await askedBefore(1, database)).toEqual(['flag'])
  })

  it('are none, without a word, where nothing can be kept', async () => {
    await database.open()
    database.close()
    await rememberQuery('flag', database)
    expect(await askedBefore(8, database)).toEqual([])
    expect(useFiles.getState().problems).toEqual([])
  })
})
