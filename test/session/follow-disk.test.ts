import { beforeAll, describe, expect, test } from 'vitest'
import { FollowedFile } from '../../shared/session/following/followed-file.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { atOnce, followed, growing, pairedRollouts } from './followed.ts'
import { testHost } from './test-host.ts'

let rollouts: string[]

beforeAll(async () => {
  rollouts = await pairedRollouts(20)
})

const encode = (text: string) => new TextEncoder().encode(text)
const file = (slice: (start: number, end: number) => Promise<Uint8Array>) => {
  const source = memorySource(rollouts.join(''), 1 << 16, 'run.jsonl')
  return { source: { ...source, slice }, identity: '1', stamp: 'written once', quiet: true }
}

describe('a disk', () => {
  test('that is slow changes nothing', async () => {
    const whole = encode(rollouts.slice(0, 20).join(''))
    const expected = await atOnce([{ name: 'run.jsonl', bytes: whole }])
    let reads = 0
    const slow = () => new Promise<void>((done) => setTimeout(done, reads++ % 3))
    const { report, notices } = await followed(growing(whole, [9000, 20_000, 20_010]), {}, undefined, slow)
    expect(report).toEqual(expected)
    expect(notices).toEqual([])
  })

  test('that fails once, at any read, is tried again, and the report is that of a sound one', async () => {
    // Long enough not to be read in one go.
    const lines = rollouts.slice(0, 12).map((line) => line.replace('\n', `${' '.repeat(8000)}\n`))
    const whole = encode(lines.join(''))
    const expected = await atOnce([{ name: 'run.jsonl', bytes: whole }])
    const moments = [...growing(whole, [70_000, 90_000]), growing(whole, []).flat(), growing(whole, []).flat()]
    let reads = 0
    await followed(moments, {}, undefined, async () => void reads++)
    expect(reads).toBeGreaterThan(10)
    for (let failing = 1; failing <= reads; failing++) {
      let read = 0
      let failed = false
      const { report, notices } = await followed(moments, {}, undefined, async (look) => {
        // The first look opens the files, and the last is the last chance.
        if (++read < failing || failed || look === 1 || look === moments.length) return
        failed = true
        throw Object.assign(new Error('i/o error, read'), { code: 'EIO' })
      })
      expect(report, `read ${failing} failed`).toEqual(expected)
      for (const notice of notices) expect(notice, `read ${failing}`).toMatch(/i\/o error.*tried again/s)
    }
  })

  test('that fails is tried again at the next look, though nothing was written since', async () => {
    const { signal } = new AbortController()
    const followedFile = new FollowedFile('run.jsonl', null, {})
    const refusing = file(() => Promise.reject(Object.assign(new Error('i/o error, read'), { code: 'EIO' })))
    const failed = await followedFile.examine(refusing, false, signal)
    expect(failed.notice).toMatch(/i\/o error.*tried again/)
    expect(followedFile.sources).toEqual([])
    const sound = memorySource(rollouts.join(''), 1 << 16, 'run.jsonl')
    const read = await followedFile.examine(file(sound.slice), false, signal)
    expect(read).toEqual({ changed: true, notice: null })
    expect(followedFile.sources).toHaveLength(1)
  })

  test('that never answers is not waited for by who ends it at once: what was read by then is the run', async () => {
    const atOnceEnded = new AbortController()
    const sound = memorySource(rollouts.join(''), 1 << 16, 'run.jsonl')
    let looks = 0
    let asked = 0
    const never = () => {
      asked++
      return new Promise<Uint8Array>(() => {})
    }
    const session = await Session.open([], {}, testHost(), {
      onProgress: () => {},
      follow: {
        every: 0,
        until: new AbortController().signal,
        atOnce: atOnceEnded.signal,
        look: async () => [looks++ === 0 ? file(sound.slice) : { ...file(never), stamp: 'written again' }],
      },
    })
    await expect.poll(() => asked).toBeGreaterThan(0)
    atOnceEnded.abort()
    await session.done
    expect(session.report().totals.trajectories).toBe(rollouts.length)
  })
})
