import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from './test-host.ts'

const IDS = [151644, 872, 198, 15191, 30, 151645, 198, 151644, 77091, 198, 2132, 374, 13, 151645]
const MASK = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
const ROLLOUTS = 20_000

/** Facts in columns and the records of the dump are some 500 bytes; the objects that facts were made as are 1,500 more. */
const MOST_BYTES_A_ROLLOUT = 1_000

it('of a rollout that was read less than a kilobyte is kept until the dump is judged', async () => {
  // What is loaded once is there then.
  await read(100)
  const before = await held()
  const session = await read(ROLLOUTS)
  const each = ((await held()) - before) / ROLLOUTS
  expect(session.progress(true).trajectories).toBe(ROLLOUTS)
  expect(each).toBeGreaterThan(100)
  expect(each).toBeLessThan(MOST_BYTES_A_ROLLOUT)
})

/** Bytes of objects and arrays that are alive: some are let go of only with a later task. */
async function held(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let least = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < 8; pass++) {
    await new Promise((done) => setTimeout(done, 5))
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, heapUsed + arrayBuffers)
  }
  return least
}

async function read(rollouts: number): Promise<Session> {
  const lines = Array.from({ length: rollouts }, (_, at) =>
    JSON.stringify({ id: `r${at}`, group_id: `g${at >> 3}`, input_ids: IDS, loss_mask: MASK, reward: (at % 7) / 7 }),
  )
  const session = await Session.open([memorySource(`${lines.join('\n')}\n`)], { tokenizer: 'qwen2.5' }, testHost())
  await session.done
  return session
}
