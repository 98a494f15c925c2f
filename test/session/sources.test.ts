import { beforeAll, describe, expect, it } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { dumpHash } from '../../shared/session/hashes.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost } from './test-host.ts'

let tokenizer: Tokenizer
let good: string
beforeAll(async () => {
  tokenizer = await qwen()
  good = lines([cleanRollout(tokenizer, 1), rolloutWithTrainedReply(tokenizer, 2)])
})

function vanished(name: string, message: string): ByteSource {
  return {
    name,
    size: 100,
    slice: async () => {
      throw new Error(message)
    },
    stream: () => new ReadableStream({ pull: (controller) => controller.error(new Error(message)) }),
  }
}

describe('one object around a list of rollouts', () => {
  const rollouts = () =>
    good
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
  const reportOf = async (value: unknown, indent = 0) =>
    (await audited([memorySource(JSON.stringify(value, null, indent), 64, 'dump.json')])).report()

  it('is read as its list would be, in any layout, and the report says so', async () => {
    const plain = (await audited([memorySource(good, 64, 'dump.json')])).report()
    for (const indent of [0, 2]) {
      const { sources, findings } = await reportOf({ step: 4, rollouts: rollouts() }, indent)
      expect(sources[0]).toMatchObject({
        format: plain.sources[0]!.format,
        records: 2,
        notes: [expect.stringMatching(/list under "rollouts" .* not read \(step\)$/)],
      })
      expect(findings.map(({ code, record, tokens }) => [code, record, tokens])).toEqual(
        plain.findings.map(({ code, record, tokens }) => [code, record, tokens]),
      )
    }
  })

  it('is mapped where its list can be mapped, and stays what it is where the object itself can', async () => {
    const ids = rollouts().map((each) => (each as { input_ids: number[] }).input_ids)
    const inner = await audited([
      memorySource(JSON.stringify({ data: ids.map((toks) => ({ toks, flags: toks.map(() => 1) })) }), 64, 'dump.json'),
    ])
    expect(inner.unreadable[0]?.message).toMatch(/first has the keys toks, flags.*--map input_ids=toks/)
    const outer = await audited([
      memorySource(
        JSON.stringify({
          talk: [
            { role: 'user', content: 'Hi.' },
            { role: 'assistant', content: 'Hello.' },
          ],
        }),
        64,
        'x.json',
      ),
    ])
    expect(outer.unreadable[0]?.message).toMatch(/first has the keys talk.*--map messages=talk/)
  })

  it('stays a log where it is one', async () => {
    const state = {
      log_history: [
        { step: 1, loss: 0.5, reward: 0.1 },
        { step: 2, loss: 0.4, reward: 0.2 },
      ],
      global_step: 2,
    }
    expect((await reportOf(state)).logs).toHaveLength(1)
  })
})

