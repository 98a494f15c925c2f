import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { MANIFEST_NAME, writeExport } from '../../shared/exports/export.ts'
import type { ExportSink } from '../../shared/exports/export-kind.ts'
import { type Manifest, manifestText } from '../../shared/exports/manifest.ts'
import { ZipSink } from '../../shared/exports/zip-sink.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { testHost } from '../session/test-host.ts'
import { exportRollouts, MemorySink } from './in-memory.ts'

async function openRollouts(count: number): Promise<Session> {
  const tokenizer = await qwen()
  const text = lines(Array.from({ length: count }, (_, seed) => rolloutWithTrainedReply(tokenizer, seed + 1)))
  const session = await Session.open(
    [memorySource(new TextEncoder().encode(text), 1 << 16, 'run.jsonl')],
    {},
    testHost(),
  )
  await session.done
  return session
}

function idsIn(rows: Uint8Array): string[] {
  const written = new TextDecoder().decode(rows).trim().split('\n')
  return written.map((row) => JSON.parse(row).id)
}

describe('a long export', () => {
  test('lets others have their turn, says how far it is, and ends where it is stopped', async () => {
    const session = await openRollouts(40)
    const indices = session.facts.map((_, index) => index)
    const told: [number, number][] = []
    let turns = 0
    let goesOn = true
    const others = () => {
      turns++
      if (goesOn) setTimeout(others, 0)
    }
    setTimeout(others, 0)
    const stop = new AbortController()
    const exporting = exportRollouts(
      session,
      { as: 'native', indices: [...indices, ...indices, ...indices], why: 'test' },
      {
        signal: stop.signal,
        tell(done, of) {
          told.push([done, of])
          if (told.length === 2) stop.abort(new Error('Stopped.'))
        },
      },
    )
    // However quick the machine is: no rollout is read before the time of others has come.
    const { read } = session
    session.read = async function* (indices) {
      for await (const loaded of read.call(session, indices)) {
        const until = Date.now() + 30
        while (Date.now() < until);
        yield loaded
      }
    }
    await expect(exporting).rejects.toThrow('Stopped.')
    goesOn = false
    expect(told).toHaveLength(2)
    expect(told[0]?.[1]).toBe(40)
    expect(told[1]?.[0]).toBeGreaterThan(told[0]?.[0] as number)
    expect(turns).toBeGreaterThan(0)
  })

  test('of records as they are stored audits none of them', async () => {
    const session = await openRollouts(5)
    const before = await exportRollouts(session, { as: 'native', indices: [3], why: 'test' })
    expect(before).toHaveLength(2)
    const audits = () => {
      throw new Error('A rollout was audited.')
    }
    session.load = audits
    session.read = audits
    const [file] = await exportRollouts(session, { as: 'source', indices: [0, 3], why: 'test' })
    expect(idsIn(file!.bytes)).toEqual(['rollout-1', 'rollout-4'])
    await expect(exportRollouts(session, { as: 'native', indices: [0], why: 'test' })).rejects.toThrow('audited')
  })

  test('notices a record that is no longer what was read', async () => {
    const tokenizer = await qwen()
    const bytes = new TextEncoder().encode(lines([1, 2].map((seed) => rolloutWithTrainedReply(tokenizer, seed))))
    const session = await Session.open([memorySource(bytes, 1 << 16, 'run.jsonl')], {}, testHost())
    await session.done
    bytes[bytes.indexOf('2'.charCodeAt(0), bytes.length >> 1)]!++
    const request = { as: 'source', why: 'test' } as const
    expect(await exportRollouts(session, { ...request, indices: [0] })).toHaveLength(2)
    await expect(exportRollouts(session, { ...request, indices: [0, 1] })).rejects.toThrow(
      'run.jsonl changed while it was open: record 1 is no longer what was read. Open it again.',
    )
  })

  test('into one archive holds the same files', async () => {
    const session = await openRollouts(5)
    const request = { as: 'source', indices: [4, 0, 2, 2], why: 'test' } as const
    const files = await exportRollouts(session, request)
    const archived = async () => {
      const kept = new MemorySink()
      const zip = new ZipSink(await kept.open('run.zip'))
      await writeExport(session, request, zip)
      await zip.close()
      return kept.files()
    }
    const archives = [await archived(), await archived()]
    expect(archives[0]?.map(({ name }) => name)).toEqual(['run.zip'])
    expect(archives[1]).toEqual(archives[0])
    expect(unzipSync(archives[0]![0]!.bytes)).toEqual(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])))
  })

  test.each([
    ['one file', 100],
    ['the archive', 1500],
  ])('into an archive is refused where %s is larger than that can say', async (_, most) => {
    const session = await openRollouts(5)
    const zip = new ZipSink(await new MemorySink().open('run.zip'), most)
    const writing = async () => {
      await writeExport(session, { as: 'source', indices: [0, 1, 2, 3, 4], why: 'test' }, zip)
      await zip.close()
    }
    await expect(writing()).rejects.toThrow(
      /^A ZIP archive, and each file in it, holds .* at most: this export is larger\./,
    )
  })
})

