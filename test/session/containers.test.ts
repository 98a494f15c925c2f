import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import { Session } from '../../shared/session/session.ts'
import { tarred, zipped } from '../containers/archives.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { testHost, workerHost } from './test-host.ts'

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/containers/${name}`, import.meta.url)))

async function opened(bytes: Uint8Array, name = 'dump') {
  const session = await Session.open([memorySource(bytes, 1 << 14, name)], {}, testHost())
  await session.done
  return session
}

/** What is known of a rollout, but for where it was found. */
function told(kept: TrajectoryFacts) {
  const { recordHash, place, line, ...facts } = plainFacts(kept)
  return { ...facts, place: { record: place.record, part: place.part } }
}

const forms: [string, string, Uint8Array][] = [
  ['Parquet', 'parquet', fixture('arrow-rs-v1.parquet')],
  ['Arrow', 'arrow', fixture('arrow-rs-stream.arrow')],
  ['compressed Arrow', 'arrow', fixture('polars-zstd.arrow')],
  ['Parquet in gzip', 'parquet+gzip', gzipped(fixture('duckdb-zstd.parquet'))],
  ['JSON Lines in Zstandard', 'jsonl+zstd', fixture('rows.frames.zst')],
]

describe('a dump', () => {
  it.each(forms)('in %s is the dump that it is in JSON Lines', async (_, container, bytes) => {
    const twin = await opened(fixture('rows.jsonl'))
    const session = await opened(bytes)
    expect(session.unreadable).toEqual([])
    expect(session.report().sources[0]).toMatchObject({ container, records: 12, trajectories: 12 })
    expect(session.facts.map(told)).toEqual(twin.facts.map(told))
    expect(session.report().totals).toEqual(twin.report().totals)
    for (const index of [10, 0, 4]) {
      const [detail, expected] = [await session.detail(index), await twin.detail(index)]
      expect(detail.ids).toEqual(expected.ids)
      expect(detail.logprobs).toEqual(expected.logprobs)
      expect(detail.messages).toEqual(expected.messages)
      expect(detail.raw).toContain('"input_ids"')
    }
  })

  it('in an archive is listed by its name in there, and what is no dump beside it', async () => {
    for (const bytes of [
      zipped({
        'a/step_1.parquet': fixture('duckdb-snappy.parquet'),
        'readme.md': '# A run',
        'b.jsonl': fixture('rows.jsonl'),
      }),
      gzipped(
        tarred({
          'a/step_1.parquet': fixture('duckdb-snappy.parquet'),
          'readme.md': '# A run',
          'b.jsonl': fixture('rows.jsonl'),
        }),
      ),
    ]) {
      const session = await opened(bytes, 'run.archive')
      const sources = session.report().sources.filter(({ trajectories }) => trajectories > 0)
      expect(sources.map(({ name, container }) => [name, container])).toEqual([
        ['run.archive › a/step_1.parquet', 'parquet'],
        ['run.archive › b.jsonl', 'jsonl'],
      ])
      expect(session.unreadable.map(({ name, code }) => [name, code])).toEqual([
        ['run.archive › readme.md', 'not-json'],
      ])
      expect((await session.detail(15)).ids).not.toBe(null)
    }
  })

  it('is audited by workers as in one thread', async () => {
    const names = ['arrow-rs-v1.parquet', 'arrow-rs-v2.parquet', 'arrow-js-file.arrow', 'rows.seekable.zst']
    // A stream is over at its end mark, whatever follows: large enough for workers to be started.
    const large = new Uint8Array(Buffer.concat([fixture('arrow-rs-stream.arrow'), Buffer.alloc(9 << 20)]))
    const sources = [large, ...names.map(fixture)].map((bytes, i) => memorySource(bytes, 1 << 16, `${i}`))
    const { host, log } = workerHost(2)
    const session = await Session.open(sources, {}, host)
    await session.done
    expect(log.spawned).toBe(2)
    expect(log.results).toBeGreaterThanOrEqual(sources.length)
    const inline = await Session.open(sources, {}, testHost())
    await inline.done
    expect(session.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    expect(session.report()).toEqual(inline.report())
  })

  it('that needs more than is allowed says how to allow it', async () => {
    const bytes = gzipped(fixture('rows.jsonl'))
    const session = await Session.open([memorySource(bytes)], { maxUnpacked: 2000 }, testHost())
    await session.done
    expect(session.report().sources[0]?.skipped.at(-1)?.code).toBe('unpacked-limit')
    expect(session.report().sources[0]?.records).toBeGreaterThan(0)
  })
})