describe('a source that cannot be read', () => {
  it('is listed with a sentence, stands in the report with its reason, and costs its neighbours nothing', async () => {
    const bad = [
      memorySource('', 64, 'empty.jsonl'),
      memorySource(
        Uint8Array.from({ length: 300 }, (_, i) => (i * 37) % 256),
        64,
        'weights.bin',
      ),
      memorySource('{"some": "object"}\n', 64, 'config.jsonl'),
      memorySource('{"input_ids": [1,\n{"loss_mask"\n', 64, 'torn.jsonl'),
      vanished('gone.jsonl', 'no such file'),
      vanished('moved.jsonl', 'moved.jsonl changed while it was being read. Open it again.'),
    ]
    const source = memorySource(good, 64, 'good.jsonl')
    const session = await audited([...bad.slice(0, 3), source, ...bad.slice(3)])
    expect(session.unreadable.map(({ name }) => name)).toEqual(bad.map(({ name }) => name))
    for (const { name, message } of session.unreadable) {
      expect(message, name).toMatch(/\.$/)
      expect(message).toContain(name)
      expect(message).not.toContain('\n')
    }
    expect(session.unreadable.slice(4)).toMatchObject([
      { code: 'read-error', message: expect.stringMatching(/^gone\.jsonl could not be read \(no such file\)\. Check/) },
      { code: 'read-error', message: 'moved.jsonl changed while it was being read. Open it again.' },
    ])
    const report = session.report()
    const { sources, ...rest } = report
    const { sources: alone, ...same } = (await audited([source])).report()
    expect(rest).toEqual(same)
    expect(sources[0]).toEqual(alone[0])
    expect(sources.slice(1)).toEqual(
      session.unreadable.map(({ name, bytes, code, message }) => ({
        name,
        bytes,
        sha256: null,
        container: null,
        format: null,
        records: 0,
        trajectories: 0,
        skipped: [],
        missing: [],
        drift: [],
        unreadable: { code, message },
      })),
    )
    for (const { source } of report.findings) expect(report.sources[source]?.name).toBe('good.jsonl')
  })

  it('alone leaves a report in which nothing is claimed', async () => {
    const session = await audited([memorySource('', 64, 'empty.jsonl')])
    const report = session.report()
    expect(session.facts).toEqual([])
    expect(report.totals).toMatchObject({ trajectories: 0, groups: 0, turns: 0 })
    expect(report.tokenizer).toMatchObject({ id: null, origin: 'none', confidence: 0 })
    expect(report.checks.every(({ status }) => status === 'not-checkable')).toBe(true)
    expect(report.hypotheses.every(({ verdict }) => verdict === 'not-checkable')).toBe(true)
    expect(Object.values(report.totals.by_part).every(({ trained }) => trained === null)).toBe(true)
    expect(report.findings).toEqual([])
    expect([...(await session.search({ text: '' })).indices]).toEqual([])
    expect(session.lengths('sequence').counts).toEqual([])
    await expect(session.detail(0)).rejects.toThrow('There is no rollout 0; 0 have been read.')
  })

  it('is not one whose first records are bad', async () => {
    const session = await audited(`${'{"input_ids": [1,]}\n'.repeat(200)}${good}`)
    expect(session.unreadable).toEqual([])
    expect(session.facts).toHaveLength(2)
    expect(session.report().sources[0]).toMatchObject({ records: 2 })
    expect(session.report().sources[0]?.skipped).toHaveLength(200)
  })

  it('is none at all', async () => {
    const session = await audited([])
    expect(session.report().sources).toEqual([])
    expect(session.isDone).toBe(true)
  })
})

describe('bad records', () => {
  it('are listed with their place, and every other record is there', async () => {
    const [first, second] = good.trimEnd().split('\n') as [string, string]
    const text = `${first}\nnot json\n\n[1, 2]\n${second}\n{"reward": 1}\n${first.slice(0, 90)}`
    const session = await audited(text)
    const { records, skipped } = session.report().sources[0] as { records: number; skipped: readonly unknown[] }
    expect(records).toBe(2)
    expect(skipped).toMatchObject([
      { record: 1, line: 2, byte: first.length + 1, code: 'bad-json' },
      { record: 2, line: 4, code: 'not-an-object' },
      { record: 4, line: 6, code: 'no-tokens' },
      { record: 5, line: 7, code: 'bad-json' },
    ])
    // Records and skipped ones are all there are: blank lines are none.
    expect(records + skipped.length).toBe(6)
    expect(session.facts.map(({ place }) => place.record)).toEqual([0, 3])
  })

  it('may be very many', async () => {
    const session = await audited(good + '0\n'.repeat(400_000))
    expect(session.facts).toHaveLength(2)
    expect(session.report().sources[0]?.skipped).toHaveLength(400_000)
  })

  it('at the end of a gzip file that was cut short', async () => {
    const whole = gzipped(lines(Array.from({ length: 40 }, (_, seed) => cleanRollout(tokenizer, seed))))
    const session = await audited([memorySource(whole.subarray(0, whole.length - 900), 512, 'cut.jsonl.gz')])
    const [source] = session.report().sources
    expect(source?.container).toBe('jsonl+gzip')
    expect(source?.records).toBeGreaterThan(10)
    expect(source?.records).toBeLessThan(40)
    expect(source?.skipped.at(-1)).toMatchObject({ code: 'damaged-gzip' })
    expect((await session.detail(session.facts.length - 1)).text).toContain('It rises in the hills')
  })
})

