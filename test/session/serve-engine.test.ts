import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import type { WatchedFile } from '../../shared/session/following/followed-file.ts'
import type { RequestName, SourceInput } from '../../shared/session/protocol.ts'
import type { ExportPart } from '../../shared/session/requests/export.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testTokenizerPath } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from './dumps.ts'
import { enginePage } from './engine-page.ts'

let tokenizer: Tokenizer
let dump: string
beforeAll(async () => {
  tokenizer = await qwen()
  dump = lines([
    cleanRollout(tokenizer, 0),
    rolloutWithTrainedReply(tokenizer, 1, { group: 'g', reward: 1 }),
    cleanRollout(tokenizer, 2, { group: 'g', reward: 1 }),
  ])
})

const NOTHING = {}

describe('the engine behind a page', () => {
  it('answers each of its requests once, as the session does', async () => {
    const page = enginePage()
    const opened = await page.open({ 'a.jsonl': dump, 'b.jsonl': '' })
    const session = await audited([memorySource(dump, 1 << 16, 'a.jsonl'), memorySource('', 1, 'b.jsonl')])
    expect(opened).toMatchObject({ unreadable: session.unreadable, dumpHash: session.dumpHash })
    expect(opened.report.tokenizer).toEqual(session.report().tokenizer)
    expect(await page.ask('report', NOTHING)).toEqual(session.report())
    expect(await page.ask('boundaries', NOTHING)).toEqual(session.boundaries())
    expect(await page.ask('lengths', { of: 'prompt' })).toEqual(session.lengths('prompt'))
    expect(await page.ask('search', { text: 'finding:M01' })).toMatchObject({ indices: Int32Array.of(1), total: 3 })
    expect(await page.ask('rows', { indices: [2, 1] })).toEqual(session.rows([2, 1]))
    expect(await page.ask('trajectory', { index: 1 })).toEqual(await session.detail(1))
    expect(await page.ask('token', { index: 1, token: 3 })).toEqual(await session.token(1, 3))
    expect(await page.ask('locate', { source: 0, record: 2, part: 0 })).toEqual({ index: 2 })
    expect(await page.ask('close', NOTHING)).toEqual({})
    const calls = page.answers.flatMap((answer) => (answer.kind === 'answer' ? [answer.call] : []))
    expect(calls).toEqual(calls.map((_, i) => i + 1))
    expect(page.progress.at(-1)).toMatchObject({ done: true, trajectories: 3 })
  })

  it('answers queries, and stops one that is taken back', async () => {
    const page = enginePage()
    await page.open({ 'a.jsonl': dump })
    const { indices, hits, total } = await page.ask('search', { text: 'part:tool "document 1:"' })
    expect({ indices: [...indices], total }).toEqual({ indices: [1], total: 3 })
    expect(hits?.starts[0]).toBeGreaterThan(0)
    expect((await page.ask('queryValues', NOTHING)).values.finding).toEqual(
      expect.arrayContaining([expect.objectContaining({ value: 'M01', count: 1 })]),
    )
    const taken = page.send('search', { text: 'hills' })
    taken.cancel()
    expect(await taken.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    expect([...(await page.ask('search', { text: 'hills' })).indices]).toEqual([0, 1, 2])
  })

  it('keeps its own arrays when it hands some over', async () => {
    const page = enginePage()
    await page.open({ 'a.jsonl': dump })
    const first = await page.ask('trajectory', { index: 1 })
    const other = await page.ask('trajectory', { index: 0 })
    expect(await page.ask('trajectory', { index: 1 })).toEqual(first)
    expect(await page.ask('trajectory', { index: 0 })).toEqual(other)
    expect(first.ids?.length).toBe(first.states.length)
    expect(first.ids?.length).toBeGreaterThan(100)
    expect((await page.ask('token', { index: 1, token: 0 })).id).toBe(first.ids?.[0])
    expect((await page.ask('rows', { indices: [1] }))[0]?.facts).toEqual(first.facts)
  })

  it('exports the bytes of the source, and a manifest', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': dump })
    const files = await page.exported({ as: 'source', indices: [2, 1], why: 'a test' })
    expect(files.map(({ name }) => name)).toEqual(['run.selected.jsonl', 'manifest.json'])
    const [, second, third] = dump.trimEnd().split('\n')
    expect(new TextDecoder().decode(files[0]?.bytes)).toBe(`${second}\n${third}\n`)
    const manifest = JSON.parse(new TextDecoder().decode(files[1]?.bytes))
    expect(manifest).toMatchObject({ why: 'a test', sources: [{ name: 'run.jsonl' }] })
    await expect(page.exported({ as: 'csv', indices: [], why: '' })).rejects.toThrow('No rollout was chosen')
  })

  it('stops an export that is cancelled, and only that', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': dump })
    const exporting = page.send('export', { as: 'native', indices: [0, 1, 2], why: 'a test', id: 1 })
    const query = page.send('search', { text: '' })
    exporting.cancel()
    expect(await exporting.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    expect(await query.answer).toMatchObject({ kind: 'answer' })
    exporting.cancel()
    expect(await page.exported({ as: 'native', indices: [0], why: 'again' })).toHaveLength(2)
  })

  it('tells the files of an export first, and no more of them than is taken', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': dump })
    const exporting = page.send('export', { as: 'source', indices: [0, 1], why: 'a test', id: 7 })
    const told = () =>
      page.answers
        .flatMap((each) =>
          each.kind === 'partial' && each.call === exporting.call ? [each.partial as ExportPart] : [],
        )
        .filter(({ kind }) => kind !== 'progress')
    await expect.poll(told).toEqual([{ kind: 'files', names: ['run.selected.jsonl', 'manifest.json'] }])
    await page.ask('exportGoesOn', { id: 7, bytes: 1 })
    await expect.poll(() => told().length).toBe(2)
    expect(told()[1]).toMatchObject({ kind: 'bytes', name: 'run.selected.jsonl' })
    await page.ask('exportGoesOn', { id: 7, bytes: 1 })
    await page.ask('report', NOTHING)
    expect(told()).toHaveLength(2)
    exporting.cancel()
    expect(await exporting.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    expect(told()).toHaveLength(2)
  })

  it('reads everything again under other settings', async () => {
    const page = enginePage()
    const opened = await page.open({ 'a.jsonl': dump })
    page.progress.length = 0
    const again = await page.ask('reconfigure', { options: { intend: ['M01'] } })
    await page.done()
    expect(again.dumpHash).toBe(opened.dumpHash)
    expect((await page.ask('report', NOTHING)).policy.intended).toEqual(['M01'])
    expect((await page.ask('search', { text: 'finding:M01' })).indices).toHaveLength(0)
  })

  it('takes tokenizers, and refuses what is none without forgetting what is open', async () => {
    const page = enginePage()
    await page.open({ 'a.jsonl': dump })
    const refused = page.ask('addTokenizer', { name: 'mine', tokenizer: '{"a": 1}', config: null })
    await expect(refused).rejects.toThrow('not a tokenizer.json')
    expect((await page.ask('search', { text: '' })).total).toBe(3)
    const text = readFileSync(testTokenizerPath('qwen2.5', 'tokenizer.json'), 'utf8')
    expect(await page.ask('addTokenizer', { name: 'mine', tokenizer: text, config: null })).toEqual({ id: 'mine' })
    const { report } = await page.ask('reconfigure', { options: { tokenizer: 'mine' } })
    expect(report.tokenizer).toMatchObject({ id: 'mine', origin: 'file' })
  })
})