describe('of a run that is read on', () => {
  /** Two files of two rollouts each, which grow by a line when they are told to. */
  async function followedRun() {
    const tokenizer = await qwen()
    const line = (seed: number) => lines([rolloutWithTrainedReply(tokenizer, seed)])
    const texts = { a: line(1) + line(2), b: line(3) + line(4) }
    const until = new AbortController()
    let hasRead = () => {}
    const nextRead = () => new Promise<void>((resolve) => (hasRead = resolve))
    const first = nextRead()
    const session = await Session.open([], {}, testHost(), {
      follow: {
        every: 0,
        until: until.signal,
        onRound: (read) => read && hasRead(),
        look: async () =>
          Object.entries(texts).map(([name, text]) => ({
            source: memorySource(text, 1 << 16, `${name}.jsonl`),
            identity: name,
            stamp: text,
            quiet: true,
          })),
      },
    })
    await first
    return {
      session,
      async grow(file: 'a' | 'b') {
        const read = nextRead()
        texts[file] += line(5)
        await read
      },
      async end() {
        until.abort()
        await session.done
      },
    }
  }

  /** Exports rollouts while a line is added to one of the files, as soon as `file` was written to. */
  async function whileGrowing(indices: number[], grows: 'a' | 'b', file: 'rows' | 'manifest') {
    const { session, grow, end } = await followedRun()
    const kept = new MemorySink()
    let hasGrown = false
    const sink: ExportSink = {
      async open(name) {
        const writer = await kept.open(name)
        return {
          close: () => writer.close(),
          async write(bytes) {
            await writer.write(bytes)
            if (hasGrown || (name === MANIFEST_NAME) !== (file === 'manifest')) return
            hasGrown = true
            await grow(grows)
          },
        }
      },
    }
    try {
      const manifest = await writeExport(session, { as: 'native', indices, why: 'test' }, sink)
      expect(session.facts).toHaveLength(5)
      return { manifest, ids: idsIn(kept.files()[0]!.bytes) }
    } finally {
      await end()
    }
  }

  const READ_ON = 'The run was read on while it was exported; export again.'

  test('no other rollout takes the place of a chosen one', async () => {
    await expect(whileGrowing([2, 3], 'a', 'rows')).rejects.toThrow(READ_ON)
  })

  test('the manifest does not name what took the place of the last one', async () => {
    await expect(whileGrowing([3], 'a', 'rows')).rejects.toThrow(READ_ON)
  })

  test.each([
    ['b', 'rows'],
    ['a', 'manifest'],
  ] as const)('what is added to %s once the %s file is begun changes nothing', async (grows, file) => {
    const { manifest, ids } = await whileGrowing([2, 3], grows, file)
    expect(ids).toEqual(['rollout-3', 'rollout-4'])
    expect(manifest.trajectories.map(({ trajectory, source }) => [source, trajectory])).toEqual(
      ids.map((id) => [1, id]),
    )
  })

  test('what was looked at before is not written for the rollout that has its index at the end', async () => {
    const { session, grow, end } = await followedRun()
    await session.load(2)
    await grow('a')
    await end()
    const files = await exportRollouts(session, { as: 'native', indices: [2], why: 'test' })
    expect(idsIn(files[0]!.bytes)).toEqual(['rollout-5'])
  })
})

describe('a manifest in pieces', () => {
  test.each([0, 1, 999, 1000, 1001])('of %d rollouts is what it is as a whole', (count) => {
    const manifest = {
      as: 'source',
      why: '"trajectories": []\n  "trajectories": []',
      files: [],
      trajectories: Array.from({ length: count }, (_, record) => ({
        source: 0,
        record,
        part: 0,
        trajectory: `line\nbreak\u2028 \u2029 ${record}`,
        group: null,
        findings: record % 2 === 0 ? [] : ['M01', 'T02'],
      })),
      notes: ['\n  "trajectories": []'],
    } as unknown as Manifest
    const pieces = [...manifestText(manifest)]
    expect(pieces.join('')).toBe(`${JSON.stringify(manifest, null, 2)}\n`)
    expect(pieces.every((piece) => piece.length < 300_000)).toBe(true)
  })
})
