import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { mappingOf } from '../../shared/formats/mapping.ts'
import { Session } from '../../shared/session/session.ts'

export const IDS = [151644, 77091, 198, 2132, 374, 220, 21, 151645]
export const MASK = [0, 0, 0, 1, 1, 1, 1, 1]
export const ROW = {
  sample: { toks: IDS, lossm: MASK, old_logps: MASK.map((flag) => (flag ? -0.5 : 0)) },
  problem_id: 'p1',
  final_reward: 0.5,
  env: 'wiki',
  chat: [{ role: 'user', content: 'Who?' }],
}

/** The session of such records, read to its end. */
export async function opened(records: readonly object[], map?: ReturnType<typeof mappingOf>) {
  const bytes = Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))
  const session = await Session.open(
    [new MemorySource('dump.jsonl', bytes)],
    map === undefined ? {} : { map },
    nodeHost(1),
  )
  await session.done
  return session
}