describe('a call that cannot be answered', () => {
  const EARLY: readonly [RequestName, unknown][] = [
    ['report', {}],
    ['boundaries', {}],
    ['lengths', { of: 'prompt' }],
    ['search', { text: '' }],
    ['rows', { indices: [0] }],
    ['trajectory', { index: 0 }],
    ['token', { index: 0, token: 0 }],
    ['locate', { source: 0, record: 0, part: 0 }],
    ['export', { as: 'csv', indices: [0], why: '' }],
  ]

  it.each(EARLY)('%s before anything is open fails with a sentence', async (name, input) => {
    const page = enginePage()
    expect(await page.send(name, input).answer).toEqual({ kind: 'failed', call: 1, message: 'Nothing is open.' })
    expect(await page.ask('close', NOTHING)).toEqual({})
  })

  it.each(['launch', 'constructor', '__proto__', 'toString'])('%s is unknown', async (name) => {
    const page = enginePage()
    expect(await page.send(name, {}).answer).toEqual({
      kind: 'failed',
      call: 1,
      message: `The engine knows no request called ${name}.`,
    })
  })

  it('says why, and the next one is answered', async () => {
    const page = enginePage()
    await page.open({ 'a.jsonl': dump })
    await expect(page.ask('trajectory', { index: 7 })).rejects.toThrow('There is no rollout 7; 3 have been read.')
    await expect(page.ask('token', { index: 0, token: 1e6 })).rejects.toThrow('Rollout rollout-0 has no token 1000000.')
    await expect(page.ask('locate', { source: 4, record: 0, part: 0 })).rejects.toThrow('No rollout at source 4')
    const file: SourceInput = { kind: 'file', name: 'c.jsonl', file: null }
    await expect(page.ask('open', { sources: [file], options: {} })).rejects.toThrow(
      'c.jsonl did not arrive as a file.',
    )
    expect((await page.ask('search', { text: '' })).total).toBe(3)
    const unknown = page.ask('reconfigure', { options: { tokenizer: 'nobody' } })
    await expect(unknown).rejects.toThrow('There is no tokenizer called nobody.')
    const messages = page.answers.flatMap((answer) => (answer.kind === 'failed' ? [answer.message] : []))
    for (const message of messages) expect(message).not.toMatch(/\n|\bat .*\.ts/)
    // Only the settings were wrong: the same files can be read under others.
    page.progress.length = 0
    await page.ask('reconfigure', { options: {} })
    await page.done()
    expect((await page.ask('search', { text: '' })).total).toBe(3)
  })

  it('is followed by nothing once it is closed', async () => {
    const page = enginePage()
    await page.open({ 'a.jsonl': dump })
    await page.ask('close', NOTHING)
    await expect(page.ask('report', NOTHING)).rejects.toThrow('Nothing is open.')
  })
})

