import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { QueryNode } from '../../shared/query/language/ast.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { messagePieces } from '../../shared/query/message-places.ts'
import { MOST_HITS } from '../../shared/query/probe.ts'
import type { SearchRequest, SearchResult } from '../../shared/session/requests/query.ts'
import { RolloutSearch } from '../../shared/session/search/search.ts'
import type { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { countingSlices, memorySource } from '../containers/memory-source.ts'
import { conversation } from '../helpers/conversation.ts'
import { sampleBytes } from '../samples/read-sample.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply, turnsOf } from '../session/dumps.ts'
import { workerHost } from '../session/test-host.ts'

let tokenizer: Tokenizer
let session: Session

/** 0–3 clean, 4 and 5 with a trained tool reply, 6 cut, 7 with text alone, 8 with a reply that the ids do not hold whole. */
function dump(): string {
  const more = (index: number) => ({
    more: { group_id: `q${index >> 1}`, step: 10 + index, reward: index / 8, rewards: { format: index % 2 } },
  })
  const lost = turnsOf(tokenizer, 8, { tool: { text: 'Only the beginning of a reply' } })
  const short = conversation(tokenizer, lost, { id: 'rollout-8', messages: true, ...more(8) })
  const messages = (short.record.messages as { role: string; content: string }[]).map((message) =>
    message.role === 'tool' ? { ...message, content: `${message.content} and Zanzibar` } : message,
  )
  const text = cleanRollout(tokenizer, 7, more(7)).record
  return lines([
    ...[0, 1, 2, 3].map((seed) => cleanRollout(tokenizer, seed, more(seed))),
    ...[4, 5].map((seed) => rolloutWithTrainedReply(tokenizer, seed, more(seed))),
    cutRollout(tokenizer, 6, more(6)),
    { ...short, record: { messages: text.messages, id: 'rollout-7', reward: 1, finish_reason: 'stop' } as never },
    { ...short, record: { ...short.record, messages } as never },
  ])
}

beforeAll(async () => {
  tokenizer = await qwen()
  session = await audited(dump(), { tokenizer: 'qwen2.5' })
})

/** The rollouts as audited, each 400 kB long, whose disk takes 0.3 s for each read from then on. */
async function onSlowDisk(): Promise<Session> {
  const wide = dump()
    .trimEnd()
    .split('\n')
    .map((line) => `{${' '.repeat(400_000)}${line.slice(1)}\n`)
  const source = memorySource(wide.join(''))
  let isSlow = false
  const slow = {
    ...source,
    slice: async (start: number, end: number) => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 300))
      return source.slice(start, end)
    },
  }
  const opened = await audited([slow], { tokenizer: 'qwen2.5' })
  isSlow = true
  return opened
}

async function search(text: string, more: Partial<SearchRequest> = {}, of: Session = session): Promise<SearchResult> {
  const result = await of.search({ text, ...more })
  expect(result.problems).toEqual([])
  expect(result.reading).toBeNull()
  return result
}

const found = async (text: string, more?: Partial<SearchRequest>) => [...(await search(text, more)).indices]

