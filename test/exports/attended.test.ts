import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { exportRollouts } from '../../shared/exports/export.ts'
import { type Manifest, manifestText } from '../../shared/exports/manifest.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { testHost } from '../session/test-host.ts'

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
    const { load } = session
    session.load = async (index) => {
      const until = Date.now() + 30
      while (Date.now() < until);
      return load.call(session, index)
    }
    await expect(exporting).rejects.toThrow('Stopped.')
    goesOn = false
    expect(told).toHaveLength(2)
    expect(told[0]?.[1]).toBe(40)
    expect(told[1]?.[0]).toBeGreaterThan(told[0]?.[0] as number)
    expect(turns).toBeGreaterThan(0)
  })

  test('into one archive holds the same files', async () => {
    const session = await openRollouts(5)
    const request = { as: 'source', indices: [4, 0, 2, 2], why: 'test' } as const
    const files = await exportRollouts(session, request)
    const archives = [
      await exportRollouts(session, { ...request, zip: 'run.zip' }),
      await exportRollouts(session, { ...request, zip: 'run.zip' }),
    ]
    expect(archives[0]?.map(({ name }) => name)).toEqual(['run.zip'])
    expect(archives[1]).toEqual(archives[0])
    expect(unzipSync(archives[0]![0]!.bytes)).toEqual(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])))
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
        trajectory: `line\nbreak ${record}`,
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
