import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import { MergeError } from '../../shared/session/merge/part.ts'
import { memorySource } from '../containers/memory-source.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import type { DefectFixture } from '../fixtures/defects/fixture.ts'
import { jsonl } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { cleanDump } from '../planted/dump.ts'
import { FAMILY_NAMES } from '../planted/families.ts'
import { damage } from '../planted/judge.ts'
import { GROUP_PLANTS } from '../planted/plants/groups.ts'
import { MASK_PLANTS } from '../planted/plants/mask.ts'
import { MASK_END_PLANTS } from '../planted/plants/mask-ends.ts'
import { MASK_SHIFT_PLANTS } from '../planted/plants/mask-shifts.ts'
import { PROMPT_CUT_PLANTS } from '../planted/plants/prompt-cuts.ts'
import { TRUNCATION_PLANTS } from '../planted/plants/truncation.ts'
import { again, randomFor, SEED } from '../planted/seed.ts'
import { paddingFor, WRITERS } from '../planted/writers/registry.ts'
import { sampleBytes } from '../samples/read-sample.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { cutAt, filesOf, merge, reportOf, written } from './merge-shards.ts'
import { testHost } from './test-host.ts'

const checks = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9]*.ts', { eager: true, import: 'default' })
const defects = import.meta.glob<DefectFixture>('../fixtures/defects/[A-Z][0-9]*.ts', {
  eager: true,
  import: 'default',
})
const nameOf = (path: string) => (path.split('/').at(-1) as string).replace('.ts', '')

/** The dump of every fixture that trips a check or shows a defect. */
const FIXTURES = [
  ...Object.entries(checks).map(([path, { trips }]) => ({ name: nameOf(path), dump: trips })),
  ...Object.entries(defects).map(([path, { shows }]) => ({ name: `${nameOf(path)} (defect)`, dump: shows })),
]

/** Every division is audited anew: what takes seconds may take a minute beside other tests. */
const LONG = 120_000

const SAMPLES = ['clean-gsm8k', 'clean-qwen3-thinking', 'verifiers-2025-07-llama', 'verifiers-2025-08']

/** Merges reports of consecutive files, cut at these places, and then those that come out, cut again. */
async function mergedFrom(files: readonly ByteSource[], rounds: readonly (readonly number[])[], options: AuditOptions) {
  const [places = [], ...later] = rounds
  const shards = cutAt(files, places).filter((shard) => shard.length > 0)
  let reports: string[] = []
  for (const shard of shards) reports.push(await reportOf(shard, options))
  for (const again of [...later, []]) {
    const sets = cutAt(reports, again).filter((set) => set.length > 0)
    reports = sets.map((set) => written(merge(set).report))
  }
  return reports[0]
}

/** How files are divided into parts, and those into parts of parts. */
const rounds = (files: number) => {
  const places = fc.array(fc.integer({ min: 0, max: files }), { minLength: 1, maxLength: 5 })
  return fc.array(places, { minLength: 1, maxLength: 2 })
}

/** @returns how many divisions were merged: none that may be refused */
async function sameAsAtOnce(
  files: readonly ByteSource[],
  options: AuditOptions = {},
  { numRuns = 2, mayDiffer = false } = {},
): Promise<number> {
  const whole = await reportOf(files, options)
  let merged = 0
  await fc.assert(
    fc.asyncProperty(rounds(files.length), async (cuts) => {
      const report = await mergedFrom(files, cuts, options).catch((error: unknown) => {
        if (mayDiffer && isDecidedOtherwise(error)) return null
        throw error
      })
      if (report === null) return
      expect(report).toBe(whole)
      merged++
    }),
    { numRuns, seed: SEED },
  )
  return merged
}

/** A part of a few rollouts may have been read in another way than all are, of which merging says so (decision 5). */
function isDecidedOtherwise(error: unknown): boolean {
  return error instanceof MergeError && / was read with .+; all reports together speak for /.test(error.message)
}

