import 'fake-indexeddb/auto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeDump, followEngine, openSources, readWithDataset, reconfigure } from '../../renderer/data/dump.ts'
import { toggleFollow } from '../../renderer/data/follow.ts'
import { compareWith } from '../../renderer/data/second.ts'
import { abandonEngine } from '../../renderer/engine/engine.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { useMapping } from '../../renderer/state/mapping.ts'
import { NO_MARKS, useMarks } from '../../renderer/state/marks.ts'
import { useSecond } from '../../renderer/state/second.ts'
import { useSelection } from '../../renderer/state/selection.ts'
import { useView } from '../../renderer/state/view.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from '../session/dumps.ts'
import { type EngineWorker, givePageEngine, holdAnswers, type PageEngine } from './page-engine.ts'

let tokenizer: Tokenizer
let dump: string
beforeAll(async () => {
  tokenizer = await qwen()
  dump = lines([cleanRollout(tokenizer, 0), rolloutWithTrainedReply(tokenizer, 1), cleanRollout(tokenizer, 2)])
})

const bytes = (name: string, text = dump): SourceInput => ({
  kind: 'bytes',
  name,
  bytes: new TextEncoder().encode(text),
})
const files = () => useFiles.getState()
const isOpen = () => files().phase === 'open'

describe('what is open in the page', () => {
  let engine: PageEngine
  let stopFollowing: () => void
  beforeEach(() => {
    engine = givePageEngine()
    stopFollowing = followEngine()
  })
  afterEach(() => {
    closeDump()
    abandonEngine()
    stopFollowing()
    useFiles.setState({ problems: [], happened: [] })
    useMarks.setState(NO_MARKS)
  })

  const opened = async (name = 'run.jsonl') => {
    await openSources([bytes(name)])
    await until(isOpen)
  }

  it('is read under all settings that were changed one right after the other', async () => {
    await opened()
    const first = reconfigure({ intend: ['M01'] })
    const second = reconfigure({ policy: 'last-turn' })
    expect(await Promise.all([first, second])).toEqual([false, true])
    await until(isOpen)
    expect(files().problems).toEqual([])
    expect(files().options).toEqual({ intend: ['M01'], policy: 'last-turn' })
    expect(files().report?.policy).toMatchObject({ id: 'last-turn', intended: expect.arrayContaining(['M01', 'M03']) })
  })

  it('stays as it was under settings that are unusable, also where others were changed right before', async () => {
    await opened()
    expect(await reconfigure({ intend: ['M01'] })).toBe(true)
    void reconfigure({ tokenizer: 'nobody' })
    expect(await reconfigure({ policy: 'sft' })).toBe(false)
    await until(isOpen)
    expect(files().problems).toEqual([expect.stringContaining('There is no tokenizer called nobody.')])
    expect(files().options).toEqual({ intend: ['M01'] })
    expect(files().rollouts).toBe(3)
  })

  it('is compared with the same run again, whatever became of the settings', async () => {
    await opened()
    await compareWith([bytes('second.jsonl')])
    expect(useSecond.getState().run).not.toBeNull()
    await reconfigure({ tokenizer: 'nobody' })
    await until(() => useSecond.getState().run !== null)
    void reconfigure({ intend: ['M01'] })
    await reconfigure({ policy: 'sft' })
    await until(() => useSecond.getState().run !== null)
    expect(useSecond.getState().chosen?.map(({ name }) => name)).toEqual(['second.jsonl'])
  })

  it('is compared with a run whose answer was on its way when another was chosen that cannot be read', async () => {
    await opened()
    const worker = engine.workers[0] as EngineWorker
    const answers = holdAnswers(worker)
    const first = compareWith([bytes('second.jsonl')])
    await until(() => answers.held.length > 0)
    answers.release()
    const other = compareWith([bytes('nothing.jsonl', 'no rollouts')])
    for (const event of answers.held) worker.dispatchEvent(event)
    await Promise.all([first, other])
    expect(files().problems).toEqual([expect.stringContaining('nothing.jsonl is text, but no JSON')])
    expect(useSecond.getState().chosen?.map(({ name }) => name)).toEqual(['second.jsonl'])
    expect(useSecond.getState().run?.sources.map(({ name }) => name)).toEqual(['second.jsonl'])
  })

  it('is still compared where it cannot be followed', async () => {
    await opened()
    await compareWith([bytes('second.jsonl')])
    await toggleFollow()
    expect(files().problems).toEqual(['Files cannot be followed here.'])
    await until(() => useSecond.getState().run !== null)
    expect(files().phase).toBe('open')
  })

  describe('that is read again and followed right after', () => {
    const notCompared = 'A run that is followed is not compared. End following, then compare it again.'
    const letFollow = () => {
      engine.watch = async () => async () => [
        { source: memorySource(dump, 1 << 16, 'run.jsonl'), identity: null, stamp: dump, quiet: true },
      ]
    }
    const isFollowed = () => files().following && files().rollouts === 3

    it('says that it is not compared any more, and says so once', async () => {
      letFollow()
      await opened()
      await compareWith([bytes('second.jsonl')])
      const isRead = reconfigure({ intend: ['M01'] })
      await toggleFollow()
      expect(await isRead).toBe(true)
      await until(isFollowed)
      expect(files().problems).toEqual([notCompared])
      expect(await reconfigure({ policy: 'last-turn' })).toBe(true)
      await until(isFollowed)
      expect(files().problems).toEqual([notCompared])
      expect(useSecond.getState().chosen).toBeNull()
    })

    it('keeps its settings where others turn out to be unusable', async () => {
      letFollow()
      await opened()
      void reconfigure({ intend: ['M01'] })
      await toggleFollow()
      await until(isFollowed)
      expect(await reconfigure({ tokenizer: 'nobody' })).toBe(false)
      await until(isFollowed)
      expect(files().options).toEqual({ intend: ['M01'] })
      expect(files().report?.policy.intended).toContain('M01')
    })

    it('is read beside the dataset that it names', async () => {
      letFollow()
      const prompts = `${JSON.stringify({ prompt: 'Where does it rise?' })}\n`
      const slow = gatedSource(prompts, 1 << 16, 'train.jsonl')
      engine.files.set('train.jsonl', slow.source)
      await opened()
      const isRead = readWithDataset([{ kind: 'url', name: 'train.jsonl', url: 'train.jsonl', size: slow.source.size }])
      const isToggled = toggleFollow()
      // As many tasks as a following that waits for nothing takes to be answered.
      for (let task = 0; task < 100; task++) await new Promise((resolve) => setImmediate(resolve))
      slow.let(1000)
      await Promise.all([isRead, isToggled])
      await until(isFollowed)
      expect(files().dataset.map(({ name }) => name)).toEqual(['train.jsonl'])
      expect(files().report?.checks.find(({ code }) => code === 'C11')?.reason).toBe(
        'the dataset has not been read to its end',
      )
    })

    it('is read again and compared where it cannot be followed', async () => {
      await opened()
      await compareWith([bytes('second.jsonl')])
      const isRead = reconfigure({ intend: ['M01'] })
      await toggleFollow()
      expect(await isRead).toBe(true)
      await until(() => isOpen() && useSecond.getState().run !== null)
      expect(files().problems).toEqual(['Files cannot be followed here.'])
      expect(files().report?.policy.intended).toContain('M01')
      expect(await reconfigure({ tokenizer: 'nobody' })).toBe(false)
      expect(files().options).toEqual({ intend: ['M01'] })
    })

    it('is no longer followed where that is ended right after', async () => {
      letFollow()
      const look = await engine.watch([], [])
      let slow = Promise.resolve()
      engine.watch = async () => () => slow.then(look)
      await opened()
      await toggleFollow()
      await until(isFollowed)
      let goOn = () => {}
      slow = new Promise((resolve) => {
        goOn = resolve
      })
      const isRead = reconfigure({ intend: ['M01'] })
      const isToggled = toggleFollow()
      // As many tasks as ending takes that waits for nothing.
      for (let task = 0; task < 100; task++) await new Promise((resolve) => setImmediate(resolve))
      goOn()
      await isToggled
      expect(await isRead).toBe(true)
      await until(isOpen)
      expect(files()).toMatchObject({ following: false, rollouts: 3, problems: [], options: { intend: ['M01'] } })
      expect(useView.getState().notice.text).toBe('No longer followed; judged as it stands')
    })

    it('is not followed where it was closed meanwhile', async () => {
      letFollow()
      await opened()
      const isRead = reconfigure({ intend: ['M01'] })
      const isToggled = toggleFollow()
      closeDump()
      expect(await isRead).toBe(false)
      await isToggled
      expect(files()).toMatchObject({ phase: 'empty', following: false, problems: [] })
    })
  })

  it('is compared with the same run again where other settings overtake its being followed', async () => {
    let look: () => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      engine.watch = () => {
        resolve()
        return new Promise((_, reject) => {
          look = () => reject(new Error('Nothing is watched any more.'))
        })
      }
    })
    await opened()
    await compareWith([bytes('second.jsonl')])
    const isToggled = toggleFollow()
    await asked
    expect(await reconfigure({ intend: ['M01'] })).toBe(true)
    look()
    await isToggled
    await until(() => useSecond.getState().run !== null)
    expect(useSecond.getState().chosen?.map(({ name }) => name)).toEqual(['second.jsonl'])
    expect(files().problems).toEqual([])
  })

  it('is no longer there once its engine broke, and another can be opened', async () => {
    await opened()
    engine.workers.at(-1)?.break('out of memory')
    expect(files()).toMatchObject({ phase: 'empty', problems: [expect.stringContaining('(out of memory)')] })
    await opened('other.jsonl')
    expect(files().rollouts).toBe(3)
    const broken = reconfigure({ policy: 'sft' })
    engine.workers.at(-1)?.break('out of memory')
    expect(await broken).toBe(false)
    expect(files().phase).toBe('empty')
  })

  it('is not closed by a closing of what was open before', async () => {
    await opened()
    const closed = reconfigure({ policy: 'sft' })
    closeDump()
    await opened('other.jsonl')
    expect(await closed).toBe(false)
    await reconfigure({ policy: 'sft' })
    await until(isOpen)
    expect(files().report?.sources.map(({ name }) => name)).toEqual(['other.jsonl'])
    expect(files().problems).toEqual([])
  })

  it('leaves no progress on the dock when it is closed in the middle', async () => {
    const shown: (number | null)[] = []
    const window = { inspector: { setProgress: (share: number | null) => shown.push(share) } }
    Object.assign(globalThis, { window })
    try {
      const more = { more: { meta: { note: 'x'.repeat(60_000) } } }
      const large = lines(Array.from({ length: 60 }, (_, seed) => cleanRollout(tokenizer, seed, more)))
      const slow = gatedSource(large, 1 << 18, 'slow')
      engine.files.set('slow', slow.source)
      slow.let(12)
      await openSources([{ kind: 'url', name: 'slow', url: 'slow', size: slow.source.size }])
      await until(() => (shown.at(-1) ?? 0) > 0)
      closeDump()
      slow.let(1000)
      expect(shown.at(-1)).toBeNull()
    } finally {
      Reflect.deleteProperty(globalThis, 'window')
    }
  })

  it('finds what is marked in a run that is followed, where it stands by now', async () => {
    const session = await audited([memorySource(dump)])
    const [, marked] = session.facts
    useMarks.setState({ ...NO_MARKS, flagged: new Set([`${marked?.recordHash}.0`]) })
    const [first, , last] = dump.split('\n')
    let written = `${last}\n`
    engine.watch = async () => async () =>
      [
        ['a.jsonl', written],
        ['b.jsonl', dump],
      ].map(([name = '', text = '']) => ({
        source: memorySource(text, 1 << 16, name),
        identity: null,
        stamp: text,
        quiet: true,
      }))
    await openSources([bytes('a.jsonl', written), bytes('b.jsonl')])
    await until(isOpen)
    // Marks are looked for once everything has been read.
    await expect.poll(() => useMarks.getState().here).toEqual([2])
    await toggleFollow()
    await until(() => files().following && files().rollouts === 4)
    written += `${first}\n`
    await until(() => useMarks.getState().here[0] === 3)
    expect(files().following).toBe(true)
  })

  describe('when files are dropped that are no rollouts', () => {
    const notes = () => bytes('notes.json', '{"question":"Where does it rise?"}')

    it('stays as it is, and their fields can be mapped', async () => {
      await opened()
      const before = files()
      useSelection.setState({ rollout: 2 })
      useView.setState({ view: 'rollouts' })
      expect(await openSources([notes()])).toBe(false)
      const after = files()
      expect(after.problems).toEqual([expect.stringContaining('notes.json')])
      expect({ ...after, problems: [] }).toEqual({ ...before, problems: [] })
      expect(useSelection.getState().rollout).toBe(2)
      expect(useView.getState().view).toBe('rollouts')
      expect(useMapping.getState().refused.map(({ name }) => name)).toEqual(['notes.json'])
    })

    it('is read on under settings that were changed right before', async () => {
      await opened()
      const isRead = reconfigure({ intend: ['M01'] })
      expect(await openSources([notes()])).toBe(false)
      expect(await isRead).toBe(true)
      await until(isOpen)
      expect(files().options).toEqual({ intend: ['M01'] })
    })

    it('gives way to rollouts that are dropped while these are looked at', async () => {
      await opened()
      const first = openSources([notes()])
      expect(await openSources([bytes('other.jsonl')])).toBe(true)
      expect(await first).toBe(false)
      await until(isOpen)
      expect(files().sources.map(({ name }) => name)).toEqual(['other.jsonl'])
      expect(files().problems).toEqual([])
    })

    it('is gone where a person closed it while these were looked at', async () => {
      await opened()
      const looked = openSources([bytes('other.jsonl')])
      closeDump()
      expect(await looked).toBe(false)
      expect(files().phase).toBe('empty')
    })
  })

  it('is asked about anew where reading it breaks off', async () => {
    const more = { more: { meta: { note: 'x'.repeat(60_000) } } }
    const large = lines(Array.from({ length: 60 }, (_, seed) => cleanRollout(tokenizer, seed, more)))
    const whole = memorySource(large, 1 << 16, 'torn')
    const stream = (start = 0) => {
      const chunks = whole.stream(start).getReader()
      let at = start
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = await chunks.read()
          at += value?.length ?? 0
          if (at > large.length / 2) throw new Error('The disk is away.')
          if (value !== undefined) controller.enqueue(value)
        },
      })
    }
    engine.files.set('torn', { name: 'torn', size: whole.size, slice: whole.slice, stream })
    const revisions: number[] = []
    const stop = useFiles.subscribe(({ phase, revision }) => phase === 'reading' && revisions.push(revision))
    await openSources([{ kind: 'url', name: 'torn', url: 'torn', size: whole.size }])
    await until(isOpen)
    stop()
    expect(files().problems).toEqual([expect.stringContaining('The disk is away.')])
    expect(files().rollouts).toBeGreaterThan(0)
    expect(files().revision).toBeGreaterThan(Math.max(...revisions))
  })

  it('keeps being followed beside a dataset, and is read as far as it was written once that ended', async () => {
    const [first = ''] = dump.split('\n')
    engine.watch = async () => async () => [
      { source: memorySource(dump, 1 << 16, 'run.jsonl'), identity: null, stamp: dump, quiet: true },
    ]
    await openSources([bytes('run.jsonl', `${first}\n`)])
    await until(isOpen)
    await toggleFollow()
    await until(() => files().rollouts === 3)
    await readWithDataset([bytes('train.jsonl', `${JSON.stringify({ prompt: 'Where does it rise?' })}\n`)])
    await until(() => files().following && files().rollouts === 3)
    await toggleFollow()
    await until(isOpen)
    await reconfigure({ intend: ['M01'] })
    await until(isOpen)
    expect(files().rollouts).toBe(3)
    expect(useView.getState().notice.text).toBe('Read again under the new settings')
  })
})
