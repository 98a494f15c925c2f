import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { orAborted } from '../../shared/session/aborted.ts'

const never = () => new Promise<never>(() => undefined)

describe('work that may be given up', () => {
  it('leaves nothing on a signal that outlives it, whatever it comes to', async () => {
    const { signal } = new AbortController()
    for (let i = 0; i < 20; i++) expect(await orAborted(Promise.resolve(i), signal)).toBe(i)
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends with the reason of the signal, also of one that was aborted before', async () => {
    const stop = new AbortController()
    const work = orAborted(never(), stop.signal)
    stop.abort(new Error('left alone'))
    await expect(work).rejects.toThrow('left alone')
    await expect(orAborted(never(), stop.signal)).rejects.toThrow('left alone')
  })
})
