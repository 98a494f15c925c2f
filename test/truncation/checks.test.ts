import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { findingUnproved } from '../../shared/checks/reporting/dump-reporter.ts'
import { endingOf } from '../../shared/checks/truncation/ending.ts'
import { promptCutLeft } from '../../shared/checks/truncation/prompt-cut-left.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, tool, user } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { audited, qwen } from '../session/dumps.ts'
import { findings } from './findings.ts'

describe('endingOf', () => {
  const open = { endReason: 'cut-prose' } as const
  it.each([
    ['closed', factsOf(0), {}],
    ['open', factsOf(0, open), {}],
    ['cut', factsOf(0, { ...open, finishReason: 'length' }), {}],
    ['cut', factsOf(0, { ...open, isTruncated: true }), {}],
    ['cut', factsOf(0, { ...open, realLength: 1014 }), { max_seq_len: 1024 }],
    ['open', factsOf(0, { ...open, realLength: 1013 }), { max_seq_len: 1024 }],
    ['cut', factsOf(0, { ...open, assistantLengths: [9, 128] }), { max_completion_length: 128 }],
    ['stopped', factsOf(0, { endReason: 'cut-call', finishReason: 'tool_calls' }), {}],
    [null, factsOf(0, { endReason: 'cut-reply' }), {}],
    [null, factsOf(0, { endReason: 'unknown' }), {}],
  ] as const)('%s', (ending, facts, limits) => {
    expect(endingOf(facts, { values: limits, per: null }, DEFAULT_THRESHOLDS)).toBe(ending)
  })
})

describe('C03', () => {
  it('points at the turn where the row itself says that it was cut', async () => {
    const { findings: found, tally } = await findings('C03', { end: false }, { finishReason: 'length' })
    expect(tally).toMatchObject({ checked: 3, affected: 1, byTurn: { 2: 1 } })
    expect(found[0]).toMatchObject({ severity: 'warning', record: 0, turn: 4, evidence: { finish_reason: 'length' } })
  })

  it('judges a row that says nothing by the others, once', async () => {
    const { findings: found, tally } = await findings('C03', { end: false }, {})
    expect(tally).toMatchObject({ checked: 3, affected: 1, placesChecked: 3 })
    expect(found).toHaveLength(1)
    expect(found[0]?.evidence).toMatchObject({ rollouts_closed: 2, rollouts: 3 })
  })

  it.each([
    ['is not rewarded', { end: false }, { reward: 0, finishReason: 'length' }],
    ['trains nothing', { end: false, train: false }, { finishReason: 'length' }],
    ['stopped by itself', { end: false }, { finishReason: 'stop' }],
  ] as const)('is silent where the cut row %s', async (_, answer, options) => {
    expect((await findings('C03', answer, options)).findings).toEqual([])
  })

  it('needs rewards', async () => {
    const { tally } = await findings(
      'C03',
      {},
      {},
      { rows: (tokenizer) => [searchRow(tokenizer, 0, { answer: { end: false } })] },
    )
    expect(tally.checked).toBe(0)
  })

  it('sees a pile-up without a single closed row', () => {
    const facts = [70, 80, 95].map((promptLength, i) =>
      factsOf(i, { reward: 0.5, realLength: 512, promptLength, endReason: 'cut-prose', assistantLengths: [30 + i] }),
    )
    const dump = dumpOf(facts)
    expect(dump.limits.max_seq_len?.origin).toBe('inferred')
    expect(runOver('C03', dump).tally).toMatchObject({ checked: 3, affected: 3 })
    expect(runOver('C03', { ...dump, limits: { ...dump.limits, max_seq_len: null } }).tally.affected).toBe(0)
  })
})

