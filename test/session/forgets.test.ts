import { expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { OfLast } from '../../shared/checks/of-last.ts'
import { shapeOf } from '../../shared/checks/oracles/shape.ts'
import { Session } from '../../shared/session/session.ts'
import { exportRollouts } from '../exports/in-memory.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }
const IDS = [151644, 872, 198, 15191, 30, 151645, 198, 151644, 77091, 198, 2132, 374, 13, 151645]
const MASK = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0]

async function opened() {
  const line = `${JSON.stringify({ input_ids: IDS, loss_mask: MASK })}\n`
  const session = await Session.open(
    [new MemorySource('dump.jsonl', Buffer.from(line.repeat(3)))],
    { tokenizer: 'qwen2.5' },
    host,
  )
  await session.done
  return session
}

/** Found out about a rollout before: gone once everything that was found out is let go of. */
function foundOut() {
  const found = new OfLast<object, boolean>()
  const key = {}
  found.set(key, true)
  return () => found.get(key) === true
}

test('nothing that checks found out about a rollout is kept once it was opened', async () => {
  const session = await opened()
  const isKept = foundOut()
  await session.load(0)
  expect(isKept()).toBe(false)
})

test('nor once reading is over, to its end or not', async () => {
  const session = await opened()
  for (const most of [1, 3]) {
    let views = 0
    let again = () => false
    for await (const { view } of session.read([0, 1, 2])) {
      const shape = shapeOf(view!)
      again = () => shapeOf(view!) === shape
      expect(again()).toBe(true)
      if (++views === most) break
    }
    expect(again()).toBe(false)
  }
})

test.each(['source', 'native', 'csv'] as const)('nor after an export as %s', async (as) => {
  const session = await opened()
  const isKept = foundOut()
  await exportRollouts(session, { as, indices: [0, 1, 2], why: 'test', repairMasks: as !== 'csv' })
  expect(isKept()).toBe(false)
})