describe('reports of parts, merged, are the report of all files read at once', () => {
  it.each(FIXTURES)('the fixture of $name, a file for every other row', async ({ dump }) => {
    const text = jsonl(dump.rows(await testTokenizer(dump.family)))
    const options = { tokenizer: dump.family, ...(dump.policy ? { policy: dump.policy } : {}), ...dump.options }
    const files = filesOf('dump', text, 2)
    expect(await mergedFrom(files, [[files.length >> 1]], options)).toBe(await reportOf(files, options))
  })

  it.each(['clean-qwen3-thinking', 'verifiers-2025-08'])(
    'the sample %s',
    async (name) => void (await sameAsAtOnce(filesOf(name, gunzipSync(sampleBytes(name)).toString(), 7))),
    LONG,
  )

  it(
    'all samples, in several formats and families, each a part',
    async () => {
      const files = SAMPLES.map((name) => memorySource(sampleBytes(name), 1 << 16, `${name}.jsonl.gz`))
      await sameAsAtOnce(files)
    },
    LONG,
  )

  const plants = [
    ...GROUP_PLANTS,
    ...MASK_PLANTS,
    ...MASK_SHIFT_PLANTS,
    ...MASK_END_PLANTS,
    ...PROMPT_CUT_PLANTS,
    ...TRUNCATION_PLANTS,
  ]
  let merged = 0
  afterAll(() => expect(merged).toBeGreaterThan(WRITERS.length))
  it.each(WRITERS)(
    'a planted dump of $format',
    async (writer) => {
      const random = randomFor('merge', writer.format)
      const family = random.pick(FAMILY_NAMES)
      const fits = plants.filter(
        ({ needs, notIn = [], families = FAMILY_NAMES, plan, options }) =>
          families.includes(family) &&
          needs.every((each) => (writer.carries as ReadonlySet<string>).has(each)) &&
          !(notIn as readonly string[]).includes(writer.format) &&
          plan?.padding === undefined &&
          options === undefined,
      )
      const padding = paddingFor(writer.format, random)
      const files: ByteSource[] = []
      for (const plant of random.shuffle(fits).slice(0, 3)) {
        const name = `merge ${plant.code} ${writer.format}`
        const clean = await cleanDump(name, family, { groups: 3, ...plant.plan, padding })
        const damaged = damage(clean, plant, {
          family: clean.family,
          format: writer.format,
          pattern: 'sporadic',
          random,
        })
        const { text } = writer.write(damaged.dump)
        files.push(...filesOf(`${plant.code} ${plant.title}`, text, 3))
      }
      const { options } = writer.write(await cleanDump('merge options', family, { groups: 1 }))
      try {
        merged += await sameAsAtOnce(files, options, { mayDiffer: true })
      } catch (error) {
        throw new Error(again(`${family}, ${files.map(({ name }) => name).join(', ')}`, 0), { cause: error })
      }
    },
    LONG,
  )

  it('files that are bad in part, of no format, empty, or nothing at all', async () => {
    const tokenizer = await qwen()
    const good = (seed: number) => lines([rolloutWithTrainedReply(tokenizer, seed), cleanRollout(tokenizer, seed + 1)])
    const files = [
      memorySource(`${good(1)}{"input_ids": [1, 2\n${good(3)}`, 1 << 16, 'torn.jsonl'),
      memorySource('Dear diary,\n', 1 << 16, 'notes.txt'),
      memorySource('', 1 << 16, 'empty.jsonl'),
      memorySource(good(5), 1 << 16, 'good.jsonl'),
      memorySource('{"a": 1}\n', 1 << 16, 'unknown.jsonl'),
      memorySource(`${good(7)}not json\n`, 1 << 16, 'end.jsonl'),
      memorySource('{"input_ids": [', 1 << 16, 'nothing.jsonl'),
    ]
    await sameAsAtOnce(files, {}, { numRuns: 8 })
    // Each file alone; of three of them there is nothing but the reason.
    const alone = files.slice(1).map((_, index) => index + 1)
    expect(await mergedFrom(files, [alone], {})).toBe(await reportOf(files))
  })

  it('a list of findings that is cut short, in the parts and in the whole', async () => {
    const tokenizer = await qwen()
    const rollouts = Array.from({ length: 24 }, (_, seed) =>
      rolloutWithTrainedReply(tokenizer, seed, { group: `question ${seed >> 2}`, groupSize: 4, reward: 0.5 }),
    )
    for (const maxFindings of [0, 1, 5, 11, 29, 31]) {
      await sameAsAtOnce(filesOf('dump', lines(rollouts), 3), { maxFindings })
    }
  })

  it('what a tokenizer that was named frames no turns of', async () => {
    const llama = await testTokenizer('llama3')
    const rollouts = Array.from({ length: 6 }, (_, seed) => cleanRollout(llama, seed))
    const files = filesOf('other', lines(rollouts), 2)
    const options = { tokenizer: 'qwen2.5' }
    const whole = await reportOf(files, options)
    expect(whole).toContain('the tokenizer frames no turns in the ids')
    expect(whole).not.toContain('does not carry tokenizer')
    expect(await mergedFrom(files, [[1, 2]], options)).toBe(whole)
  })

  it('forty parts of one rollout each, and one part alone', async () => {
    const tokenizer = await qwen()
    const rollouts = Array.from({ length: 40 }, (_, seed) =>
      (seed % 3 === 1 ? rolloutWithTrainedReply : cleanRollout)(tokenizer, seed, {
        group: `question ${seed >> 3}`,
        groupSize: 8,
        reward: (seed % 4) / 3,
      }),
    )
    const files = filesOf('rank', lines(rollouts), 1)
    const whole = await reportOf(files)
    expect(await mergedFrom(files, [files.map((_, index) => index)], {})).toBe(whole)
    expect(await mergedFrom(files, [[]], {})).toBe(whole)
  })

  it('files of whole groups beside more that ask each question once', async () => {
    const tokenizer = await qwen()
    const rollouts = (seeds: number, ofGroup: number) =>
      lines(
        Array.from({ length: seeds }, (_, seed) =>
          cleanRollout(tokenizer, seed, { group: `question ${Math.floor(seed / ofGroup)}`, reward: (seed % 4) / 3 }),
        ),
      )
    const files = [...filesOf('train', rollouts(16, 4), 4), ...filesOf('validation', rollouts(12, 1), 3)]
    const whole = await reportOf(files)
    expect(JSON.parse(whole).aggregates.groups).toMatchObject({ complete: 4 })
    expect(await mergedFrom(files, [[5]], {})).toBe(whole)
    await sameAsAtOnce(files, {}, { numRuns: 3 })
  })

  it('a second run, merged as well', async () => {
    const tokenizer = await qwen()
    const run = (more: object) => lines(Array.from({ length: 12 }, (_, seed) => cleanRollout(tokenizer, seed, more)))
    const here = filesOf('train', run({ reward: 0.2, step: 3 }), 2)
    const there = filesOf('evaluation', run({ reward: 0.8, tools: [] }), 3)
    const second = await audited(there)
    const at = await audited(here, {}, testHost(), { against: second.secondRun() })
    const parts = async (files: readonly ByteSource[]) =>
      Promise.all(cutAt(files, [1, 3]).map((shard) => reportOf(shard)))
    const { report } = merge(await parts(here), await parts(there))
    expect(written(report)).toBe(written(at.mergeableReport()))
    expect(report.hypotheses.find(({ id }) => id === 'H08')?.verdict).not.toBe('not-checkable')
  })
})
