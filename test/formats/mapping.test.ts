import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { JsonValue, RawRecord } from '../../shared/containers/container.ts'
import { mappedRecords, mappingOf, mappingText } from '../../shared/formats/mapping.ts'
import { pathsOf } from '../../shared/formats/mapping-paths.ts'
import { proposeMapping } from '../../shared/formats/propose-mapping.ts'
import { Session } from '../../shared/session/session.ts'
import { IDS, MASK, opened, ROW } from './mapped-rows.ts'

describe('--map', () => {
  const map = mappingOf([
    'input_ids=sample.toks',
    'loss_mask=sample.lossm',
    'logprobs.sampler=sample.old_logps',
    'group_id=problem_id',
    'reward=final_reward',
  ])

  test('reads records of no known format as the native ones', async () => {
    const session = await opened([ROW, { ...ROW, sample: { ...ROW.sample, toks: 'gone' } }, ROW], map)
    const [source] = session.report().sources
    expect(source).toMatchObject({
      format: { id: 'native', confidence: 1, evidence: [`the mapping that was given: ${mappingText(map)}`] },
      trajectories: 2,
    })
    expect(source?.skipped).toMatchObject([{ record: 1, code: 'bad-type' }])
    const { trajectory } = await session.load(0)
    expect(Array.from(trajectory.ids ?? [])).toEqual(IDS)
    expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
    expect(trajectory).toMatchObject({ group: 'p1', reward: 0.5, meta: { env: 'wiki' } })
    expect(trajectory.logprobs.sampler?.[3]).toBe(-0.5)
  })

  test('says of a path at which nothing stands in how many records that is so', async () => {
    const wrong = mappingOf(['input_ids=sample.toks', 'loss_mask=sample.lossmask', 'logprobs.sampler=sample.old_logps'])
    const [source] = (await opened([ROW, ROW], wrong)).report().sources
    expect(source?.drift).toEqual([
      'loss_mask is mapped to sample.lossmask, where nothing stands in 2 records',
      'unknown field `sample.lossm` in 2 records',
    ])
    expect((await opened([ROW, ROW], map)).report().sources[0]?.drift).toEqual([])
  })

  test('keeps what no field takes beside the rollout, and names lists of a number for each token', async () => {
    const record = {
      sample: { ...ROW.sample, seed: 7, inner: { lp: MASK.map(() => -1), lp_completion: [-1, -1, -1, -1, -1] } },
      q: { toks: IDS.slice(0, 3), template: 'v2' },
      scores: [1, 2],
      names: IDS.map(String),
    }
    const named = mappingOf(['prompt_ids=q.toks', 'completion_ids=sample.toks', 'completion_mask=sample.lossm'])
    const session = await opened([record, record], named)
    expect(session.report().sources[0]?.drift).toEqual([
      'unknown field `sample.inner.lp` in 2 records',
      'unknown field `sample.old_logps` in 2 records',
    ])
    const { trajectory } = await session.load(0)
    expect(Object.keys(trajectory.meta ?? {}).sort()).toEqual(['names', 'q', 'sample', 'scores'])
    expect(trajectory.meta).toMatchObject({ q: { template: 'v2' }, sample: { seed: 7 } })
    expect(trajectory.meta).not.toMatchObject({ sample: { toks: expect.anything() } })
  })

  test('leaves what a trainer wrote to its format', async () => {
    const record = { tokens: [IDS], masks: [MASK.map((flag, i) => (flag ? IDS[i] : -100))], scores: [1] }
    const session = await opened([record], mappingOf(['input_ids=tokens[0]']))
    const [source] = session.report().sources
    expect(source?.format?.id).toBe('atropos')
    expect(source?.notes).toEqual([
      'The mapping that was given (input_ids=tokens[0]) is not used: its records are of a known format, atropos, and are read by that.',
    ])
  })

  test('is for the files whose records it reaches, and leaves others opened with them as they are', async () => {
    const files = {
      'native.jsonl': { input_ids: IDS, loss_mask: MASK },
      'other.jsonl': { rollout: { toks: IDS, lossm: MASK } },
      'mapped.jsonl': ROW,
    }
    const sources = Object.entries(files).map(
      ([name, record]) => new MemorySource(name, Buffer.from(`${JSON.stringify(record)}\n`)),
    )
    const session = await Session.open(sources, { map }, nodeHost(1))
    await session.done
    const { sources: read, totals } = session.report()
    const unused = `The mapping that was given (${mappingText(map)}) is not used: its records are read by their own names, and have nothing there.`
    const notes = new Map(read.map((source) => [source.name, source.notes]))
    expect([...notes]).toEqual(
      expect.arrayContaining([
        ['native.jsonl', [unused]],
        ['mapped.jsonl', undefined],
      ]),
    )
    expect(notes.get('other.jsonl')).toBeUndefined()
    expect(totals.tokens).toMatchObject({ trained: 10, masked: 6 })
    expect(read.find(({ name }) => name === 'native.jsonl')?.format?.evidence).toEqual([
      'keys input_ids, loss_mask',
      `neither token ids nor messages stand where the mapping says (${mappingText(map)})`,
    ])
    expect(session.unreadable).toMatchObject([{ name: 'other.jsonl', code: 'unknown-format' }])
    expect(session.unreadable[0]?.message).toContain('neither token ids nor messages stand where the mapping says')
  })

  describe('of some fields of records that have the others', () => {
    const own = {
      input_ids: IDS,
      loss_mask: MASK.map(() => 1),
      reward: 1,
      train_mask: MASK,
      meta: { r: 0.25, env: 'wiki' },
    }

    test('is used for those, over what stands under their own names', async () => {
      const session = await opened([own, own], mappingOf(['loss_mask=train_mask', 'reward=meta.r']))
      const [source] = session.report().sources
      expect(source).toMatchObject({ format: { id: 'native', version: '1' }, trajectories: 2, drift: [] })
      expect(source?.notes).toBeUndefined()
      expect(source?.format?.evidence).toEqual([
        'keys input_ids, loss_mask',
        'the mapping that was given: loss_mask=train_mask reward=meta.r',
      ])
      const { trajectory } = await session.load(0)
      expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
      expect(trajectory).toMatchObject({ reward: 0.25, meta: { env: 'wiki' }, issues: [] })
    })

    test.each([
      ['ids alone', { input_ids: IDS, train_mask: MASK }, 'loss_mask=train_mask'],
      ['a mask under another name', { input_ids: IDS, action_mask: MASK.map(() => 1), m: MASK }, 'loss_mask=m'],
      ['labels', { input_ids: IDS, labels: IDS, m: MASK }, 'completion_mask=m'],
      [
        'labels that are named',
        { input_ids: IDS, loss_mask: IDS.map(() => 1), l: IDS.map((id, i) => (MASK[i] ? id : -100)) },
        'labels=l',
      ],
      [
        'a mask of another purpose',
        { input_ids: IDS, loss_mask: IDS.map(() => 1), attention_mask: MASK },
        'loss_mask=attention_mask',
      ],
      [
        'an export',
        { schema: 'rollout-inspector.trajectory/1', input_ids: IDS, loss_mask: IDS, m: MASK },
        'loss_mask=m',
      ],
    ])('beside %s', async (_, record, setting) => {
      const session = await opened([record], mappingOf([setting]))
      const { trajectory } = await session.load(0)
      expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
      expect(trajectory.issues).toEqual([])
      expect(Array.from(trajectory.attentionMask ?? [])).toEqual('attention_mask' in record ? MASK : [])
      expect(session.report().sources[0]?.drift).toEqual([])
    })

    test('leaves a stream of the same object as it is', async () => {
      const [a, b] = [MASK.map(() => -1), MASK.map(() => -2)]
      const record = { ...own, logprobs: { sampler: a, trainer: a }, recomputed: b }
      const session = await opened([record], mappingOf(['logprobs.trainer=recomputed']))
      const { logprobs } = (await session.load(0)).trajectory
      expect([logprobs.sampler, logprobs.trainer].map((stream) => Array.from(stream ?? []))).toEqual([a, b])
    })

    test('has nothing where a record has nothing at the path, and says so', async () => {
      const { train_mask: _, ...without } = own
      const session = await opened([own, without], mappingOf(['loss_mask=train_mask']))
      expect(session.report().sources[0]?.drift).toEqual([
        'loss_mask is mapped to train_mask, where nothing stands in 1 of 2 records: record 1 (line 2)',
        'no loss mask in 1 of 2 records: record 1 (line 2)',
      ])
      expect((await session.load(1)).trajectory.mask).toBeNull()
    })

    test('that no record has is not used, which a note says', async () => {
      const session = await opened([own], mappingOf(['loss_mask=trian_mask']))
      expect(session.report().sources[0]?.notes).toEqual([
        'The mapping that was given (loss_mask=trian_mask) is not used: its records are read by their own names, and have nothing there.',
      ])
      expect(Array.from((await session.load(0)).trajectory.mask ?? [])).toEqual(MASK.map(() => 1))
    })
  })

  test.each([
    [['ids=tokens'], /FIELD one of input_ids/],
    [['input_ids'], /FIELD=PATH is needed/],
    [['input_ids=a..b'], /a path is names with dots/],
    [['input_ids=a[x]'], /a path is names with dots/],
    [['input_ids='], /a path is names with dots/],
    [['input_ids=a', 'input_ids=b'], /--map input_ids=b: input_ids is mapped to a already/],
  ])('%j is refused with a sentence', (settings, message) => expect(() => mappingOf(settings)).toThrow(message))

  test('own names of objects are no paths, and whatever stands there nothing is thrown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        proposeMapping([value, { __proto__: { x: 1 }, constructor: value }] as JsonValue[])
      }),
    )
  })
})

