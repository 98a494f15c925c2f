import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { readElsewhere } from '../../cli/read-elsewhere.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { AuditRequest } from '../../shared/session/audit/plan.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { commandLine } from '../cli/command-line.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'lost-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let tokenizer: Tokenizer
let sound: string
let faulty: string
beforeAll(async () => {
  tokenizer = await qwen()
  sound = lines(Array.from({ length: 4 }, (_, seed) => cleanRollout(tokenizer, seed)))
  faulty = lines(Array.from({ length: 4 }, (_, seed) => rolloutWithTrainedReply(tokenizer, seed)))
})

/** Its bytes are there until `isGone`. */
function losing(whole: ByteSource, isGone: () => boolean): ByteSource {
  const check = () => {
    if (isGone()) throw new Error(`${whole.name} was removed or moved while it was being read. Put it back.`)
  }
  return {
    name: whole.name,
    size: whole.size,
    async slice(start, end) {
      check()
      return whole.slice(start, end)
    },
    stream(start) {
      const reader = whole.stream(start).getReader()
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          check()
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      })
    },
  }
}

/** A host that knows when the dump is open and its pass is about to begin: that is when it is first hashed. */
function hostThatBegins() {
  const host = testHost()
  let begun = false
  const createSha256 = () => {
    queueMicrotask(() => {
      begun = true
    })
    return host.createSha256()
  }
  return { host: { ...host, createSha256 }, isBegun: () => begun }
}

/** About 12 MB, which is several batches. */
function large(): string {
  const padded = (seed: number) => ({
    ...cleanRollout(tokenizer, seed).record,
    id: `row-${seed}`,
    note: 'x'.repeat(60_000),
  })
  return Array.from({ length: 200 }, (_, seed) => `${JSON.stringify(padded(seed))}\n`).join('')
}

async function fileOf(name: string, text: string): Promise<NodeFileSource> {
  const path = join(folder, name)
  writeFileSync(path, text)
  return NodeFileSource.open(path, name)
}

describe('a file that is lost while it is read', () => {
  it('costs its neighbours nothing, and is told with how far it was read', async () => {
    const neighbours = () => [memorySource(faulty, 1 << 16, 'b.jsonl'), memorySource(sound, 1 << 16, 'c.jsonl')]
    const first = memorySource(sound, 1 << 16, 'a.jsonl')
    const { host, isBegun } = hostThatBegins()
    const session = await audited([losing(first, isBegun), ...neighbours()], {}, host)
    const { sources, findings } = session.report()
    expect(sources.map(({ name, records }) => [name, records])).toEqual([
      ['a.jsonl', 0],
      ['b.jsonl', 4],
      ['c.jsonl', 4],
    ])
    expect(sources[0]).toMatchObject({
      sha256: null,
      skipped: [
        {
          record: 0,
          line: null,
          byte: 0,
          code: 'read-error',
          message:
            'a.jsonl was removed or moved while it was being read. Put it back. From record 0 on nothing of it is judged.',
        },
      ],
    })
    expect(sources.slice(1).flatMap(({ skipped }) => skipped)).toEqual([])
    const alone = await audited(neighbours())
    const named = (all: typeof findings, from: number) =>
      all.map(({ code, source, record }) => `${code} ${source - from}.${record}`)
    expect(named(findings, 1)).toEqual(named(alone.report().findings, 0))
    expect(findings.some(({ code }) => code === 'M01')).toBe(true)
  })

  it.each([
    ['in one thread', null],
    ['by workers', 2],
  ])('is judged as far as its batches were read: %s', async (_, jobs) => {
    const text = large()
    const gone = await fileOf(`gone-${jobs}.jsonl`, text)
    const stays = await fileOf(`stays-${jobs}.jsonl`, faulty)
    let asked = 0
    const remove = () => {
      if (++asked === 3) rmSync(gone.path)
    }
    const host =
      jobs === null
        ? testHost({
            readElsewhere(...at) {
              remove()
              return readElsewhere(...at)
            },
          })
        : workerHost(jobs, (message) => {
            if ((message as AuditRequest).kind === 'job') remove()
            return false
          }).host
    const session = await audited([gone, stays], {}, host)
    const [lost, whole] = session.report().sources
    expect(whole).toMatchObject({ records: 4, skipped: [] })
    const read = lost?.records ?? 0
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(200)
    expect(lost?.skipped).toEqual([
      {
        record: read,
        line: read + 1,
        byte: text.split('\n').slice(0, read).join('\n').length + 1,
        code: 'read-error',
        message: `gone-${jobs}.jsonl was removed or moved while it was being read. Put it back, or name files that stay. From record ${read} on nothing of it is judged.`,
      },
    ])
    expect(session.facts.filter(({ place }) => place.source === 0).map(({ place }) => place.record)).toEqual(
      Array.from({ length: read }, (_, record) => record),
    )
  })

  it('is told where it is compressed, too', async () => {
    const packed = memorySource(gzipped(sound), 1 << 10, 'a.jsonl.gz')
    const { host, isBegun } = hostThatBegins()
    const session = await audited([losing(packed, isBegun), memorySource(sound, 1 << 16, 'b.jsonl')], {}, host)
    const [lost, whole] = session.report().sources
    expect(lost?.skipped.map(({ code }) => code)).toEqual(['read-error'])
    expect(lost?.sha256).toBeNull()
    expect(whole?.records).toBe(4)
  })

  it('that only became shorter, at the end of a line, is not taken for whole', async () => {
    const text = large()
    const source = await fileOf('shorter.jsonl', text)
    const half = text.split('\n').slice(0, 100).join('\n').length + 1
    truncateSync(source.path, half)
    const session = await audited([source, memorySource(sound, 1 << 16, 'b.jsonl')])
    const [lost, whole] = session.report().sources
    expect(lost).toMatchObject({ records: 100, sha256: null })
    expect(lost?.skipped).toEqual([
      {
        record: 100,
        line: 101,
        byte: half,
        code: 'became-shorter',
        message: `shorter.jsonl became shorter while it was being read: ${half} of ${text.length} bytes are there, nothing after them can be read. Write it again, and open it once it is whole.`,
      },
    ])
    expect(whole).toMatchObject({ records: 4, skipped: [] })
  })

  it('does not keep others from being chosen from', async () => {
    const { host, isBegun } = hostThatBegins()
    const sources = [losing(memorySource(sound, 1 << 16, 'a.jsonl'), isBegun), memorySource(faulty, 1 << 16, 'b.jsonl')]
    const session = await audited(sources, { limit: 2 }, host)
    expect(session.facts.map(({ place }) => place.source)).toContain(1)
    expect(session.report().sources[0]?.skipped.map(({ code }) => code)).toEqual(['read-error'])
  })
})

describe('inspect', () => {
  it('judges the other files where one is removed while it is read, and says on both streams what is lost', async () => {
    const gone = await fileOf('gone.jsonl', large())
    const stays = await fileOf('stays.jsonl', faulty)
    const ran = commandLine(['inspect', gone.path, stays.path, '--json', '-', '--jobs', '1'], {
      directory: folder,
      tty: true,
      onError(text) {
        if (text.includes('%')) rmSync(gone.path, { force: true })
      },
    })
    const { code, out, err } = await ran
    expect(code).toBe(1)
    const { sources } = JSON.parse(out) as { sources: { records: number; skipped: { code: string }[] }[] }
    expect(sources[0]?.skipped.map((each) => each.code)).toEqual(['read-error'])
    expect(sources[1]?.records).toBe(4)
    expect(err).toContain('not read: gone.jsonl was removed or moved while it was being read.')
  })
})
