import { expect, it, vi } from 'vitest'
import type { AuditPlan, AuditReply, DissectedBatch, DissectJob } from '../../shared/session/audit/plan.ts'
import { dissectPool } from '../../shared/session/audit/pool.ts'
import type { WorkerLink } from '../../shared/session/host.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { workerHost } from './test-host.ts'

const PLAN = { sources: [] } as unknown as AuditPlan
const jobOf = (job: number) => ({ job, source: 0, records: { bytes: [] } }) as unknown as DissectJob

it('a worker whose result cannot be posted says so', async () => {
  const { host, log } = workerHost(2)
  const clone = structuredClone
  let refused = 0
  // As where memory runs out while it is copied.
  const cloning = vi.spyOn(globalThis, 'structuredClone').mockImplementation((message, options) => {
    if ((message as AuditReply).kind === 'result' && refused++ === 0)
      throw new Error('Data cannot be cloned, out of memory.')
    return clone(message, options)
  })
  const line = JSON.stringify({ id: 'r', input_ids: [1, 2, 3], loss_mask: [0, 1, 1], note: 'x'.repeat(100_000) })
  const session = await Session.open([memorySource(`${line}\n`.repeat(90))], {}, host)
  await expect(session.done.finally(() => cloning.mockRestore())).rejects.toThrow('Data cannot be cloned')
  expect(log.terminated).toBe(2)
})

it('a job that cannot be posted fails, and leaves its place to the next one', async () => {
  const toMain: ((message: unknown) => void)[] = []
  const link: WorkerLink = {
    post(message) {
      const request = message as { kind: string; job?: DissectJob }
      if (request.kind !== 'dissect') return
      if ((request.job?.job ?? 0) < 4) throw new Error('Data cannot be cloned, out of memory.')
      const result = { job: request.job?.job } as DissectedBatch
      for (const listener of toMain) listener({ kind: 'dissected', result })
    },
    onMessage: (listener) => void toMain.push(listener),
    onError: () => undefined,
    terminate: () => undefined,
  }
  const pool = dissectPool([link], PLAN)
  for (const job of [1, 2, 3]) await expect(pool.run(jobOf(job))).rejects.toThrow('cannot be cloned')
  await pool.ready()
  expect(await pool.run(jobOf(4))).toEqual({ job: 4 })
})