describe('C01', () => {
  it('estimates from the messages what is lost', async () => {
    const { findings: found } = await findings('C01', {}, { cutLeft: 12, messages: true })
    // Of the twelve tokens that were cut three are the header, which messages do not hold.
    expect(found[0]).toMatchObject({ severity: 'error', record: 0, turn: 0, evidence: { lost_tokens_estimated: 9 } })
    expect(found[0]?.evidence).toMatchObject({ cut: 'left', lost_parts: ['system prompt'] })
  })

  it('names a row that lacks the system turn of its group', () => {
    const facts = ['system', 'system', 'user'].map((firstRole, i) =>
      factsOf(i, { group: 'g', firstRole, promptLength: firstRole === 'system' ? 300 : 180 }),
    )
    const { findings: found, tally } = runOver('C01', dumpOf(facts))
    expect(tally).toMatchObject({ checked: 1, affected: 1 })
    expect(found[0]).toMatchObject({ record: 2, evidence: { lost_tokens_estimated: 120, whole_sibling: '0' } })
  })

  it('estimates by a sibling what the messages do not tell', () => {
    const cutLeft = { tokens: [0, 40], text: ' tool.\n\n# Tools', lost: null } as const
    const facts = [300, 300, 210].map((promptLength, i) =>
      factsOf(i, { group: 'g', promptLength, firstRole: i < 2 ? 'user' : null, ...(i < 2 ? {} : { cutLeft }) }),
    )
    const { findings: found, tally } = runOver('C01', dumpOf(facts, { limits: { max_prompt_length: 210 } }))
    // That the others begin with a question is how the run is: only the third begins inside a turn.
    expect(tally).toMatchObject({ checked: 3, affected: 1, byTurn: { 0: 1 } })
    expect(found[0]).toMatchObject({
      record: 2,
      tokens: [0, 40],
      evidence: {
        limit: { name: 'max_prompt_length', value: 210 },
        first_text: ' tool.\n\n# Tools',
        whole_sibling: '0',
        lost_tokens_estimated: 90,
      },
    })
  })

  it.each([
    ['as its siblings begin with their system turn', true, 1],
    ['which says nothing where they are cut there as well', false, 0],
  ])('names a row that was cut between two turns, %s', async (_, areWhole, affected) => {
    const { findings: found } = await findings(
      'C01',
      {},
      {},
      {
        rows: (tokenizer) =>
          [0, 1, 2].map((n) => {
            const options = { group: 'g', reward: n / 4 }
            const cutLeft = (searchRow(tokenizer, n, {}, options).layout[0]?.endToken as number) + 1
            return searchRow(tokenizer, n, {}, n === 0 || !areWhole ? { ...options, cutLeft, padLeft: 5 } : options)
          }),
      },
    )
    expect(found.map(({ record, evidence }) => [record, evidence.first_role])).toEqual(
      affected === 1 ? [[0, 'user']] : [],
    )
  })

  it('does not pass where rows lack the system message of their messages, and tells it from other prompts', () => {
    const sayOf = (more: Partial<TrajectoryFacts>) => {
      const dump = dumpOf([0, 1, 2].map((i) => factsOf(i, { group: 'g', firstRole: 'user', ...more })))
      const { tally } = runOver('C01', dump)
      expect(tally.affected).toBe(0)
      return atOnce(findingUnproved(promptCutLeft, tally, dump))
    }
    expect(sayOf({ systemReplaced: true })).toContain('in 3 of 3 rollouts the ids hold nothing of the system message')
    expect(sayOf({})).toBeNull()
    expect(sayOf({ systemReplaced: true, firstRole: 'system' })).toBeNull()
  })

  it('is silent where no row of the group has a system turn', () => {
    const facts = [0, 1, 2].map((i) => factsOf(i, { group: 'g', firstRole: 'user' }))
    expect(runOver('C01', dumpOf(facts)).tally).toMatchObject({ checked: 3, affected: 0 })
  })
})

