import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { samplerArray } from '../../shared/checks/oracles/provenance-oracle.ts'
import { UnreadableSource } from '../../shared/containers/container.ts'
import { FORMATS } from '../../shared/formats/registry.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { posted } from '../containers/twin.ts'
import { digest } from './digest.ts'
import { FIXTURES, fixtureNames } from './fixture-files.ts'
import { readSource } from './read-source.ts'

test('every format has a fixture', () => {
  const covered = new Set(fixtureNames.map((name) => name.split('/')[0]))
  expect(FORMATS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
})

/** `vitest -u` writes the digests anew. */
describe.each(fixtureNames)('%s', (name) => {
  const bytes = new Uint8Array(readFileSync(new URL(name, FIXTURES)))
  const expectedFormat = name.split('/')[0] as string

  test('is recognised among all formats and read as its digest says', async () => {
    const read = await readSource(memorySource(bytes, 1 << 16, name))
    expect(read.format).toBe(expectedFormat)
    await expect(digest(read)).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.expected.json`, FIXTURES)))
  })

  test('stores logprobs of the sampler under a name by which they are found again', async () => {
    const { trajectories } = await readSource(memorySource(bytes))
    const told = trajectories.filter(({ logprobs, sampled }) => logprobs.sampler !== null && sampled === null)
    expect(told.filter((trajectory) => samplerArray(trajectory) === undefined).map(({ id }) => id)).toEqual([])
  })

  test('reads the same from records that were posted to a worker', async () => {
    const here = digest(await readSource(memorySource(bytes)))
    expect(digest(await readSource(memorySource(bytes), { hand: posted }))).toBe(here)
  })

  test('does not depend on its name, its chunks or gzip', async () => {
    const read = digest(await readSource(memorySource(bytes, 1 << 16, name)))
    expect(digest(await readSource(memorySource(bytes, 1 << 16, 'unknown')))).toBe(read)
    expect(digest(await readSource(memorySource(bytes, 13, 'results.csv')))).toBe(read)
    const inside = digest(await readSource(memorySource(gzipped(bytes), 50, 'unknown')))
    expect(inside).toBe(read.replace(/"container": "(\w+)"/, '"container": "$1+gzip"'))
  })

  test('tells nothing that its format does not list, and every array has the length of the ids', async () => {
    const { trajectories, recognition } = await readSource(memorySource(bytes))
    const { streams } = FORMATS.find(({ id }) => id === expectedFormat)!
    expect(recognition?.evidence.length).toBeGreaterThan(0)
    for (const trajectory of trajectories) {
      if (trajectory.mask !== null) expect(streams).toContain('mask')
      if (trajectory.sampled !== null) expect(streams).toContain('sampled')
      if (trajectory.logprobs.trainer !== null) expect(streams).toContain('logprobs.trainer')
      const perToken = [
        trajectory.mask,
        trajectory.weights,
        trajectory.sampled,
        trajectory.attentionMask,
        trajectory.positionIds,
        trajectory.sequenceIds,
        trajectory.versions,
        trajectory.logprobs.sampler,
        trajectory.logprobs.trainer,
        trajectory.logprobs.reference,
        trajectory.entropy,
        trajectory.kl,
        trajectory.advantages,
      ]
      for (const array of perToken) if (array !== null) expect(array).toHaveLength(trajectory.ids?.length ?? -1)
    }
  })

  test('cut anywhere it is read as far as it goes, or refused in a sentence', async () => {
    const { records: whole } = await readSource(memorySource(bytes))
    const step = Math.max(1, Math.floor(bytes.length / 60))
    for (let length = 0; length < bytes.length; length += step) {
      try {
        const { records } = await readSource(memorySource(bytes.slice(0, length)))
        expect(records).toBeLessThanOrEqual(whole)
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableSource)
      }
    }
  })
})
