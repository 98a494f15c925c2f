import { describe, expect, it } from 'vitest'
import type { Steps } from '../../shared/model/steps.ts'
import { SharedWork } from '../../shared/session/audit/shared-work.ts'
import { until } from './dumps.ts'

/** Work that ends when it is let, and counts how often it was begun and its steps. */
function gated() {
  const log = { begun: 0, steps: 0, isOpen: false }
  function* work(): Steps<string> {
    log.begun++
    while (!log.isOpen) {
      log.steps++
      // Long enough for the others to have their turn.
      for (const end = Date.now() + 30; Date.now() < end; );
      yield 0.5
    }
    return 'made'
  }
  return { log, work }
}

const quiet = () => undefined

describe('work that several questions rest on', () => {
  it('is done once, and told to all that wait', async () => {
    const { log, work } = gated()
    const shared = new SharedWork<object, string>()
    const of = {}
    const heard: number[][] = [[], []]
    const asked = heard.map((own) =>
      shared.do(of, work, { signal: new AbortController().signal, tell: (share) => own.push(share) }),
    )
    await until(() => heard.every((own) => own.length > 0))
    log.isOpen = true
    expect(await Promise.all(asked)).toEqual(['made', 'made'])
    expect(log.begun).toBe(1)
    expect(heard.flat().every((share) => share === 0.5)).toBe(true)
  })

  it('goes on for those that still wait, and is given up after the last', async () => {
    const { log, work } = gated()
    const shared = new SharedWork<object, string>()
    const of = {}
    const [first, second] = [new AbortController(), new AbortController()]
    const one = shared.do(of, work, { signal: first.signal, tell: quiet })
    const other = shared.do(of, work, { signal: second.signal, tell: quiet })
    first.abort(new Error('Stopped.'))
    await expect(one).rejects.toThrow('Stopped.')
    second.abort(new Error('Stopped as well.'))
    await expect(other).rejects.toThrow('Stopped as well.')
    const { steps } = log
    // A question that comes later begins anew, and nothing is done for those who left.
    log.isOpen = true
    expect(await shared.do(of, work, { signal: new AbortController().signal, tell: quiet })).toBe('made')
    expect(log).toMatchObject({ begun: 2, steps })
  })

  it('is not begun for what was taken back already', async () => {
    const { log, work } = gated()
    const shared = new SharedWork<object, string>()
    const signal = AbortSignal.abort(new Error('Stopped.'))
    await expect(shared.do({}, work, { signal, tell: quiet })).rejects.toThrow('Stopped.')
    expect(log.begun).toBe(0)
  })
})