describe('C05', () => {
  /** Rollouts that are said to have stopped: `closed` with an end token, the others as given. */
  const stopped = (closed: number, open: readonly Partial<TrajectoryFacts>[]) =>
    dumpOf(
      [...Array<Partial<TrajectoryFacts>>(closed).fill({ endsClosed: true, lastToken: 151645 }), ...open].map(
        (more, i) => factsOf(i, { finishReason: 'stop', endsClosed: false, ...more }),
      ),
      { limits: { max_seq_len: 1024 } },
    )

  it('names a stop without an end token that stands at a limit', () => {
    const { findings: found, tally } = runOver('C05', stopped(6, [{ lastToken: 17, realLength: 1020 }]))
    expect(tally).toMatchObject({ checked: 1, affected: 1 })
    expect(found[0]).toMatchObject({
      severity: 'error',
      record: 6,
      evidence: { limit: { name: 'max_seq_len', value: 1024 }, rollouts_with_end_token: 6, rollouts_without: 1 },
    })
    expect(found[0]?.message).toMatch(/stands at max_seq_len 1,024/)
  })

  it('names what is flagged as whole and ends in a reply that nothing closes, at a limit that such rows show', () => {
    const reply = { endReason: 'cut-reply', endsClosed: false, isTruncated: false, assistantLengths: [40] } as const
    const said = (rows: readonly Partial<TrajectoryFacts>[]) =>
      runOver('C05', dumpOf(rows.map((more, i) => factsOf(i, { ...reply, promptLength: 70 + 5 * i, ...more }))))
        .findings
    const cut = Array<Partial<TrajectoryFacts>>(3).fill({ realLength: 512, openEnd: [480, 512] })
    const shorter = { realLength: 400, openEnd: [380, 400] } as const
    expect(said([...cut, shorter])).toMatchObject([
      { severity: 'error', record: 0, tokens: [488, 512], evidence: { end: 'cut-reply' } },
      { record: 1 },
      { record: 2 },
    ])
    expect(said(cut)[0]?.message).toMatch(/its last turn has no end token where max_seq_len 512 is reached$/)
    // Behind a whole reply the environment may end a rollout, and what is flagged as cut is right.
    expect(said([...cut.slice(1), ...cut.map((row) => ({ ...row, endsClosed: true }))])).toHaveLength(2)
    expect(said(cut.map((row) => ({ ...row, isTruncated: true })))).toEqual([])
  })

  it('says of one among many that only the token is missing', () => {
    expect(runOver('C05', stopped(30, [{ lastToken: 17 }])).findings).toMatchObject([
      { severity: 'warning', record: 30 },
    ])
  })

  it('names stops without an end token however many they are, where nearly all of them are as long as a limit', () => {
    const atLimit = Array.from({ length: 20 }, (_, i) => ({ lastToken: 100 + i, realLength: 1020 + (i % 5) }))
    const { findings: found } = runOver('C05', stopped(5, atLimit))
    expect(found).toHaveLength(20)
    expect(found[0]).toMatchObject({ severity: 'error' })
    expect(found[0]?.message).toMatch(
      /as 5 of 25 .* have; it stands at max_seq_len 1,024, as 20 of the 20 without one do$/,
    )
    const shorter = Array.from({ length: 4 }, (_, i) => ({ lastToken: 200 + i, realLength: 400 + i }))
    expect(runOver('C05', stopped(5, [...atLimit, ...shorter])).findings).toEqual([])
  })

  it.each([
    ['few others have the token', stopped(3, [{ lastToken: 17 }])],
    ['the writer strips the token', stopped(0, [{ lastToken: 17, realLength: 1020 }, { lastToken: 18 }])],
    ['the run stops on a string', stopped(60, [{ lastToken: 29 }, { lastToken: 29 }])],
  ])('is silent where %s', (_, dump) => {
    expect(runOver('C05', dump).findings).toEqual([])
  })
})

