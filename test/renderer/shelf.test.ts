import { describe, expect, test } from 'vitest'
import { Shelf } from '../../renderer/data/shelf.ts'
import { Cancelled } from '../../renderer/engine/client.ts'

/** A shelf whose answers are given by hand, and what it asked for. */
function shelfOf(most: number) {
  const asked: { readonly key: string; readonly signal: AbortSignal; answer(value: string): void }[] = []
  const shelf = new Shelf<string>(most, (key, signal) => {
    return new Promise((resolve, reject) => {
      asked.push({ key, signal, answer: resolve })
      signal.addEventListener('abort', () => reject(new Cancelled()))
    })
  })
  return { shelf, asked }
}

const settled = () => new Promise((done) => setTimeout(done, 0))

describe('answers kept by key', () => {
  test('what was asked for before all is forgotten is taken back, and its answer taken for nothing', async () => {
    const { shelf, asked } = shelfOf(2)
    shelf.want('a')
    shelf.clear()
    expect(asked[0]?.signal.aborted).toBe(true)
    shelf.want('a')
    asked[0]?.answer('of before')
    await settled()
    expect(shelf.get('a')).toEqual({ state: 'loading' })
    asked[1]?.answer('of now')
    await settled()
    expect(shelf.get('a')).toEqual({ state: 'ready', value: 'of now' })
  })

  test('what somebody no longer waits for stays asked for by nobody until it is taken up again', async () => {
    const { shelf, asked } = shelfOf(2)
    shelf.want('a')
    shelf.stop('a')
    expect(asked[0]?.signal.aborted).toBe(true)
    expect(shelf.isStopped('a')).toBe(true)
    shelf.want('a')
    expect(asked).toHaveLength(1)
    shelf.again('a')
    asked[1]?.answer('a')
    await settled()
    expect(shelf.get('a')).toEqual({ state: 'ready', value: 'a' })
    expect(shelf.isStopped('a')).toBe(false)
  })

  test('the one that was looked at longest ago is let go first', async () => {
    const { shelf, asked } = shelfOf(2)
    for (const key of ['a', 'b', 'a', 'c']) shelf.want(key)
    for (const { key, answer } of asked) answer(key)
    await settled()
    expect(shelf.ready().map(([key]) => key)).toEqual(['a', 'c'])
  })
})
