import { describe, expect, it } from 'vitest'
import { Cancelled, EngineClient, EngineFailure, type EnginePort } from '../../renderer/engine/client.ts'
import type { EngineAnswer, EngineCall, Progress } from '../../shared/session/protocol.ts'

function scripted() {
  const posted: EngineCall[] = []
  let answer: (message: EngineAnswer) => void = () => undefined
  let fail: (message: string) => void = () => undefined
  let terminated = 0
  const port: EnginePort = {
    post: (message) => posted.push(message),
    onMessage: (listener) => {
      answer = listener
    },
    onError: (listener) => {
      fail = listener
    },
    terminate: () => {
      terminated++
    },
  }
  const client = new EngineClient(port)
  return {
    client,
    posted,
    answer: (message: EngineAnswer) => answer(message),
    fail: (text: string) => fail(text),
    ended: () => terminated,
  }
}

describe('calls to the engine', () => {
  it('answers each call by its number, in whatever order', async () => {
    const { client, posted, answer } = scripted()
    const first = client.call('locate', { source: 0, record: 1, part: 0 })
    const second = client.call('locate', { source: 0, record: 2, part: 0 })
    expect(posted.map((message) => message.kind)).toEqual(['call', 'call'])
    answer({ kind: 'answer', call: posted[1]?.call as number, output: { index: 22 } })
    answer({ kind: 'answer', call: posted[0]?.call as number, output: { index: 11 } })
    expect(await first).toEqual({ index: 11 })
    expect(await second).toEqual({ index: 22 })
  })

  it('fails with the sentence of the engine', async () => {
    const { client, posted, answer } = scripted()
    const call = client.call('report', {})
    answer({ kind: 'failed', call: posted[0]?.call as number, message: 'Nothing is open.' })
    await expect(call).rejects.toThrow(new EngineFailure('Nothing is open.'))
  })

  it('tells the engine of a cancelled call and drops its late answer', async () => {
    const { client, posted, answer } = scripted()
    const stop = new AbortController()
    const call = client.call('report', {}, stop.signal)
    stop.abort()
    await expect(call).rejects.toBeInstanceOf(Cancelled)
    expect(posted[1]).toEqual({ kind: 'cancel', call: posted[0]?.call })
    expect(() => answer({ kind: 'answer', call: posted[0]?.call as number, output: {} })).not.toThrow()
  })

  it('does not ask at all when it was cancelled before', async () => {
    const { client, posted } = scripted()
    await expect(client.call('report', {}, AbortSignal.abort())).rejects.toBeInstanceOf(Cancelled)
    expect(posted).toEqual([])
  })

  it('hears at any time that reading takes longer, and goes on', async () => {
    const { client, posted, answer } = scripted()
    const heard: string[] = []
    client.onSlower((sentence) => void heard.push(sentence))
    const call = client.call('report', {})
    answer({ kind: 'slower', sentence: 'Reading takes longer.' })
    answer({ kind: 'answer', call: posted[0]?.call as number, output: {} })
    expect(await call).toEqual({})
    expect(heard).toEqual(['Reading takes longer.'])
  })

  it('fails everything that waits, and what comes after, when the engine stops', async () => {
    const { client, fail, ended } = scripted()
    const waiting = client.call('report', {})
    fail('out of memory')
    await expect(waiting).rejects.toThrow(/out of memory/)
    await expect(client.call('report', {})).rejects.toThrow(/Open the files again/)
    expect(client.isStopped).toBe(true)
    expect(ended()).toBe(1)
  })

  it('cancels what waits when it is terminated', async () => {
    const { client } = scripted()
    const waiting = client.call('report', {})
    client.terminate()
    await expect(waiting).rejects.toBeInstanceOf(Cancelled)
    expect(client.isStopped).toBe(true)
  })

  const progress = (trajectories: number): Progress => ({
    bytesRead: 1,
    bytesTotal: 2,
    trajectories,
    skipped: 0,
    done: false,
  })

  it('takes no progress of what was open before for that of what is being opened', async () => {
    const { client, posted, answer } = scripted()
    const seen: number[] = []
    client.onProgress(({ trajectories }) => seen.push(trajectories))
    answer({ kind: 'progress', progress: progress(1) })
    const opening = client.call('reconfigure', { options: {} })
    const call = posted[0]?.call as number
    answer({ kind: 'progress', progress: progress(2) })
    expect(seen).toEqual([1])
    answer({ kind: 'began', call })
    answer({ kind: 'progress', progress: progress(3) })
    expect(seen).toEqual([1, 3])
    answer({ kind: 'failed', call, message: 'There is no tokenizer called nobody.' })
    await expect(opening).rejects.toThrow('nobody')
    expect(seen).toEqual([1, 3])
  })

  it('passes on what was told meanwhile where nothing came of an opening', async () => {
    const { client, posted, answer } = scripted()
    const seen: number[] = []
    client.onProgress(({ trajectories }) => seen.push(trajectories))
    const following = client.call('follow', { on: true })
    answer({ kind: 'progress', progress: progress(1) })
    answer({ kind: 'progress', progress: progress(2) })
    expect(seen).toEqual([])
    answer({ kind: 'failed', call: posted[0]?.call as number, message: 'Files cannot be followed here.' })
    await expect(following).rejects.toThrow('cannot be followed')
    expect(seen).toEqual([1, 2])
    void client.call('follow', { on: false }).catch(() => undefined)
    answer({ kind: 'progress', progress: progress(3) })
    expect(seen).toEqual([1, 2, 3])
  })

  it('passes progress on until the listener leaves', () => {
    const { client, answer } = scripted()
    const seen: number[] = []
    const leave = client.onProgress((progress) => seen.push(progress.trajectories))
    answer({ kind: 'progress', progress: progress(1) })
    leave()
    answer({ kind: 'progress', progress: progress(2) })
    expect(seen).toEqual([1])
  })
})