describe('what is kept of rollouts', () => {
  test.each([
    ['', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['finding:M01', [4, 5]],
    ['-finding:M01 has:ids', [0, 1, 2, 3, 6, 8]],
    ['finding:m*', [4, 5]],
    ['severity:error', [4, 5]],
    ['reward>=0.5', [4, 5, 6, 7, 8]],
    ['reward:0..0.25', [0, 1, 2]],
    ['reward:0,1', [0, 7, 8]],
    ['reward!=0 reward<0.3', [1, 2]],
    ['reward.format:1', [1, 3, 5]],
    ['step>=14', [4, 5, 6, 8]],
    ['-step>=14', [0, 1, 2, 3, 7]],
    ['has:step', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['group:q1', [2, 3]],
    ['group:Q*,x', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['group:/[12]$/', [2, 3, 4, 5]],
    ['id:rollout-7', [7]],
    ['id:*-7,*-8', [7, 8]],
    ['end:length', [6]],
    ['end:cut', [6]],
    ['truncated', [6]],
    ['lost:end', [6]],
    ['source:rollouts', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['source:other', []],
    ['group_size<2', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['index:2..3 or record:8', [2, 3, 8]],
    ['turn_tokens>0', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['(reward<0.2 or reward>0.9) -id:rollout-8', [0, 1, 7]],
  ])('%s', async (text, indices) => {
    expect(await found(text)).toEqual(indices)
  })

  test('flags, labels and notes are those that are given', async () => {
    const marks = {
      flagged: [1, 4],
      labels: { 'reward hack': [4], odd: [0, 4] },
      notes: [{ index: 2, text: 'Look at T05' }],
    }
    expect(await found('flag', { marks })).toEqual([1, 4])
    expect(await found('-flag index<3', { marks })).toEqual([0, 2])
    expect(await found('label:"Reward hack"', { marks })).toEqual([4])
    expect(await found('label:*', { marks })).toEqual([0, 4])
    expect(await found('label!=odd', { marks })).toEqual([])
    expect(await found('note:t05', { marks })).toEqual([2])
    expect(await found('flag')).toEqual([])
    expect(await found('', { marks, sort: 'label' })).toEqual([0, 4, 1, 2, 3, 5, 6, 7, 8])
  })

  test('sorted by any field, those without a value last', async () => {
    expect(await found('', { sort: 'reward', descending: true })).toEqual([7, 8, 6, 5, 4, 3, 2, 1, 0])
    expect(await found('', { sort: 'step', descending: true })).toEqual([8, 6, 5, 4, 3, 2, 1, 0, 7])
    expect(await found('', { sort: 'reward.format', descending: true })).toEqual([1, 3, 5, 0, 2, 4, 6, 8, 7])
    expect(await found('index<4', { sort: 'id', descending: true })).toEqual([3, 2, 1, 0])
    await expect(session.search({ text: '', sort: 'colour' })).rejects.toThrow('Rollouts are not sorted by colour.')
  })
})

describe('what stands in messages alone', () => {
  test.each([
    ['role:user "river"', [0]],
    ['role:assistant "it is the Arn"', [2]],
    ['assistant_turn:1 "it is the Arn"', [2]],
    ['assistant_turn:0 "it is the Arn"', []],
    ['part:tool "Document"', []],
  ])('%s, of messages with other names for whose they are', (text, found) => {
    const messages = [
      { role: 'human', content: 'Which river?' },
      { role: 'developer', content: 'Be short.' },
      { role: 'gpt', content: 'It is the Arn.' },
    ]
    const [place, words] = text.split(' "') as [string, string]
    const { root } = parseQuery(place)
    const pieces = messagePieces(messages).filter((piece) => piece.fits(root as QueryNode))
    expect(
      pieces
        .filter((piece) => piece.text.toLowerCase().includes(words.slice(0, -1).toLowerCase()))
        .map(({ message }) => message),
    ).toEqual(found)
  })
})

describe('what stands in rollouts', () => {
  test.each([
    ['"river Arn"', [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((index) => index !== 8)],
    ['"document 3:"', [3]],
    ['"DOCUMENT 3:"', [3]],
    ['/Document [34]:/', [3, 4]],
    ['/document [34]:/', []],
    ['/document [34]:/i', [3, 4]],
    ['part:tool "says document"', []],
    ['part:assistant "says document" index<2', [0, 1]],
    ['turn:4 "says document" index<2', [0, 1]],
    ['assistant_turn:1 "says document" has:ids', []],
    ['-part:assistant "says document" has:ids', []],
    ['(part:tool or part:user) river index<2', [0, 1]],
    ['part:tool -river index<2', []],
    ['state:trained "river Arn"', [4, 5]],
    ['state:trained part:tool', [4, 5]],
    ['part:tool', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['role:tool "river Arn"', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['role:assistant "river Arn"', []],
    ['role!=tool "river Arn"', []],
    ['part:end role:assistant', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['part:end role:tool state:trained', []],
    ['-role:tool part:tool', []],
    ['role:tool part:header', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['role:tool Zanzibar', [8]],
    ['role:user Zanzibar', []],
    ['-part:tool', [7]],
    ['turn>=9', []],
    ['position:0 token:151644', [0, 1, 2, 3, 4, 5, 6, 8]],
    ['position:0 -token:151644', [7]],
    ['Zanzibar', [8]],
    ['part:tool Zanzibar', [8]],
    ['part:user Zanzibar', []],
    ['finding:M01 turn:3', [4, 5]],
    ['finding:M01 turn:2', []],
    ['finding:any turn:3', [4, 5]],
    ['logprob_gap>=0', [0, 1, 2, 3]],
    ['logprob_gap>5', []],
    ['sampler_logprob<0', [0, 1, 2, 3]],
    ['entropy>0', []],
  ])('%s', async (text, indices) => {
    expect(await found(text)).toEqual(indices)
  })

  test('a hit tells its tokens, which spell it', async () => {
    const { indices, hits } = await search('"river Arn"', { sort: 'index', descending: true })
    expect(hits).not.toBeNull()
    for (const [i, index] of indices.entries()) {
      const [start, end] = [hits?.starts[i] as number, hits?.ends[i] as number]
      if (index === 7) {
        expect([start, end, hits?.messages[i]]).toEqual([-1, -1, 3])
        continue
      }
      const { text, textOffsets } = await session.detail(index)
      expect(text.slice(textOffsets[start], textOffsets[end]).trim()).toBe('river Arn')
      expect(hits?.counts[i]).toBe(1)
    }
  })

  test('what is found very often is not counted to its end, and told so', async () => {
    const often = (await search('/[a-z]/')).hits
    expect([often?.counts[0], often?.more[0]]).toEqual([MOST_HITS, 1])
    const once = (await search('"river Arn"')).hits
    expect([once?.counts[0], once?.more[0]]).toEqual([1, 0])
  })

  test('a text that the ids lack is found in the message', async () => {
    const { hits } = await search('Zanzibar')
    expect({ starts: [...(hits?.starts ?? [])], messages: [...(hits?.messages ?? [])] }).toEqual({
      starts: [-1],
      messages: [3],
    })
  })

  test('clauses are counted by themselves, and say what they ask', async () => {
    const { clauses, sentence } = await search('finding:M01 part:tool "river Arn"')
    expect(clauses.map(({ says, count, of }) => [says, count, of])).toEqual([
      ['there is a finding of M01', 2, 9],
      ['tokens whose part is tool', null, 0],
      ['the text "river Arn" is found in tokens whose part is tool', 2, 2],
    ])
    expect(sentence).toBe(
      'Rollouts where there is a finding of M01 and the text "river Arn" is found in tokens whose part is tool.',
    )
  })

  test('the codes of what is found are counted', async () => {
    expect((await search('reward>=0.5')).findings).toMatchObject({ M01: 2 })
  })
})

describe('reading again', () => {
  test('nothing is read for clauses that facts answer, and each clause once', async () => {
    const { source, slices } = countingSlices(memorySource(dump()))
    const opened = await audited([source], { tokenizer: 'qwen2.5' })
    const before = slices()
    await search('finding:M01 reward>0', {}, opened)
    expect(slices()).toBe(before)
    await search('"river Arn" index<2', {}, opened)
    const once = slices()
    expect(once).toBeGreaterThan(before)
    await search('reward>=0 "river Arn" index<2', {}, opened)
    expect(slices()).toBe(once)
  })

  test('workers find what one thread finds, tell of it on the way, and are let go', async () => {
    const many = Array.from({ length: 9 }, () => dump()).join('')
    // Room without meaning: above what is searched in one thread.
    const large = `${many}{${' '.repeat(9 << 20)}"messages": [{"role": "user", "content": "nothing"}]}\n`
    const { host, log } = workerHost(2)
    const shared = await audited(large, { tokenizer: 'qwen2.5' }, host)
    const ended = log.terminated
    const told: SearchResult[] = []
    const result = await shared.search({ text: '"river Arn" part:tool' }, { tell: (partial) => told.push(partial) })
    expect(result.indices.length).toBe(9 * 8)
    expect(log.spawned).toBe(4)
    expect(log.terminated).toBe(ended + 2)
    for (const { reading } of told) expect(reading?.of).toBe(result.total)
  })

  test('what was found so far is told while a slow disk is read', async () => {
    const opened = await onSlowDisk()
    const told: SearchResult[] = []
    const result = await opened.search(
      { text: 'river', sort: 'index', descending: true },
      { tell: (now) => told.push(now) },
    )
    expect(told.length).toBeGreaterThan(0)
    expect(told[0]?.reading?.done).toBeLessThan(9)
    expect(told[0]?.indices.length).toBeLessThan(9)
    for (const { indices, reading, clauses } of told) {
      expect(reading?.of).toBe(9)
      expect(clauses[0]).toMatchObject({ count: indices.length, of: reading?.done })
      expect([...indices]).toEqual([...indices].sort((a, b) => b - a))
    }
    expect([...result.indices]).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
  })

  test('what one search is looking for is not forgotten for another one that looks for much', async () => {
    const fresh = await audited(dump(), { tokenizer: 'qwen2.5' })
    const many = Array.from({ length: 20 }, (_, n) => `"nowhere ${n}"`).join(' OR ')
    const [one, other] = await Promise.all([search('"hills of Teal"', {}, fresh), search(many, {}, fresh)])
    expect([...one.indices]).toEqual(await found('"hills of Teal"'))
    expect(one.indices.length).toBeGreaterThan(0)
    expect([...other.indices]).toEqual([])
  })

  test('a search that is stopped says so, and what it found is kept', async () => {
    const opened = await audited(dump(), { tokenizer: 'qwen2.5' })
    const stop = new AbortController()
    const searching = opened.search({ text: 'river' }, { signal: stop.signal })
    stop.abort(new Error('Stopped.'))
    await expect(searching).rejects.toThrow('Stopped.')
    expect((await opened.search({ text: 'river' })).indices.length).toBe(9)
  })

  test('a search that goes on counts what was looked into before, as its terms do', async () => {
    const opened = await onSlowDisk()
    const stop = new AbortController()
    let before = 0
    const tell = ({ reading }: SearchResult) => {
      before = reading?.done ?? 0
      if (before > 0) stop.abort(new Error('Stopped.'))
    }
    await expect(opened.search({ text: 'river' }, { signal: stop.signal, tell })).rejects.toThrow('Stopped.')
    expect(before).toBeGreaterThan(0)
    const told: SearchResult[] = []
    await opened.search({ text: 'river' }, { tell: (now) => told.push(now) })
    expect(told[0]?.reading?.done).toBeGreaterThanOrEqual(before)
    for (const { reading, clauses } of told) {
      expect(reading?.of).toBe(9)
      expect(clauses[0]?.of).toBe(reading?.done)
    }
  })

  test('a file that changed is told, and costs nothing else', async () => {
    const source = memorySource(dump())
    let isOther = false
    const changing = {
      ...source,
      slice: async (start: number, end: number) => {
        const bytes = (await source.slice(start, end)).slice()
        if (isOther) for (const [i, byte] of bytes.entries()) if (byte === 0x35) bytes[i] = 0x36
        return bytes
      },
    }
    const opened = await audited([changing], { tokenizer: 'qwen2.5' })
    isOther = true
    const { indices, notes } = await search('river', {}, opened)
    expect(indices.length).toBeLessThan(9)
    expect(notes.join()).toContain('could not be read again')
  })

  test('what was found stays found where a run that grows is put together anew', async () => {
    const { source, slices } = countingSlices(memorySource(dump()))
    const grown = await audited([source], { tokenizer: 'qwen2.5' })
    const all = grown.facts
    // biome-ignore lint/complexity/useLiteralKeys: what a session lends its search is nobody else's
    const origin = Object.create(grown['searchOrigin'](), { facts: { get: () => facts, enumerable: true } })
    let facts = all.slice(2, 6)
    const search = new RolloutSearch(origin)
    expect([...(await search.search({ text: '"document 4:"' })).indices]).toEqual([2])
    const before = slices()
    facts = [...all.slice(2, 6)].reverse()
    expect([...(await search.search({ text: '"document 4:"' })).indices]).toEqual([1])
    expect(slices()).toBe(before)
    facts = [...all]
    expect([...(await search.search({ text: '"document 4:"' })).indices]).toEqual([4])
    expect(slices()).toBeGreaterThan(before)
  })

  test('ids that no tokenizer spells are said to be searched in messages alone', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => 900_000 + i * 7)
    const messages = [{ role: 'user', content: 'Where is Zanzibar?' }]
    const opened = await audited(`${JSON.stringify({ input_ids: ids, loss_mask: ids.map(() => 1), messages })}\n`)
    const { indices, notes } = await search('Zanzibar', {}, opened)
    expect([...indices]).toEqual([0])
    expect(notes.join()).toContain('No tokenizer is known for')
    expect((await search('tokens>3', {}, opened)).notes).toEqual([])
  })

  test('a finish reason that names a limit points to the rollouts that were cut with another one', async () => {
    const opened = await audited(gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8'))
    const { indices, notes } = await search('end:length', {}, opened)
    expect(indices).toHaveLength(7)
    expect(notes).toEqual([expect.stringMatching(/^23 more rollouts were cut, .*end:cut finds all/)])
    expect((await search('end:cut', {}, opened)).indices).toHaveLength(30)
    for (const other of ['end:cut', 'end:length,cut', 'end:stop', 'end!=length', '-end:length', 'tokens>3']) {
      expect((await search(other, {}, opened)).notes).toEqual([])
    }
  })

  test('a query that cannot be read is not run', async () => {
    const result = await session.search({ text: 'rewrd>1' })
    expect(result.problems).toHaveLength(1)
    expect(result.indices).toHaveLength(0)
  })
})
