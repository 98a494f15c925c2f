import { describe, expect, it } from 'vitest'
import { settings } from '../checks/audit.ts'
import { resolveLimits } from '../helpers/at-once.ts'
import { factsOf } from '../helpers/facts.ts'

const closed = (count: number) =>
  Array.from({ length: count }, (_, i) => factsOf(i, { realLength: 120 + i, promptLength: 60 + (i % 7) }))

describe('resolveLimits', () => {
  it('takes what is given over what is declared over what is inferred', () => {
    const facts = [
      ...closed(10),
      ...[1, 2, 3].map((i) => factsOf(10 + i, { realLength: 500, promptLength: 90 + i, endReason: 'cut-prose' })),
    ]
    expect(
      resolveLimits(settings('rl', { limits: { max_seq_len: 1000 } }), { max_seq_len: 800 }, facts).max_seq_len,
    ).toEqual({
      value: 1000,
      origin: 'given',
    })
    expect(resolveLimits(settings(), { max_seq_len: 800, max_turns: 6 }, facts)).toMatchObject({
      max_seq_len: { value: 800, origin: 'metadata' },
      max_turns: { value: 6, origin: 'metadata' },
      max_prompt_length: null,
    })
    expect(resolveLimits(settings(), {}, facts).max_seq_len).toEqual({ value: 500, origin: 'inferred' })
  })

  it('infers the sequence limit where prompts differ and ends do not', () => {
    const cut = [70, 80, 95].map((promptLength, i) =>
      factsOf(20 + i, { realLength: 512, promptLength, endReason: 'cut-reply', assistantLengths: [40 + i] }),
    )
    expect(resolveLimits(settings(), {}, [...closed(20), ...cut])).toMatchObject({
      max_seq_len: { value: 512, origin: 'inferred' },
      max_completion_length: null,
    })
  })

  it('infers the limit on new tokens where completions are equally long and sequences are not', () => {
    const cut = [70, 80, 95].map((promptLength, i) =>
      factsOf(20 + i, {
        realLength: promptLength + 256,
        promptLength,
        endReason: 'cut-prose',
        assistantLengths: [256],
      }),
    )
    expect(resolveLimits(settings(), {}, [...closed(20), ...cut])).toMatchObject({
      max_seq_len: null,
      max_completion_length: { value: 256, origin: 'inferred' },
    })
  })

  it('infers it from rows that are said to have stopped and lack an end token, where they end alike', () => {
    const stopped = (length: (i: number) => number) =>
      [70, 80, 95].map((promptLength, i) =>
        factsOf(20 + i, { realLength: promptLength + length(i), promptLength, endReason: 'stop', endsClosed: false }),
      )
    expect(resolveLimits(settings(), {}, [...closed(20), ...stopped(() => 256)]).max_completion_length).toMatchObject({
      value: 256,
      origin: 'inferred',
    })
    // A run that stops on a string ends where the string stands.
    expect(resolveLimits(settings(), {}, [...closed(20), ...stopped((i) => 256 + i)]).max_completion_length).toBeNull()
  })

  it('infers none from short replies that all end at a string, of which some are equally long by chance', () => {
    const stopped = (lengths: readonly number[]) =>
      lengths.map((length, i) =>
        factsOf(i, {
          realLength: 70 + i + length,
          promptLength: 70 + i,
          assistantLengths: [length],
          endReason: 'stop',
          endsClosed: false,
        }),
      )
    const inferred = (lengths: readonly number[]) =>
      resolveLimits(settings(), {}, stopped(lengths)).max_completion_length
    expect(inferred([57, 59, 60, 62, 44, 64, 64, 64])).toBeNull()
    expect(inferred([57, 59, 31, 40, 44, 64, 64, 64])).toMatchObject({ value: 64 })
  })

  /** Rows without an end token: so many of these lengths, and others far below. */
  const open = (counts: readonly (readonly [length: number, rows: number])[], lastToken: (row: number) => number) => {
    const lengths = [
      ...Array.from({ length: 40 }, (_, i) => 60 + 4 * i),
      ...counts.flatMap(([length, rows]) => Array.from({ length: rows }, () => length)),
    ]
    const facts = lengths.map((length, i) =>
      factsOf(i, {
        realLength: 300 + (i % 11) + length,
        promptLength: 300 + (i % 11),
        assistantLengths: [length],
        endReason: 'cut-prose',
        endsClosed: false,
        lastToken: lastToken(i),
      }),
    )
    return resolveLimits(settings(), {}, facts).max_completion_length?.value ?? null
  }
  const ownToken = (row: number) => row

  it('infers a limit that more rows stop before than end at, where chance does not put so many at one length', () => {
    const before = [247, 249, 250, 251, 252, 255].map((length) => [length, 1] as const)
    expect(open([...before, [256, 6]], ownToken)).toBe(256)
    expect(open([...before, [254, 2], [256, 8]], ownToken)).toBe(256)
  })

  it('infers none from replies to a stop string whose lengths lie thick up to the greatest', () => {
    const before = [247, 248, 249, 250, 251, 252, 253, 254, 255].map((length) => [length, 2] as const)
    expect(open([...before, [256, 4]], ownToken)).toBeNull()
  })

  it('infers none from replies of one format that the stop string itself ends, and one where the dump says they were cut', () => {
    expect(open([[256, 6]], ownToken)).toBe(256)
    expect(open([[256, 6]], () => 29)).toBeNull()
    // A model that repeats one token until the limit comes.
    expect(open([[256, 6]], (row) => (row < 40 ? row : 29))).toBe(256)
    const cut = [0, 1, 2, 3].map((i) =>
      factsOf(i, {
        realLength: 90 + i + 256,
        promptLength: 90 + i,
        endReason: 'cut-prose',
        finishReason: 'length',
        lastToken: 29,
      }),
    )
    expect(resolveLimits(settings(), {}, [...closed(20), ...cut]).max_completion_length?.value).toBe(256)
  })

  it('infers none from answers that are all a few tokens long', () => {
    const answers = Array.from({ length: 40 }, (_, i) =>
      factsOf(i, {
        realLength: 90 + (i % 9) + (i % 3 === 0 ? 5 : 6),
        promptLength: 90 + (i % 9),
        assistantLengths: [i % 3 === 0 ? 5 : 6],
        endReason: 'cut-prose',
        endsClosed: false,
        lastToken: i % 7,
      }),
    )
    expect(resolveLimits(settings(), {}, answers).max_completion_length).toBeNull()
  })

  /** Rows without an end token whose last turns are so long; without prompts of different lengths, `sequence` piles up as well. */
  const replies = (lengths: readonly number[], lastToken = ownToken, prompt = (row: number) => 90 + (row % 9)) =>
    lengths.map((length, i) =>
      factsOf(100 + i, {
        realLength: prompt(i) + length,
        promptLength: prompt(i),
        assistantLengths: [length],
        endReason: 'cut-prose',
        endsClosed: false,
        lastToken: lastToken(i),
      }),
    )
  const found = (facts: Parameters<typeof resolveLimits>[2]) =>
    Object.values(resolveLimits(settings(), {}, facts)).flatMap((limit) => limit?.value ?? [])
  const times = <T>(count: number, of: T) => Array.from({ length: count }, () => of)

  it('infers a limit from rows that repeat one token up to it, where all others are closed or nothing shorter is open', () => {
    expect(found([...closed(60), ...replies(times(6, 4096), () => 0)])).toEqual([4096])
    expect(found([...closed(3), ...replies(times(6, 4096), () => 0)])).toEqual([4096])
  })

  it('infers a limit that ends the whole dump, though a row or two stop a token before', () => {
    expect(found(replies(times(64, 4096)))).toEqual([4096])
    expect(found(replies([...times(62, 4096), ...times(2, 4095)]))).toEqual([4096])
    expect(found(replies([...times(20, 4096), ...times(22, 4093), ...times(22, 4094)]))).toEqual([])
    expect(found(replies([...times(26, 20), ...times(14, 19)]))).toEqual([])
  })

  it('infers one before which many rows stop where the dump says that those at it were cut', () => {
    const lengths = [...times(30, 512), ...times(25, 508), ...times(10, 300)]
    expect(found(replies(lengths))).toEqual([])
    expect(found(replies(lengths).map((row) => ({ ...row, finishReason: 'length' })))).toEqual([512])
  })

  it.each([1, 5, 15])('infers none from answers that are all %i tokens long, and one of 16', (length) => {
    for (const prompt of [(row: number) => 90 + (row % 9), () => 90]) {
      expect(found(replies(times(40, length), (row) => row % 4, prompt))).toEqual([])
      const nearly = times(40, length).map((each, i) => (i % 3 === 0 ? each + 1 : each + 2))
      if (length < 10) expect(found(replies(nearly, (row) => row % 4, prompt))).toEqual([])
      expect(found(replies(times(40, 16), (row) => row % 4, prompt))).toEqual([16])
    }
    const said = replies(times(40, length)).map((row) => ({ ...row, finishReason: 'length' }))
    expect(found(said)).toEqual([length])
  })

  const said = <Row extends object>(rows: readonly Row[]) => rows.map((row) => ({ ...row, finishReason: 'length' }))
  /** Rows of three turns, of which the last is so long and open. */
  const quiz = (lasts: readonly number[], more: (row: number, last: number) => Parameters<typeof factsOf>[1]) =>
    lasts.map((last, i) =>
      factsOf(i, {
        assistantLengths: [40, 1, last],
        endReason: 'cut-prose',
        endsClosed: false,
        lastToken: i % 4,
        ...more(i, last),
      }),
    )

  it.each([
    ['rows that are equally long as well', () => ({ realLength: 300, promptLength: 240 })],
    [
      'rows of groups whose prompts are of no known length',
      (row: number) => ({ realLength: 300 + 5 * (row >> 3), promptLength: null }),
    ],
  ])('infers none from letters that answer last, in %s', (_, more) => {
    expect(found(quiz(times(40, 1), more))).toEqual([])
    expect(found(said(quiz(times(40, 1), more)))).not.toEqual([])
  })

  it('infers the limit of sequences that leaves last turns of several lengths, be they short', () => {
    expect(found(quiz([3, 7, 11, 12], () => ({ realLength: 512, promptLength: null })))).toEqual([512])
    const known = quiz([3, 7, 11, 12], (row) => ({ realLength: 512, promptLength: 90 + row }))
    expect(found([...closed(20), ...known])).toEqual([512])
  })

  it('infers the limit of sequences from replies that it cut behind calls that are equally long', () => {
    const cut = [70, 80, 95].map((promptLength, i) =>
      factsOf(i, { realLength: 512, promptLength, endReason: 'cut-reply', endsClosed: false, assistantLengths: [40] }),
    )
    expect(found(cut)).toEqual([512])
  })

  it.each([
    ['one is shorter', [...times(40, 20), ...times(23, 19), 5]],
    ['a tenth is shorter', [...times(40, 20), ...times(23, 19), ...times(7, 6)]],
    ['most of them are of the greatest length', [...times(56, 24), ...times(5, 23), 7, 9]],
  ])('infers none from answers of one format, of which %s', (_, lengths) => {
    expect(found(replies(lengths, (row) => row % 10))).toEqual([])
  })

  it.each([
    ['few stop just before', [...times(60, 512), 509, 511, 40, 300]],
    ['as many stop far below as just before', [...times(12, 512), 503, 507, 511, 101, 240, 350]],
    ['others stop anywhere', [...times(9, 64), ...Array.from({ length: 60 }, (_, i) => 4 + i)]],
  ])('infers a limit where %s', (_, lengths) => {
    expect(found(replies(lengths))).toEqual([Math.max(...lengths)])
  })

  it('infers a limit per turn where only the last turns are equally long', () => {
    const cut = [1, 2, 3].map((i) =>
      factsOf(20 + i, {
        realLength: 400 + 13 * i,
        promptLength: 90 + i,
        endReason: 'cut-prose',
        assistantLengths: [30 + i, 128],
      }),
    )
    expect(resolveLimits(settings(), {}, [...closed(20), ...cut]).max_completion_length).toEqual({
      value: 128,
      origin: 'inferred',
      per: 'turn',
    })
  })

  it('infers the limit of rows that are said to be cut though an end token stands one behind it in closed ones', () => {
    const beyond = (by: number) =>
      closed(20).map((row, i) => ({ ...row, assistantLengths: [30, i % 9 === 0 ? 76 + by : 40 + i] }))
    const cut = replies(times(13, 76)).map((row, i) => ({ ...row, realLength: 500 + 17 * i }))
    expect(found([...beyond(1), ...said(cut)])).toEqual([76])
    // The model may as well stop there by itself, unless the dump says that it was cut; and a longer turn shows that there is no limit.
    expect(found([...beyond(1), ...cut])).toEqual([])
    expect(found([...beyond(2), ...said(cut)])).toEqual([])
    const mostClose = closed(20).map((row) => ({ ...row, assistantLengths: [30, 77] }))
    expect(found([...mostClose, ...said(cut)])).toEqual([])
  })

  it.each([
    ['two rows', 20, 2, 512, 'cut-prose'],
    ['under 5 % of the rows', 100, 4, 512, 'cut-prose'],
    ['rows that close their last turn', 20, 3, 512, 'stop'],
    ['rows shorter than others', 20, 3, 121, 'cut-prose'],
  ] as const)('infers nothing from %s', (_, others, rows, realLength, endReason) => {
    const piled = Array.from({ length: rows }, (_, i) =>
      factsOf(others + i, { realLength, promptLength: 60 + i, endReason, assistantLengths: [9 + i] }),
    )
    expect(
      Object.values(resolveLimits(settings(), {}, [...closed(others), ...piled])).filter((limit) => limit !== null),
    ).toEqual([])
  })

  const cutAt = (length: number) =>
    [70, 80, 95].map((promptLength, i) =>
      factsOf(i, {
        realLength: promptLength + length,
        promptLength,
        endReason: 'cut-prose',
        assistantLengths: [length],
      }),
    )

  it('infers no second limit from rollouts that a known one ended', () => {
    expect(resolveLimits(settings(), { max_seq_len: 330 }, cutAt(256)).max_completion_length).toBeNull()
  })

  it('infers the limit that a known one does not explain', () => {
    const { max_seq_len, max_completion_length } = resolveLimits(settings(), { max_seq_len: 4096 }, cutAt(256))
    expect(max_seq_len).toEqual({ value: 4096, origin: 'metadata' })
    expect(max_completion_length).toEqual({ value: 256, origin: 'inferred', per: 'completion' })
  })

  it('takes a completion limit for one of each turn where a rollout goes on beyond it', () => {
    const under = (limit: number) => resolveLimits(settings(), { max_completion_length: limit }, closed(10))
    // The completions of these are 60 to 66 tokens long.
    expect(under(100).max_completion_length).toEqual({ value: 100, origin: 'metadata', per: 'completion' })
    expect(under(50).max_completion_length).toEqual({ value: 50, origin: 'metadata', per: 'turn' })
  })

  const per = (limit: number, facts: Parameters<typeof resolveLimits>[2]) =>
    resolveLimits(settings(), { max_completion_length: limit }, facts).max_completion_length?.per

  it.each([
    ['has no token', 0],
    ['nothing frames', 300],
  ])('does not take a completion limit for one of each turn because of a row that %s', (_, realLength) => {
    const odd = factsOf(99, { realLength, promptLength: null, endReason: 'unknown', assistantLengths: [] })
    expect(per(100, [...closed(10), odd])).toBe('completion')
    expect(per(50, [...closed(10), odd])).toBe('turn')
  })

  it('takes what is beyond a completion limit for padding or for no such limit where no turn within it explains that', () => {
    const long = (assistantLengths: number[]) =>
      factsOf(99, { realLength: 900, promptLength: 60, endReason: 'unknown', assistantLengths })
    expect(per(100, [...closed(10), long([])])).toBe('completion')
    expect(per(100, [...closed(10), long([40, 400])])).toBe('completion')
    expect(per(100, [...closed(10), long([40, 90])])).toBe('turn')
    expect(per(100, [long([]), long([])])).toBe('turn')
  })

  it('takes a completion limit for one of each turn where no prompt is known, and not where there is no token', () => {
    const unknown = closed(3).map((row) => ({ ...row, promptLength: null }))
    expect(per(100, unknown)).toBe('turn')
    expect(per(100, [...unknown, factsOf(99, { realLength: 0, promptLength: 0 })])).toBe('turn')
    expect(per(100, [factsOf(0, { realLength: 0, promptLength: null })])).toBe('completion')
  })

  it.each([
    [2, 'completion'],
    [16, 'completion'],
    [17, 'turn'],
  ])('takes %i tokens beyond a completion limit as a sign that it is one per %s', (beyond, expected) => {
    const cut = factsOf(99, { realLength: 90 + 512 + beyond, promptLength: 90, endReason: 'cut-prose' })
    expect(per(512, [...closed(10), cut])).toBe(expected)
  })

  it('tells by cut replies what a limit of replies counts', () => {
    const cut = closed(10).map((row, i) => ({ ...row, cutReplies: [{ tokens: 60 + i, characters: 256 }] }))
    const reply = (limit: number | null, facts = cut) =>
      resolveLimits(settings(), limit === null ? {} : { max_tool_response_length: limit }, facts)
        .max_tool_response_length
    expect(reply(null)).toEqual({ value: 256, origin: 'inferred', unit: 'characters' })
    expect(reply(256)).toEqual({ value: 256, origin: 'metadata', unit: 'characters' })
    expect(reply(512)).toEqual({ value: 512, origin: 'metadata' })
    const given = settings('rl', { limits: { max_tool_response_length: 512 } })
    expect(resolveLimits(given, {}, cut).max_tool_response_length).toMatchObject({ origin: 'given', unit: 'tokens' })
  })
})