describe('openings that are crossed', () => {
  const input = (name: string): SourceInput => ({ kind: 'file', name, file: null })
  const bytes = (): SourceInput => ({ kind: 'bytes', name: 'quick', bytes: new TextEncoder().encode(dump) })

  /** One that never opens: its first bytes do not come. */
  function stuck(name: string): ByteSource {
    const source = memorySource(dump, 64, name)
    return { ...source, slice: () => new Promise((resolve) => setTimeout(() => resolve(source.slice(0, 1e9)), 100)) }
  }

  it('by a cancel leave nothing open', async () => {
    const page = enginePage(new Map([['slow', stuck('slow')]]))
    const opening = page.send('open', { sources: [input('slow')], options: {} })
    opening.cancel()
    expect(await opening.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    await expect(page.ask('report', NOTHING)).rejects.toThrow('Nothing is open.')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(page.progress).toEqual([])
  })

  it('by another opening give way to it', async () => {
    const page = enginePage(new Map([['slow', stuck('slow')]]))
    const first = page.send('open', { sources: [input('slow')], options: {} })
    const second = page.send('open', { sources: [bytes()], options: {} })
    expect((await second.answer).kind).toBe('answer')
    expect(await first.answer).toMatchObject({ kind: 'failed', message: 'Something else was opened meanwhile.' })
    await page.done()
    expect((await page.ask('report', NOTHING)).sources.map(({ name }) => name)).toEqual(['quick'])
  })

  it('by a close are closed', async () => {
    const page = enginePage(new Map([['slow', stuck('slow')]]))
    const opening = page.send('open', { sources: [input('slow')], options: {} })
    await page.ask('close', NOTHING)
    expect(await opening.answer).toMatchObject({ kind: 'failed', message: 'Reading was stopped.' })
    await expect(page.ask('report', NOTHING)).rejects.toThrow('Nothing is open.')
  })

  it('by a run that is to be followed and whose files are found too late leave what was opened meanwhile', async () => {
    let found = (_: () => Promise<readonly WatchedFile[]>) => {}
    const page = enginePage(new Map(), () => new Promise((resolve) => (found = resolve)))
    await page.open({ 'first.jsonl': dump })
    const following = page.send('follow', { on: true })
    await page.ask('open', { sources: [bytes()], options: {} })
    found(async () => [watched('first.jsonl', dump)])
    expect(await following.answer).toMatchObject({ kind: 'failed', message: 'Something else was opened meanwhile.' })
    await page.done()
    expect((await page.ask('report', NOTHING)).sources.map(({ name }) => name)).toEqual(['quick'])
  })

  it('by a dataset that is looked at for too long leave what was opened meanwhile', async () => {
    const page = enginePage(new Map([['slow', stuck('slow')]]))
    const first = page.send('open', { sources: [input('slow')], options: {}, dataset: [input('slow')] })
    await page.ask('open', { sources: [bytes()], options: {} })
    expect((await first.answer).kind).toBe('failed')
    await page.done()
    expect((await page.ask('report', NOTHING)).sources.map(({ name }) => name)).toEqual(['quick'])
  })

  it('after which reading goes on no longer tells of the earlier one', async () => {
    const more = { more: { meta: { note: 'x'.repeat(60_000) } } }
    const large = lines(Array.from({ length: 100 }, (_, seed) => cleanRollout(tokenizer, seed, more)))
    // Enough to survey it, not enough to read it to its end.
    const slow = gatedSource(large, 1 << 18, 'slow')
    slow.let(20)
    const page = enginePage(new Map([['slow', slow.source]]))
    await page.ask('open', { sources: [input('slow')], options: {} })
    await page.ask('open', { sources: [bytes()], options: {} })
    await page.done()
    const told = page.progress.length
    slow.let(1000)
    await until(() => slow.log.cancelled > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(page.progress.length).toBe(told)
    expect(page.progress.at(-1)?.bytesTotal).toBe(dump.length)
  })
})

describe('a run that was followed', () => {
  it('is read under other settings as far as it was written, and not as it was opened', async () => {
    const [first = ''] = dump.split('\n')
    const page = enginePage(new Map(), async () => async () => [watched('run.jsonl', dump)])
    await page.open({ 'run.jsonl': `${first}\n` })
    page.progress.length = 0
    await page.ask('follow', { on: true })
    await page.ask('follow', { on: false })
    expect((await page.ask('search', { text: '' })).total).toBe(3)
    page.progress.length = 0
    await page.ask('reconfigure', { options: { intend: ['M01'] } })
    await page.done()
    expect((await page.ask('search', { text: '' })).total).toBe(3)
    expect(await page.ask('tryPolicy', { policy: 'rl', intend: ['M01'] })).toMatchObject({ checks: [] })
  })

  it('stays followed beside a dataset that is given meanwhile', async () => {
    const page = enginePage(new Map(), async () => async () => [watched('run.jsonl', dump)])
    await page.open({ 'run.jsonl': dump })
    await page.ask('follow', { on: true })
    const prompts = new TextEncoder().encode(`${JSON.stringify({ prompt: 'Where does the river Arn rise?' })}\n`)
    const dataset: SourceInput[] = [{ kind: 'bytes', name: 'train.jsonl', bytes: prompts }]
    page.progress.length = 0
    await page.ask('reconfigure', { options: {}, dataset })
    await until(() => page.progress.some(({ following }) => following === true))
    await page.ask('follow', { on: false })
    expect((await page.ask('report', NOTHING)).checks.find(({ code }) => code === 'C11')?.reason).not.toContain(
      '--dataset',
    )
    const none: SourceInput[] = [{ kind: 'bytes', name: 'none.jsonl', bytes: new TextEncoder().encode('{"a": 1}\n') }]
    await expect(page.ask('reconfigure', { options: {}, dataset: none })).rejects.toThrow('none.jsonl')
    expect((await page.ask('search', { text: '' })).total).toBe(3)
  })
})

/** A file as it is seen at every look. */
function watched(name: string, text: string): WatchedFile {
  return { source: memorySource(text, 1 << 16, name), identity: null, stamp: text, quiet: true }
}

describe('reading that breaks off', () => {
  it('is told in the report, which judges the rest', async () => {
    const whole = memorySource(`${dump}${' '.repeat(100_000)}\n`, 1 << 12, 'net')
    let streams = 0
    const source: ByteSource = {
      ...whole,
      stream(start) {
        streams++
        const reader = whole.stream(start).getReader()
        let chunks = 0
        return new ReadableStream<Uint8Array>({
          async pull(controller) {
            // The survey gets through; the pass does not.
            if (streams > 1 && chunks++ > 20) throw new Error('net: the server no longer answers. Open it again.')
            const { done, value } = await reader.read()
            if (done) controller.close()
            else controller.enqueue(value)
          },
        })
      },
    }
    const page = enginePage(new Map([['net', source]]))
    await page.ask('open', { sources: [{ kind: 'file', name: 'net', file: null }], options: {} })
    await page.done()
    const [lost] = (await page.ask('report', NOTHING)).sources
    expect(lost?.skipped.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'read-error: net: the server no longer answers. Open it again. From record 0 on nothing of it is judged.',
    ])
    expect((await page.ask('search', { text: '' })).total).toBe(page.progress.at(-1)?.trajectories)
    expect(page.progress.filter(({ done }) => done)).toHaveLength(1)
  })
})
