import { expect, it } from 'vitest'
import type { EngineAnswer } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import { followToTell } from '../../shared/session/tell-following.ts'
import { memorySource } from '../containers/memory-source.ts'
import { lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost } from './test-host.ts'

it('tells of the first fault once, and of that of a file that was written anew again', async () => {
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
  const rounds = async () => {
    for (let round = 0; round < 3; round++) {
      follow.following.onRound?.(true)
      await session.settled()
    }
  }
  await rounds()
  expect(told).toHaveLength(1)
  await rounds()
  expect(told).toHaveLength(1)
  follow.following.onAnew?.()
  await rounds()
  expect(told).toHaveLength(2)
})
