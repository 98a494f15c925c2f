import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { FollowedFile } from '../../shared/session/following/followed-file.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, qwen } from './dumps.ts'
import { atOnce, type FileThen, followed, growing, pairedRollouts } from './followed.ts'

let rollouts: string[]

beforeAll(async () => {
  rollouts = await pairedRollouts(90)
})

const encode = (text: string) => new TextEncoder().encode(text)

/** Lines of two files that hold parts of the same rollouts. */
function joinable(length: number): [generated: string[], trained: string[]] {
  const ids = (index: number) => [1, 2, 3, index]
  const whole = { response_length: 2, loss_mask: [1, 1], status: 'completed', reward: 1, group_index: 0 }
  const generated = Array.from(
    { length },
    (_, index) => `${JSON.stringify({ rollout_id: 5, samples: [{ ...whole, index, tokens: ids(index) }] })}\n`,
  )
  const row = { response_lengths: 2, total_lengths: 4, loss_masks: [1, 1], advantages: [0.5, 0.5], truncated: 0 }
  const trained = Array.from({ length }, (_, index) => {
    const samples = [{ ...row, sample_index: index, tokens: ids(index) }]
    return `${JSON.stringify({ format_version: 2, rollout_id: 5, rank: 0, samples, dp_shards: [] })}\n`
  })
  return [generated, trained]
}

describe('a file that grows', () => {
  test('gives what reading it at once gives, wherever it is cut', async () => {
    const whole = encode(rollouts.slice(0, 12).join(''))
    const expected = await atOnce([{ name: 'run.jsonl', bytes: whole }])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 6 }), async (cuts) => {
        const sizes = cuts.sort((a, b) => a - b)
        expect((await followed(growing(whole, sizes))).report).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  })

  test('gives the same where only what is added is read', async () => {
    const whole = encode(rollouts.join(''))
    const settled = encode(rollouts.slice(0, 65).join('')).length
    const expected = await atOnce([{ name: 'run.jsonl', bytes: whole }])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: settled, max: whole.length }), { maxLength: 8 }), async (cuts) => {
        const sizes = cuts.sort((a, b) => a - b)
        expect((await followed(growing(whole, sizes))).report).toEqual(expected)
      }),
      { numRuns: 6 },
    )
  })

  test('is read on where reading stopped once its first records are there', async () => {
    const whole = encode(rollouts.join(''))
    const sizes = Array.from({ length: 12 }, (_, i) => encode(rollouts.slice(0, 66 + 2 * i).join('')).length)
    const { report, read } = await followed(growing(whole, sizes))
    expect(report).toEqual(await atOnce([{ name: 'run.jsonl', bytes: whole }]))
    const [once] = [(await followed(growing(whole, []))).read.get('run.jsonl') as number]
    // What is looked at again is short: the first and last bytes that were read.
    expect(read.get('run.jsonl') as number).toBeLessThan(once + 13 * 3 * (8 << 10))
  })

  test('has half a line that is not read before it is whole', async () => {
    const whole = encode(rollouts.slice(0, 3).join(''))
    const cut = whole.subarray(0, whole.length - 40)
    const half = cut.length - encode(rollouts.slice(0, 2).join('')).length
    const { report, notices } = await followed(growing(cut, [whole.length >> 1]))
    expect(report.sources[0]).toMatchObject({ records: 2, skipped: [], sha256: null })
    expect(notices).toEqual([
      `run.jsonl ends within a record: its last ${half.toLocaleString('en')} bytes are no whole one and were not read.`,
    ])
  })

  test('may end without an end of line', async () => {
    const bytes = encode(rollouts.slice(0, 3).join('').trimEnd())
    const { report, notices } = await followed(growing(bytes, [bytes.length - 9]))
    expect(report).toEqual(await atOnce([{ name: 'run.jsonl', bytes }]))
    expect(notices).toEqual([])
  })

  test('is judged anew where later records decide otherwise', async () => {
    const tokenizer = await qwen()
    const target = Array.from({ length: 20 }, (_, seed) => {
      const { record } = cleanRollout(tokenizer, seed)
      const mask = record.loss_mask as number[]
      return `${JSON.stringify({ ...record, sampled: undefined, logprobs: undefined, loss_mask: seed === 0 ? mask.map(() => 0) : [...mask.slice(1), 0] })}\n`
    })
    const whole = encode(target.join(''))
    const expected = await atOnce([{ name: 'run.jsonl', bytes: whole }])
    const first = encode(target[0] as string).length
    const { report } = await followed(growing(whole, [first, first + 10]))
    expect(report).toEqual(expected)
  })
})

