import { expect, it } from 'vitest'
import { followToTell } from '../../shared/session/following/tell-following.ts'
import type { EngineAnswer } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost } from './test-host.ts'

async function toldOfFault() {
  const told: string[] = []
  const follow = followToTell(
    async () => [],
    (message: EngineAnswer) => {
      if (message.kind === 'progress' && message.progress.said?.about === 'fault')
        told.push(message.progress.said.sentence)
    },
  )
  const dump = new TextEncoder().encode(lines([rolloutWithTrainedReply(await qwen(), 1)]))
  const session = await Session.open([memorySource(dump, 1 << 14, 'a.jsonl')], {}, testHost())
  await session.done
  follow.judge(session)
  const round = async (read: boolean) => {
    follow.following.onRound?.(read)
    await session.settled()
  }
  return { told, follow, round }
}

it('tells of the first fault once, and of that of a file that was written anew again', async () => {
  const { told, follow, round } = await toldOfFault()
  const rounds = async () => {
    for (const read of [true, false, false, false]) await round(read)
  }
  await rounds()
  expect(told).toHaveLength(1)
  await rounds()
  expect(told).toHaveLength(1)
  follow.following.onAnew?.()
  await rounds()
  expect(told).toHaveLength(2)
})

it('takes one report, of rounds that ended while it was drawn, for one', async () => {
  const { told, round } = await toldOfFault()
  for (const read of [true, true, true]) await round(read)
  expect(told).toEqual([])
})