describe('places of cuts', () => {
  const DOCUMENT = `Night Harbour is a film of 1961. ${'The port, the quay and the old pier are seen in it. '.repeat(8)}Ines Valdoro made it.`

  it('C08 says the limit, how much it took and of which document', async () => {
    const shown = `${DOCUMENT.slice(0, 128)}...(truncated)...${DOCUMENT.slice(-128)}`
    const { findings: found } = await findings(
      'C08',
      {},
      {},
      {
        rows: (tokenizer) => [
          searchRow(
            tokenizer,
            0,
            { reply: { text: shown } },
            {
              limits: { max_tool_response_length: 256 },
              documents: [{ id: 'd1', text: DOCUMENT, supporting: true }],
              more: {
                messages: [
                  { role: 'user', content: 'Who?' },
                  { role: 'assistant', content: '' },
                  { role: 'tool', content: DOCUMENT },
                  { role: 'assistant', content: 'Ines Valdoro' },
                ],
              },
            },
          ),
        ],
      },
    )
    expect(found[0]?.evidence).toMatchObject({
      cut: 'middle',
      limit: { name: 'max_tool_response_length', value: 256 },
      characters_left: 256,
      lost_parts: ['document d1'],
    })
    expect(found[0]?.evidence.lost_tokens).toBeGreaterThan(20)
  })

  it('C02 says how much of the question is gone where its message holds it', async () => {
    const question = `${DOCUMENT} Who made this film, and in which year was it shown?`
    const { findings: found } = await findings(
      'C02',
      {},
      {},
      {
        rows: (tokenizer) => [
          conversation(
            tokenizer,
            [user(question.slice(0, 90), { end: false }), { role: 'assistant', text: 'Ines Valdoro made it.' }],
            {
              limits: { max_prompt_length: 40 },
              more: {
                messages: [
                  { role: 'user', content: question },
                  { role: 'assistant', content: 'Ines Valdoro made it.' },
                ],
              },
            },
          ),
        ],
      },
    )
    expect(found[0]?.evidence).toMatchObject({ cut: 'middle', limit: { name: 'max_prompt_length', value: 40 } })
    expect(found[0]?.evidence.lost_tokens).toBeGreaterThan(60)
  })

  it('C09 names the documents, and the whole dump what their loss is worth', async () => {
    const documents = (visible: number) => ({
      supportingDocuments: { available: 2, retrieved: 2, visible, standing: visible },
    })
    const facts = [0.9, 0.7, 0.2].map((reward, i) => factsOf(i, { reward, ...documents(i < 2 ? 2 : 1) }))
    expect(runOver('C09', dumpOf(facts)).context).toEqual({
      mean_reward: { all_visible: { rollouts: 2, mean: 0.8 }, some_hidden: { rollouts: 1, mean: 0.2 } },
    })
  })

  it('C09 takes a turn that the model closed with nothing in it for its answer', async () => {
    const tokenizer = await qwen()
    const text = 'The river Arn rises in the hills of Teal, where the old mill stands beside the road to the north.'
    const talk = (answer: string) => {
      const turns = [user('Where does the Arn rise?'), assistant('I look it up.'), tool(text), assistant(answer)]
      const { record } = conversation(tokenizer, turns, {
        messages: true,
        documents: [{ id: 'd', text, supporting: true }],
      })
      return record
    }
    const lines = [talk(''), talk('In the hills.')].map((row) => `${JSON.stringify(row)}\n`).join('')
    const report = (await audited(lines)).report()
    expect(report.checks.find(({ code }) => code === 'C09')).toMatchObject({ status: 'pass', checked: 2 })
  })
})

describe('C13', () => {
  const turns = (lengths: readonly number[]) =>
    runOver(
      'C13',
      dumpOf(
        [1, 2, 3, 4].map((i) => factsOf(i, { assistantLengths: [...lengths], promptLength: 50, realLength: 600 + i })),
        { options: { limits: { max_completion_length: 128 } } },
      ),
    ).tally

  it('knows a turn that the limit cut by its length, with or without an end token that was put behind it', () => {
    expect(turns([128, 40])).toMatchObject({ checked: 4, affected: 4 })
    expect(turns([129, 40])).toMatchObject({ checked: 4, affected: 4 })
    expect(turns([127, 40])).toMatchObject({ checked: 4, affected: 0 })
    expect(turns([140, 40])).toMatchObject({ checked: 4, affected: 0 })
  })
})