describe('a run of several files', () => {
  test('gives what reading them at once gives, whatever comes first', async () => {
    const [a, b] = [encode(rollouts.slice(0, 10).join('')), encode(rollouts.slice(10, 22).join(''))]
    const files = (x: number, y: number): FileThen[] => [
      ...(x > 0 ? [{ name: 'step_1.jsonl', bytes: a.subarray(0, x) }] : []),
      ...(y > 0 ? [{ name: 'step_2.jsonl', bytes: b.subarray(0, y) }] : []),
    ]
    const expected = await atOnce(files(a.length, b.length))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(a.length), fc.nat(b.length)), { maxLength: 5 }), async (cuts) => {
        const xs = cuts.map(([x]) => x).sort((p, q) => p - q)
        const ys = cuts.map(([, y]) => y).sort((p, q) => p - q)
        const moments = [...xs.map((x, i) => files(x, ys[i] as number)), files(a.length, b.length)]
        expect((await followed(moments)).report).toEqual(expected)
      }),
      { numRuns: 12 },
    )
  })

  test('joins files that hold parts of the same rollouts, whichever is written first', async () => {
    const [generated, trained] = joinable(70)
    const files = (a: number, b: number): FileThen[] => [
      { name: 'rollouts.jsonl', bytes: generated.slice(0, a).join('') },
      { name: 'train.jsonl', bytes: trained.slice(0, b).join('') },
    ]
    const expected = await atOnce(files(70, 70))
    expect(expected.sources[0]?.joined).toMatchObject([{ matched: 70, of: 70 }])
    const moments = [files(3, 0), files(66, 2), files(67, 66), files(70, 67), files(70, 70)]
    expect((await followed(moments)).report).toEqual(expected)
  })

  test('may hold a description that comes late', async () => {
    const dump = { name: 'rollouts.jsonl', bytes: rollouts.slice(0, 8).join('') }
    const config = {
      name: 'config.json',
      bytes: JSON.stringify({ model: { name: 'Qwen/Qwen2.5-7B' }, max_prompt_length: 512 }),
    }
    const { report } = await followed([[dump], [dump], [config, dump]])
    expect(report).toEqual(await atOnce([config, dump]))
  })

  test('may be empty at first', async () => {
    const dump = { name: 'rollouts.jsonl', bytes: rollouts.slice(0, 4).join('') }
    const { report } = await followed([[], [{ ...dump, bytes: '' }], [dump]])
    expect(report).toEqual(await atOnce([dump]))
  })
})

describe('a file that cannot be read on', () => {
  const whole = () => rollouts.slice(0, 12).join('')

  test('is read once nothing is written to it between two looks', async () => {
    const gzip = gzipped(whole())
    const at = (bytes: Uint8Array) => [{ name: 'run.jsonl.gz', bytes, quiet: false }]
    const half = gzip.subarray(0, gzip.length >> 1)
    const { report, notices } = await followed([at(half), at(gzip), at(gzip)])
    expect(report).toEqual(await atOnce(at(gzip)))
    expect(notices).toEqual([])
  })

  test('is read again in place of what it held when it was written anew', async () => {
    const at = (to: number) => [
      { name: 'run.json', bytes: JSON.stringify(rollouts.slice(0, to).map((line) => JSON.parse(line))) },
    ]
    const { report } = await followed([at(4), at(9), at(12)])
    expect(report).toEqual(await atOnce(at(12)))
  })

  test('is a part of the run beside lines that grow', async () => {
    const lines = (to: number) => ({ name: 'b.jsonl', bytes: rollouts.slice(20, to).join('') })
    const zip = { name: 'a.jsonl.gz', bytes: gzipped(whole()) }
    const { report } = await followed([[lines(23)], [zip, lines(25)], [zip, lines(27)]])
    expect(report).toEqual(await atOnce([zip, lines(27)]))
  })

  test('gives the run a name of its own while it cannot be read yet: that of the same file read at once', async () => {
    const hashOf = async (bytes: Uint8Array) => {
      const at = [{ name: 'run.jsonl.gz', bytes, quiet: false }]
      return (await followed([at, at])).session.dumpHash
    }
    const [one, other] = [gzipped(whole()), gzipped(rollouts.slice(20, 30).join(''))]
    const atOnce = await audited([memorySource(one, 1 << 16, 'run.jsonl.gz')])
    expect(await hashOf(one)).toBe(atOnce.dumpHash)
    expect(await hashOf(other)).not.toBe(atOnce.dumpHash)
  })

  test('that stays cut is read as far as it goes in the end', async () => {
    const gzip = gzipped(whole())
    const cut = [{ name: 'run.jsonl.gz', bytes: gzip.subarray(0, gzip.length - 20), quiet: false }]
    expect((await followed([cut, cut])).report).toEqual(await atOnce(cut))
  })
})

