import { expect, test } from 'vitest'
import { behindCompared } from '../../renderer/views/compare/behind-compared.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'

test('a number of the open run beside another opens the rollouts that it is of, where something finds them', () => {
  const of = (id: string, here: number | string | null, codes: string[] = []) =>
    behindCompared({ id, here, there: null, codes })?.behind ?? null
  expect(of('checks.M15', 1, ['M15'])).toEqual({ codes: ['M15'] })
  expect(of('loss.part think', 0.78)).toEqual({ query: 'state:masked part:think' })
  expect(of('loss.part tool', 0)).toEqual({ query: 'state:masked part:tool' })
  expect(of('loss.turn 4', 0.2)).toEqual({
    query: 'state:trained assistant_turn:4 role:assistant -part:header,separator',
  })
  expect(of('ends.lost', 0.3)).toEqual({ where: { lostText: true } })
  expect(of('turns.several', 1)).toEqual({ query: 'assistant_turns>=2' })
  expect(of('edges.assistant>tool header', 0)).toEqual({ query: 'edge:assistant>tool' })
  expect(of('ends.cut-call', 0.1)).toEqual({ where: { end: 'cut-call' } })
  // Nothing is behind a zero, a word and what is not there.
  expect(of('checks.C05', 0, ['C05'])).toBeNull()
  expect(of('verdicts.H02', 'supported')).toBeNull()
  expect(of('loss.part tool', null)).toBeNull()
})

test('a mean opens the rollouts that it is taken over, and a percentile those beyond it, each by a query that can be read', () => {
  const query = (id: string, here: number) => {
    const behind = behindCompared({ id, here, there: null, codes: [] })?.behind
    expect(parseQuery(behind?.query ?? '').problems).toEqual([])
    return behind?.query
  }
  expect(query('reward.mean', 0)).toBe('has:reward')
  expect(query('reward.component format', 0.5)).toBe('reward.format>=0 or reward.format<0')
  expect(query('lengths.sequence', 812.4)).toBe('tokens>=0')
  expect(query('lengths.sequence p95', 1024.6)).toBe('tokens>=1024')
  expect(query('lengths.assistant-turn p95', 200)).toBe('turn_tokens>=200')
  expect(query('lengths.tool-reply', 200)).toBe('reply_tokens>=0')
  expect(query('turns.tool', 2.5)).toBe('has:turns')
  expect(query('logprobs.gap', 0.01)).toBe('has:logprob_gap')
})

test('a number of the second run opens the rollouts of that run, by its own value', () => {
  const of = (id: string, there: number | string | null, codes: string[] = []) =>
    behindCompared({ id, here: 0.5, there, codes }, 'there')
  expect(of('lengths.sequence p95', 300.2)).toEqual({
    behind: { query: 'tokens>=300' },
    title: expect.stringMatching(/of the second run .*The second run is opened in place of the first$/),
  })
  expect(of('loss.part think', 0.78)?.behind).toEqual({ query: 'state:masked part:think' })
  expect(of('checks.M15', 1, ['M15'])?.behind).toEqual({ codes: ['M15'] })
  // What the open run alone has says nothing of the second one.
  expect(of('checks.C05', 0, ['C05'])).toBeNull()
  expect(of('lengths.sequence', null)).toBeNull()
  expect(of('verdicts.H02', 'supported')).toBeNull()
})