describe('several sources', () => {
  const textOnly = () =>
    [0, 1].map((i) =>
      JSON.stringify({
        id: `text-${i}`,
        messages: [
          { role: 'user', content: 'Who?' },
          { role: 'assistant', content: 'Nobody.' },
        ],
        reward: i,
        group_id: 'g',
        finish_reason: 'stop',
      }),
    )

  it('of different formats are each read as what they are', async () => {
    const nemo = {
      token_ids: cleanRollout(tokenizer, 5).record.input_ids,
      token_loss_mask: cleanRollout(tokenizer, 5).record.loss_mask,
      sample_loss_mask: 1,
      rewards: 0.5,
    }
    const session = await audited([
      memorySource(JSON.stringify([nemo, nemo]), 64, 'nemo.json'),
      memorySource(good, 64, 'native.jsonl'),
      memorySource(textOnly().join('\n'), 64, 'text.jsonl'),
    ])
    const report = session.report()
    expect(report.sources.map(({ container, format }) => [container, format?.id])).toEqual([
      ['json', 'nemo-rl'],
      ['jsonl', 'native'],
      ['jsonl', 'native'],
    ])
    expect(session.facts.map(({ place: { source, record } }) => [source, record])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ])
    // Streams are missed where they are missing.
    const missing = report.sources.map((source) => source.missing)
    expect(missing[0]).toContain('messages')
    expect(missing[0]).not.toContain('mask')
    expect(missing[1]).not.toContain('messages')
    expect(missing[2]).toEqual(expect.arrayContaining(['ids', 'mask']))
    expect(missing[2]).not.toContain('messages')
    expect(report.totals.trajectories).toBe(6)
    expect(session.boundaries().length).toBeGreaterThan(0)
  })

  it('of text alone have facts, a detail without tokens, and checks that say what they lack', async () => {
    const session = await audited(textOnly().join('\n'))
    const report = session.report()
    expect(report.totals.tokens).toEqual({ total: 0, trained: 0, masked: 0, padding: 0, unknown: 0, lost: 0 })
    expect(report.totals.groups).toBe(1)
    expect(report.tokenizer).toMatchObject({ id: null, origin: 'none', evidence: ['no token ids in this dump'] })
    const m01 = report.checks.find(({ code }) => code === 'M01')
    expect(m01).toMatchObject({ status: 'not-checkable', checked: 0, rate: null, pattern: null })
    expect(m01?.reason).toBe('the dump does not carry token ids, loss mask')
    expect(report.hypotheses.find(({ id }) => id === 'H02')?.missing).toEqual(['ids', 'mask'])
    const detail = await session.detail(1)
    expect(detail).toMatchObject({ ids: null, segmentation: null, text: '', expected: null })
    expect(detail.states).toHaveLength(0)
    expect(detail.textOffsets).toEqual(new Uint32Array(1))
    expect(detail.messages).toHaveLength(2)
    await expect(session.token(1, 0)).rejects.toThrow('Rollout text-1 has no token 0.')
  })

  it('of two tokenizers are framed each with its own', async () => {
    const llama = await testTokenizer('llama3')
    const session = await audited([
      memorySource(lines([1, 2, 3].map((seed) => rolloutWithTrainedReply(llama, seed))), 64, 'llama.jsonl'),
      memorySource(lines([4, 5].map((seed) => rolloutWithTrainedReply(tokenizer, seed))), 64, 'qwen.jsonl'),
    ])
    const report = session.report()
    expect(report.tokenizer.id).toBe('llama3')
    expect(report.tokenizer.evidence.at(-1)).toContain('qwen.jsonl: qwen2.5')
    expect(report.checks.find(({ code }) => code === 'M01')).toMatchObject({ affected: 5, checked: 5 })
    expect((await session.detail(0)).text).toContain('<|start_header_id|>')
    expect((await session.detail(4)).text).toContain('<|im_start|>')
    expect((await session.token(4, 0)).raw).toBe('<|im_start|>')
  })
})

describe('the hash of a dump', () => {
  const host = testHost()
  const hashOf = (sources: readonly ByteSource[]) => dumpHash(sources, host)

  it('is that of its content, whatever its files are called and however they come', async () => {
    const session = await audited([memorySource(good, 64, 'a.jsonl')])
    expect(session.dumpHash).toMatch(/^[0-9a-f]{32}$/)
    expect((await audited([memorySource(good, 3000, 'b.txt')])).dumpHash).toBe(session.dumpHash)
    expect(await hashOf([memorySource(good)])).toBe(session.dumpHash)
  })

  it('differs with the content, the size and the number of files', async () => {
    const large = 'x'.repeat(2 << 20)
    const hashes = await Promise.all([
      hashOf([memorySource(good)]),
      hashOf([memorySource(good.replace('rollout-1', 'rollout-9'))]),
      hashOf([memorySource(good), memorySource(good)]),
      hashOf([]),
      hashOf([memorySource(large)]),
      hashOf([memorySource(`${large}x`)]),
    ])
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('is there for a dump of which one file cannot be read', async () => {
    expect(await hashOf([vanished('a', 'gone'), memorySource(good)])).toMatch(/^[0-9a-f]{32}$/)
  })
})
