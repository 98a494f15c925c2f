import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { audited, cleanRollout, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'

interface Row {
  readonly input_ids: readonly number[]
  readonly loss_mask: readonly number[]
  readonly versions: readonly number[]
}

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

/** What the engine wrote has version 3, whatever the mask says of it. */
function rowOf(seed: number, isTrained = false): Row {
  const { record } = (isTrained ? rolloutWithTrainedReply : cleanRollout)(tokenizer, seed)
  const clean = cleanRollout(tokenizer, seed).record.loss_mask as number[]
  return {
    input_ids: record.input_ids,
    loss_mask: record.loss_mask as number[],
    versions: clean.map((flag) => (flag ? 3 : -1)),
  }
}

/** Without the tokens that frame turns: nothing but the versions tells who wrote what. */
function unframed({ input_ids: ids, ...row }: Row): Row {
  const kept = <Value>(list: readonly Value[]) => list.filter((_, i) => (ids[i] as number) < 151643)
  return { input_ids: kept(ids), loss_mask: kept(row.loss_mask), versions: kept(row.versions) }
}

/** Rows as one trajectory of AReaL, filled with 0 to one width as `concat_padded_tensors` does. */
function trajectory(rows: readonly Row[]): object {
  const width = Math.max(...rows.map((row) => row.input_ids.length))
  const wide = (list: readonly number[]) => [...list, ...Array<number>(width - list.length).fill(0)]
  return {
    input_ids: rows.map((row) => wide(row.input_ids)),
    loss_mask: rows.map((row) => wide(row.loss_mask)),
    logprobs: rows.map((row) => wide(row.versions.map((version, i) => (version < 0 ? 0 : -0.25 - (i % 5) / 16)))),
    versions: rows.map((row) => wide(row.versions)),
    attention_mask: rows.map((row) => wide(row.input_ids.map(() => 1)).map((flag) => flag === 1)),
    rewards: rows.map((_, i) => i % 2),
  }
}

async function reportOf(rows: readonly Row[], perRecord = 2) {
  const records: object[] = []
  for (let at = 0; at < rows.length; at += perRecord) records.push(trajectory(rows.slice(at, at + perRecord)))
  const session = await audited(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return session.report()
}

const rows = (make: (seed: number) => Row) => Array.from({ length: 12 }, (_, seed) => make(seed))
const failing = ({ checks }: Awaited<ReturnType<typeof reportOf>>) =>
  checks.flatMap(({ code, status, severity }) => (status === 'fail' && severity === 'error' ? [code] : []))

/** What H02 makes of the loss on what the model did not write. */
function unwritten({ hypotheses }: Awaited<ReturnType<typeof reportOf>>) {
  const { verdict, because } = hypotheses.find(({ id }) => id === 'H02')!
  return { verdict, share: because.find(({ measure }) => /the model did not write/.test(measure))?.value }
}

describe('trajectories of AReaL', () => {
  it('are rollouts row by row, clean where mask and versions agree', async () => {
    for (const perRecord of [1, 2, 12]) {
      const report = await reportOf(rows(rowOf), perRecord)
      expect(report.sources[0]).toMatchObject({ format: { id: 'areal-batch' }, records: 12 / perRecord, skipped: [] })
      expect(report.totals.trajectories).toBe(12)
      expect(failing(report)).toEqual([])
      expect(report.sources[0]?.missing).not.toContain('sampled')
    }
  })

  it('have a reply of a tool in the loss, which no weights sampled', async () => {
    expect(failing(await reportOf(rows((seed) => rowOf(seed, true))))).toContain('M01')
  })

  it('tell so by their versions alone where nothing frames the turns, and are silent where none is trained', async () => {
    const faulty = await reportOf(rows((seed) => unframed(rowOf(seed, true))))
    expect(unwritten(faulty)).toMatchObject({ verdict: 'supported', share: expect.closeTo(0.47, 1) })
    expect(unwritten(await reportOf(rows((seed) => unframed(rowOf(seed)))))).toMatchObject({ share: 0 })
  })

  it('say nothing of who wrote what where no token has a version', async () => {
    const report = await reportOf(
      rows((seed) => {
        const row = rowOf(seed, true)
        return unframed({ ...row, versions: row.versions.map(() => -1) })
      }),
    )
    expect(unwritten(report)).toMatchObject({ share: undefined })
    expect(report.sources[0]?.missing).toEqual(expect.arrayContaining(['sampled', 'versions', 'logprobs.sampler']))
  })
})