describe('a file that something happens to', () => {
  const part = (from: number, to: number) => rollouts.slice(from, to).join('')
  const counted = (report: Awaited<ReturnType<typeof atOnce>>) =>
    report.sources.map(({ name, records }) => [name, records])

  test('that is renamed is the same file, read to its end, and the new one another', async () => {
    const old = (name: string, to: number) => ({ name, identity: '1', bytes: part(0, to) })
    const fresh = (to: number) => ({ name: 'run.jsonl', identity: '2', bytes: part(10, to) })
    const { report, notices } = await followed([
      [old('run.jsonl', 4)],
      [fresh(11), old('run.jsonl.1', 6)],
      [fresh(13), old('run.jsonl.1', 6)],
    ])
    expect(report).toEqual(await atOnce([fresh(13), old('run.jsonl.1', 6)]))
    expect(notices).toEqual([])
  })

  test('that is renamed counts once, where its bytes are not compared and its identity alone tells it', async () => {
    const packed = (name: string) => [{ name, identity: '1', bytes: gzipped(part(0, 6)) }]
    const { report } = await followed([packed('run.jsonl.gz'), packed('kept.jsonl.gz')])
    expect(counted(report)).toEqual([['kept.jsonl.gz', 6]])
  })

  test('that is moved aside counts once, also where nothing but its bytes tells it', async () => {
    const stays = (name: string, to: number) => ({ name, identity: null, bytes: part(0, to) })
    const emptied = (from: number, to: number) => ({ name: 'run.jsonl', identity: '1', bytes: part(from, to) })
    const copy = { name: 'run.jsonl.1', identity: '2', bytes: part(0, 6) }
    const fresh = { name: 'run.jsonl', identity: null, bytes: part(10, 13) }
    const ways = {
      renamed: [[stays('run.jsonl', 4)], [fresh, stays('run.jsonl.1', 6)]],
      'renamed, and nothing new yet': [
        [stays('run.jsonl', 4)],
        [stays('run.jsonl.1', 6)],
        [fresh, stays('run.jsonl.1', 6)],
      ],
      'gone for a look': [[stays('run.jsonl', 4)], [], [fresh, stays('run.jsonl.1', 6)]],
      'copied and emptied': [[emptied(0, 4)], [emptied(0, 0), copy], [emptied(10, 13), copy]],
    }
    for (const [way, moments] of Object.entries(ways)) {
      const { report } = await followed(moments)
      expect(counted(report), way).toEqual([
        ['run.jsonl', 3],
        ['run.jsonl.1', 6],
      ])
    }
  })

  test('that is moved aside twice counts once, though each name is still taken', async () => {
    const at = (name: string, from: number, to: number) => ({ name, identity: null, bytes: part(from, to) })
    const { report } = await followed([
      [at('run.jsonl', 10, 16), at('run.jsonl.1', 0, 10)],
      [at('run.jsonl', 16, 20), at('run.jsonl.1', 10, 16), at('run.jsonl.2', 0, 10)],
    ])
    expect(counted(report)).toEqual([
      ['run.jsonl', 4],
      ['run.jsonl.1', 6],
      ['run.jsonl.2', 10],
    ])
  })

  test('that is moved is read where it is now, not where another file took its place', async () => {
    const at = (name: string, text: string) => ({
      source: memorySource(text, 1 << 16, name),
      identity: null,
      stamp: part(0, 4),
      quiet: true,
    })
    const file = new FollowedFile('run.jsonl', null, {})
    const { signal } = new AbortController()
    // A browser reads by name: what is asked of the old place gives what stands there by then.
    const old = at('run.jsonl', part(0, 4))
    let slice = old.source.slice
    await file.examine({ ...old, source: { ...old.source, slice: (from, to) => slice(from, to) } }, false, signal)
    slice = memorySource(part(10, 13), 1 << 16, 'run.jsonl').slice
    await file.examine(at('run.jsonl.1', part(0, 4)), false, signal)
    const moved = file.sources[0]?.open.source
    expect(moved?.name).toBe('run.jsonl.1')
    expect(new TextDecoder().decode(await moved?.slice(0, moved.size))).toBe(part(0, 4))
  })

  test('that is copied and stays where it was counts twice, as its copy does when both are read at once', async () => {
    const at = (name: string, to: number) => ({ name, identity: null, bytes: part(0, to) })
    const { report } = await followed([[at('a.jsonl', 4)], [at('a.jsonl', 6), at('b.jsonl', 4)]])
    expect(counted(report)).toEqual([
      ['a.jsonl', 6],
      ['b.jsonl', 4],
    ])
  })

  test('that is replaced stays counted, and what took its place is read from its start', async () => {
    for (const identity of ['2', null]) {
      const first = { name: 'run.jsonl', identity: identity === null ? null : '1', bytes: part(0, 6) }
      const then = (to: number) => ({ name: 'run.jsonl', identity, bytes: part(20, to) })
      const { report, notices } = await followed([[first], [then(22)], [then(29)]])
      expect(counted(report)).toEqual([
        ['run.jsonl (earlier)', 6],
        ['run.jsonl', 9],
      ])
      expect(notices).toEqual([expect.stringContaining('run.jsonl was replaced by another file.')])
    }
  })

  test('that is truncated and written anew stays counted', async () => {
    const at = (bytes: string) => [{ name: 'run.jsonl', bytes }]
    const { report, notices } = await followed([at(part(0, 5)), at(''), at(part(30, 32)), at(part(30, 40))])
    expect(counted(report)).toEqual([
      ['run.jsonl (earlier)', 5],
      ['run.jsonl', 10],
    ])
    expect(notices).toHaveLength(2)
    expect(report.totals.trajectories).toBe(15)
  })

  test('that was emptied and stays empty is told of once, and again once it was read and emptied anew', async () => {
    const at = (bytes: string) => [{ name: 'run.jsonl', bytes }]
    const empty = Array.from({ length: 4 }, () => at(''))
    const { notices } = await followed([at(part(0, 5)), ...empty, at(part(30, 32)), ...empty, at('')])
    const emptied = 'run.jsonl was emptied; what was read of it stays counted.'
    expect(notices).toEqual([emptied, expect.stringContaining('was replaced'), emptied])
  })

  test('that loses its last records is read again, and no record counts twice', async () => {
    const at = (bytes: string) => [{ name: 'run.jsonl', bytes }]
    const { report, notices } = await followed([at(part(0, 9)), at(part(0, 5)), at(part(0, 5) + part(40, 44))])
    expect(report).toEqual(await atOnce(at(part(0, 5) + part(40, 44))))
    expect(notices).toEqual([expect.stringContaining('begins as before')])
  })

  test('that is removed stays counted', async () => {
    const { report, notices } = await followed([[{ name: 'a.jsonl', bytes: part(0, 5) }], []])
    expect(counted(report)).toEqual([['a.jsonl', 5]])
    expect(notices).toEqual(['a.jsonl is gone. What was read of it stays counted.'])
  })

  test('that is removed has the others read once more at most, however long that is so', async () => {
    const [generated, trained] = joinable(12)
    const files = [
      { name: 'rollouts.jsonl', bytes: generated.join('') },
      { name: 'train.jsonl', bytes: trained.join('') },
    ]
    const other = { name: 'other.jsonl', bytes: part(0, 3) }
    const read = async (looks: number) => {
      const after = await followed([[...files, other], ...Array.from({ length: looks }, () => files)])
      return after.read.get('rollouts.jsonl')
    }
    expect(await read(8)).toBe(await read(2))
  })

  test('that is removed and comes back is joined with the others again', async () => {
    const [generated, trained] = joinable(12)
    const rolloutsFile = { name: 'rollouts.jsonl', bytes: generated.join('') }
    const files = [rolloutsFile, { name: 'train.jsonl', bytes: trained.join('') }]
    const { report } = await followed([files, [rolloutsFile], files, files])
    expect(report).toEqual(await atOnce(files))
  })
})