test('what a list lacks at its beginning is shown as that, and then what it has', () => {
  const record = { scores: [null, null, -0.5, -0.25], none: [null, null], ids: [5, 6, 7, 8, 9] }
  expect(pathsOf(record).map(({ shown }) => shown)).toEqual([
    '4 numbers: 2 × null, -0.5, -0.25',
    '2 numbers: 2 × null',
    '5 numbers: 5, 6, 7, 8…',
  ])
})

describe('a record that is mapped', () => {
  const mapped = (record: string, ...settings: readonly string[]) => {
    const raw = { value: JSON.parse(record) } as RawRecord
    return mappedRecords([raw], mappingOf(settings))[0]?.value
  }

  test('gives nothing that all objects have', () => {
    const settings = ['id=constructor.name', 'model=toString', 'rewards=__proto__', 'input_ids=a.__proto__']
    expect(mapped('{"a": {}}', ...settings)).toEqual({})
  })

  test('keeps names that mean something to a program as names', () => {
    const record =
      '{"toks": [1], "__proto__": {"x": 1}, "run": {"id": "a", "constructor": 2, "__proto__": {"y": 3, "z": 4}}}'
    const value = mapped(record, 'input_ids=toks', 'id=run.id', 'step=run.__proto__.y')
    expect(JSON.stringify(value)).toBe(
      '{"input_ids":[1],"id":"a","step":3,"meta":{"__proto__":{"x":1},"run":{"constructor":2,"__proto__":{"z":4}}}}',
    )
  })

  test('keeps an object of the native format together that several fields fill', () => {
    const value = mapped('{"p": [1], "q": [2], "r": [3]}', 'logprobs.sampler=p', 'logprobs.trainer=q', 'reward=r[0]')
    expect(value).toEqual({ reward: 3, logprobs: { sampler: [1], trainer: [2] } })
  })
})
