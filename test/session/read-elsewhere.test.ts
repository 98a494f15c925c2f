import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { readElsewhere } from '../../cli/read-elsewhere.ts'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { AuditRequest } from '../../shared/session/audit/plan.ts'
import { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, cutRollout, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

/** More than workers are started for. */
const LARGE = 9 << 20

const folder = mkdtempSync(join(tmpdir(), 'read-elsewhere-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let tokenizer: Tokenizer
let records: readonly object[]
beforeAll(async () => {
  tokenizer = await qwen()
  const kinds = [cleanRollout(tokenizer, 1), cutRollout(tokenizer, 2), rolloutWithTrainedReply(tokenizer, 3)]
  const found: object[] = []
  for (let size = 0; size < LARGE; ) {
    const { record } = kinds[found.length % kinds.length] as (typeof kinds)[number]
    // Most of it is what nobody looks at: one record longer than a batch, some about as long as a chunk of the file.
    const padding = 'x'.repeat(found.length === 40 ? 3 << 20 : found.length % 10 === 5 ? (1 << 20) - found.length : 0)
    const own = { ...record, id: `row-${found.length}`, group_id: `g${found.length >> 2}`, somebodys: padding }
    size += JSON.stringify(own).length + 1
    found.push(own)
  }
  records = found
})

/** In every way that text comes: lines with and without an end, with bad ones, an array. */
const LAYOUTS: readonly (readonly [string, (all: readonly object[]) => string])[] = [
  ['lines', (all) => all.map((each) => `${JSON.stringify(each)}\n`).join('')],
  [
    'lines of Windows, some bad, the last without its end',
    (all) => all.map((each, row) => (row % 50 === 7 ? '{"input_ids": [1, 2' : JSON.stringify(each))).join('\r\n'),
  ],
  ['an array', (all) => JSON.stringify(all, null, 1)],
]

async function fileOf(name: string, bytes: string | Uint8Array): Promise<NodeFileSource> {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return NodeFileSource.open(path, name)
}

describe('workers that read their own parts of a file', () => {
  it.each(LAYOUTS)('give what one thread gives that is handed the bytes: %s', async (name, written) => {
    const text = written(records)
    const wanted = await audited([memorySource(text, 1 << 16, name)])
    const source = await fileOf(name, text)
    const posted: AuditRequest[] = []
    const { host } = workerHost(2, (message) => {
      posted.push(message as AuditRequest)
      return false
    })
    const shared = await audited([source], {}, host)
    const alone = await audited([source], {}, testHost({ readElsewhere }))
    for (const session of [shared, alone]) {
      expect(session.report()).toEqual(wanted.report())
      // Where they are kept is another matter: a thread by itself packs those of several batches together.
      expect(session.facts.map(plainFacts)).toEqual(wanted.facts.map(plainFacts))
    }
    expect(wanted.report().sources[0]?.sha256).toBe(createHash('sha256').update(text).digest('hex'))
    const jobs = posted.flatMap((request) => (request.kind === 'job' ? [request.job.records] : []))
    expect(jobs.length).toBeGreaterThan(3)
    // Neither bytes nor tokens go from thread to thread.
    for (const { decoder, bytes } of jobs) expect([decoder, bytes.length]).toEqual(['elsewhere', 0])
  })

  it('are handed the bytes of what is compressed', async () => {
    const text = LAYOUTS[0]?.[1](records) as string
    const wanted = await audited([memorySource(gzipped(text), 1 << 16, 'a.gz')])
    const shared = await audited([await fileOf('a.gz', gzipped(text))], {}, workerHost(2).host)
    expect(shared.report()).toEqual(wanted.report())
  })

  it('are handed the bytes of what would have to come from far away again', async () => {
    const text = LAYOUTS[0]?.[1](records) as string
    const posted: AuditRequest[] = []
    const { host } = workerHost(2, (message) => {
      posted.push(message as AuditRequest)
      return false
    })
    const wanted = await audited([memorySource(text, 1 << 16, 'far.jsonl')])
    const far = await audited(
      [{ ...memorySource(text, 1 << 16, 'far.jsonl'), elsewhere: 'far', isFar: true }],
      {},
      host,
    )
    expect(far.report()).toEqual(wanted.report())
    const decoders = posted.flatMap((request) => (request.kind === 'job' ? [request.job.records.decoder] : []))
    expect(new Set(decoders)).toEqual(new Set(['json']))
  })

  it('list what has gone from a file that became shorter, and lose nothing before it', async () => {
    const text = LAYOUTS[0]?.[1](records) as string
    const source = await fileOf('shorter.jsonl', text)
    const { host } = workerHost(2, (message) => {
      const request = message as AuditRequest
      if (request.kind === 'job' && request.job.job === 0) truncateSync(source.path, text.length >> 1)
      return false
    })
    const session = await Session.open([source], {}, host)
    await session.done
    const { records: read, skipped } = session.report().sources[0] as { records: number; skipped: readonly unknown[] }
    const whole = text.slice(0, text.length >> 1).split('\n').length - 1
    expect(read).toBe(whole)
    expect(skipped.length).toBeGreaterThan(0)
  })
})
