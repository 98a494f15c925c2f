import 'fake-indexeddb/auto'
import { describe, expect, test, vi } from 'vitest'
import type { LeavingPlace } from '../../renderer/data/left-changes.ts'
import { editHypothesis } from '../../shared/notebook/edit.ts'
import type { Status } from '../../shared/notebook/model.ts'
import { fresh, shown, status, TextPlace, testing, windowOn } from './windows.ts'

describe('a notebook that a window leaves before it has stored its last change', () => {
  /** A window that changes the notebook and is gone before it can store that, and what another does on top. */
  async function leaveBehind(place: LeavingPlace, name: string) {
    const { keeper, database } = await windowOn(name, place)
    keeper.change('Status of H02', testing('H02'))
    expect(keeper.leave()).toBe(true)
    keeper.stop()
    database.close({ disableAutoOpen: true })
    await keeper.flush()
    expect(keeper.isUnsaved).toBe(true)
  }

  test('has it for the next window', async () => {
    const [place, name] = [new TextPlace(), fresh()]
    await leaveBehind(place, name)
    const { keeper } = await windowOn(name, place)
    expect([status(keeper), place.length]).toEqual(['testing', 0])
    const { keeper: later } = await windowOn(name, place)
    expect(shown(later)).toEqual(shown(keeper))
  })

  test('has it below what the other window changes next', async () => {
    const [place, name] = [new TextPlace(), fresh()]
    const { keeper: other } = await windowOn(name, place)
    await leaveBehind(place, name)
    other.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'partial' }, { at }))
    other.change('Status of H04', testing('H04'))
    await other.flush()
    const { keeper: later } = await windowOn(name, place)
    expect([status(later), status(later, 'H04'), place.length]).toEqual(['partial', 'testing', 0])
  })

  test('takes it once, whoever stored it and whatever came after', async () => {
    const [place, name] = [new TextPlace(), fresh()]
    const { keeper } = await windowOn(name, place)
    keeper.change('Status of H02', testing('H02'))
    expect(keeper.leave()).toBe(true)
    // A copy of what it left, as it is found where the window that took it ended before it could take it away.
    const left = [place.key(0) as string, place.getItem(place.key(0) as string) as string] as const
    await keeper.flush()
    expect([keeper.isUnsaved, place.length]).toEqual([false, 0])
    keeper.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: 'partial' }, { at }))
    await keeper.flush()
    place.setItem(...left)
    const { keeper: later } = await windowOn(name, place)
    expect([status(later), place.length]).toEqual(['partial', 0])
  })

  test.each([
    '',
    '{',
    '[{"id":1}]',
    '[{"id":"a","delta":{"kind":"fields"}}]',
    '[{"id":"a","delta":{"kind":"set","after":3}}]',
  ])('loses nothing to a text that is none of it: %s', async (text) => {
    const [place, name] = [new TextPlace(), fresh()]
    place.setItem('rollout-inspector.notebook-left.x', text)
    await leaveBehind(place, name)
    const { keeper } = await windowOn(name, place)
    keeper.change('Status of H04', testing('H04'))
    await keeper.flush()
    expect([status(keeper), status(keeper, 'H04')]).toEqual(['testing', 'testing'])
    expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', problem: null })
    expect(place.getItem('rollout-inspector.notebook-left.x')).toBe(text)
  })

  test('writes nothing for a text that cannot be taken, and says once that it is there', async () => {
    const [place, name, told] = [new TextPlace(), fresh(), vi.fn()]
    place.setItem('rollout-inspector.notebook-left.x', '[{"id":"a","delta":{"kind":"set","after":3}}]')
    place.setItem('rollout-inspector.notebook-left.y', '{')
    const { keeper, database } = await windowOn(name, place, told)
    await keeper.flush()
    await keeper.flush()
    expect(await database.notebooks.get('notebook')).toBeUndefined()
    expect(keeper.state.getState()).toMatchObject({ keeping: 'saved', savedAt: null })
    expect(told.mock.calls).toEqual([[expect.stringMatching(/cannot read.*stay/)]])
  })

  test('has what fits of it, beside what does not', async () => {
    const [place, name] = [new TextPlace(), fresh()]
    await leaveBehind(place, name)
    const key = place.key(0) as string
    const { leftAt, changes } = JSON.parse(place.getItem(key) as string)
    expect(leftAt).toMatch(/^20\d\d-.*Z$/)
    const strange = [{ id: 'a', delta: { kind: 'set', after: 3 } }, { of: 'a later version' }]
    place.setItem(key, JSON.stringify({ leftAt, changes: [strange[0], ...changes, strange[1]] }))
    const { keeper, database } = await windowOn(name, place)
    expect(status(keeper)).toBe('testing')
    const rest = JSON.parse(place.getItem(key) as string).changes
    expect(rest).toHaveLength(2)
    expect(rest).toEqual(expect.arrayContaining(strange))
    await keeper.flush()
    expect((await database.notebooks.get('notebook'))?.revision).toBe(1)
  })

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('comes in the order in which windows went, however storage orders them: %s, %s', async (first, last) => {
    const [place, name] = [new TextPlace(), fresh()]
    const left = async (went: string, second: number, to: Status) => {
      const own = new TextPlace()
      const { keeper } = await windowOn(fresh(), own)
      keeper.change('Status of H02', (notebook, at) => editHypothesis(notebook, 'H02', { status: to }, { at }))
      expect(keeper.leave()).toBe(true)
      const { changes } = JSON.parse(own.getItem(own.key(0) as string) as string)
      return [went, JSON.stringify({ leftAt: `2026-01-05T00:00:0${second}.000Z`, changes })] as const
    }
    const texts = [await left(first, 1, 'testing'), await left(last, 2, 'partial')]
    for (const [key, text] of texts.sort()) place.setItem(`rollout-inspector.notebook-left.${key}`, text)
    const { keeper } = await windowOn(name, place)
    expect([status(keeper), place.length]).toEqual(['partial', 0])
  })

  test('is still read as it was left without a time', async () => {
    const [place, name] = [new TextPlace(), fresh()]
    await leaveBehind(place, name)
    const key = place.key(0) as string
    place.setItem(key, JSON.stringify(JSON.parse(place.getItem(key) as string).changes))
    const { keeper } = await windowOn(name, place)
    expect([status(keeper), place.length]).toEqual(['testing', 0])
  })

  test('says so where there is no room to leave it, or storage refuses', async () => {
    const full = new TextPlace()
    full.setItem = () => {
      throw new DOMException('no room', 'QuotaExceededError')
    }
    const { keeper } = await windowOn(fresh(), full)
    expect(keeper.leave()).toBe(true)
    keeper.change('Status of H02', testing('H02'))
    expect(keeper.leave()).toBe(false)
    const { keeper: refused, database } = await windowOn(fresh(), new TextPlace())
    database.close({ disableAutoOpen: true })
    refused.change('Status of H02', testing('H02'))
    await refused.flush()
    expect(refused.leave()).toBe(false)
  })
})
