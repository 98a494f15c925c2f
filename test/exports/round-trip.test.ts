import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { ExportId } from '../../shared/exports/export-kind.ts'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { Session } from '../../shared/session/session.ts'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { FIXTURES, fixtureNames, isText } from '../formats/fixture-files.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'
import { exportRollouts } from './in-memory.ts'

/** Every session reads the tokenizer anew; parsing it once is enough here. */
const host = { ...nodeHost(1), bundledTokenizers: (id: BundledTokenizerId) => testTokenizerFiles(id) }

async function open(name: string, bytes: Uint8Array): Promise<Session> {
  const session = await Session.open([new MemorySource(name, bytes)], { tokenizer: 'qwen2.5' }, host)
  await session.done
  return session
}

async function exported(session: Session, as: ExportId, indices = session.facts.map((_, index) => index)) {
  const files = await exportRollouts(session, { as, indices, why: 'test' })
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.at(-1)!.bytes))
  return { files: files.slice(0, -1), manifest }
}

async function trajectories(session: Session) {
  return Promise.all(session.facts.map(async (_, index) => (await session.load(index)).trajectory))
}

/** A record's lines as the file holds them, without those that could not be read. */
function goodLines(session: Session, bytes: Uint8Array): string {
  const skipped = new Set(session.report().sources[0]!.skipped.map(({ record }) => record))
  const lines = new TextDecoder()
    .decode(bytes)
    .replace(/\r/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines
    .filter((_, record) => !skipped.has(record))
    .map((line) => `${line.trim()}\n`)
    .join('')
}

/** What drift tells of a stream that some records have and others lack. */
const IN_SOME = /^no | in no more than \d/

describe.each(fixtureNames)('%s', (name) => {
  const bytes = readFileSync(new URL(name, FIXTURES))
  let session: Session
  beforeAll(async () => {
    session = await open(name, bytes)
  })

  test.runIf(isText(name))('as source: its own lines, read again the same', async () => {
    const { files, manifest } = await exported(session, 'source')
    expect(files).toHaveLength(1)
    const text = new TextDecoder().decode(files[0]!.bytes)
    if (session.report().sources[0]!.container === 'jsonl') expect(text).toBe(goodLines(session, bytes))
    const again = await open('again', files[0]!.bytes)
    expect(again.report().sources[0]!.format?.id).toBe(session.report().sources[0]!.format?.id)
    expect(again.facts.map(({ recordHash, place }) => [recordHash, place.part])).toEqual(
      session.facts.map(({ recordHash, place }) => [recordHash, place.part]),
    )
    expect(manifest.trajectories).toHaveLength(session.facts.length)
    expect(manifest.sources[0]!.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test.runIf(isText(name))('as source through gzip: the same bytes', async () => {
    const plain = await exported(session, 'source')
    const packed = await exported(await open(name, gzipSync(bytes)), 'source')
    expect(packed.files).toEqual(plain.files)
  })

  test.each(['native', 'parquet'] as const)('as %s: the same tokens, masks, numbers and words', async (as) => {
    const { files, manifest } = await exported(session, as)
    const again = await open('again', files[0]!.bytes)
    const all = await trajectories(session)
    const kept = all.flatMap((source, index) => (source.ids === null && source.messages === null ? [] : [index]))
    const after = await trajectories(again)
    if (kept.length === 0) {
      // Counts alone are no rollout that could be read again.
      expect(manifest.notes.join()).toContain(`${all.length} rollouts with neither token ids nor messages: left out.`)
      expect(manifest.files[0]!.records).toBe(0)
      return
    }
    expect(again.report().sources[0]).toMatchObject({ format: { id: 'native', confidence: 1 }, skipped: [] })
    // What some records lack and others have is as it was; of the format nothing is unlike.
    expect(again.report().sources[0]?.drift.filter((line) => !IN_SOME.test(line))).toEqual([])
    expect(after).toHaveLength(kept.length)
    expect(manifest.notes.join().includes('left out')).toBe(kept.length < all.length)
    for (const [at, index] of kept.entries()) {
      const source = all[index]!
      const copy = after[at]!
      const mask = (await session.load(index)).view?.mask ?? source.mask
      expect(copy.mask).toEqual(mask)
      if (!source.excluded) expect(copy.weights).toEqual(source.weights)
      expect({ ...copy, group: null, groupSize: null }).toMatchObject({
        id: source.id,
        ids: source.ids,
        sampled: source.sampled,
        logprobs: source.logprobs,
        advantage: source.advantage,
        advantages: source.advantages,
        reward: source.reward,
        rewards: source.rewards,
        messages: source.messages,
        tools: source.tools,
        documents: source.documents,
        answer: source.answer,
        finishReason: source.finishReason,
        isTruncated: source.isTruncated,
        promptLength: source.promptLength,
        step: source.step,
      })
      expect(copy.group).toBe(session.facts[index]!.group)
    }
  })

  test('as tables: a row for each rollout, whatever it holds', async () => {
    const { files, manifest } = await exported(session, 'csv')
    expect(files.map(({ name: file }) => file)).toEqual(['rollouts.csv', 'findings.csv'])
    expect(manifest.files[0]!.records).toBe(session.facts.length)
  })
})

describe('what was chosen', () => {
  test('as parquet a step that is no whole number costs nothing else, and the manifest says so', async () => {
    const rows = [{ step: 1.5 }, { step: 3 }, {}].map((row) => ({ ...row, input_ids: [1, 2], loss_mask: [0, 1] }))
    const session = await open('dump.jsonl', Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')))
    const { files, manifest } = await exported(session, 'parquet')
    expect((await trajectories(await open('again', files[0]!.bytes))).map(({ step }) => step)).toEqual([null, 3, null])
    expect(manifest.notes).toEqual([
      'The step of 1 rollout is no whole number, which its column cannot hold: empty here. --as native keeps it.',
    ])
  })

  test('a group record comes whole, and the manifest names the chosen member', async () => {
    const name = fixtureNames.find((fixture) => fixture.startsWith('atropos'))!
    const session = await open(name, readFileSync(new URL(name, FIXTURES)))
    const chosen = session.facts.findIndex(({ place }) => place.part === 1)
    const { files, manifest } = await exported(session, 'source', [chosen])
    const { place } = session.facts[chosen]!
    const again = await open('again', files[0]!.bytes)
    expect(again.facts.length).toBe(session.facts.filter((row) => row.place.record === place.record).length)
    expect(manifest.trajectories).toMatchObject([{ record: place.record, part: 1 }])
    expect(manifest.files).toMatchObject([{ records: 1, trajectories: 1 }])
    expect(manifest.notes.join()).toContain('exported whole')
  })

  test('order and repeats do not matter', async () => {
    const name = fixtureNames.find((fixture) => fixture.startsWith('nemo-rl'))!
    const session = await open(name, readFileSync(new URL(name, FIXTURES)))
    const last = session.facts.length - 1
    expect(await exported(session, 'native', [last, 0, last])).toEqual(await exported(session, 'native', [0, last]))
  })

  test('nothing, or what is not there, is refused', async () => {
    const name = fixtureNames[0]!
    const session = await open(name, readFileSync(new URL(name, FIXTURES)))
    await expect(exported(session, 'source', [])).rejects.toThrow('nothing to export')
    await expect(exported(session, 'source', [99_999])).rejects.toThrow('There is no rollout 99999')
  })

  test('can be stopped', async () => {
    const name = fixtureNames[0]!
    const session = await open(name, readFileSync(new URL(name, FIXTURES)))
    const signal = AbortSignal.abort(new Error('Stopped.'))
    await expect(exportRollouts(session, { as: 'native', indices: [0], why: '' }, { signal })).rejects.toThrow(
      'Stopped.',
    )
  })
})
