import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { ExportId } from '../../shared/exports/export-kind.ts'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { Session } from '../../shared/session/session.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'
import { exportRollouts } from './in-memory.ts'

const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }

async function exported(as: ExportId, records: readonly object[], chosen = (_: number) => true) {
  const bytes = new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const session = await Session.open([new MemorySource('dump.jsonl', bytes)], { tokenizer: 'qwen2.5' }, host)
  await session.done
  const indices = session.facts.map((_, index) => index).filter(chosen)
  const [file, last] = await exportRollouts(session, { as, indices, why: 'test' })
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(last!.bytes))
  const text = new TextDecoder().decode(file!.bytes).trim()
  return { name: file!.name, rows: text === '' ? [] : text.split('\n').map((line) => JSON.parse(line)), manifest }
}

const user = { role: 'user', content: 'Who?' }
const tools = [{ type: 'function', function: { name: 'search', parameters: {} } }]
const call = (text: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: text } }],
})
const ids = [151644, 77091, 198, 1, 2, 151645]
const tokens = { schema: 'rollout-inspector.trajectory/1', input_ids: ids, loss_mask: [0, 0, 0, 1, 1, 1] }

describe('as sft', () => {
  test('messages with arguments as templates render them, and the tools', async () => {
    const { name, rows } = await exported('sft', [
      {
        ...tokens,
        id: 'a',
        reward: 1,
        tools,
        messages: [user, call('{"q": "Ada"}'), { role: 'tool', content: 'x', tool_call_id: 'c' }],
      },
      { ...tokens, id: 'b', messages: [user, call('not JSON'), call('{"id": 12345678901234567890}'), call('[1]')] },
    ])
    expect(name).toBe('dump.sft.jsonl')
    expect(rows[0]).toEqual({
      id: 'a',
      reward: 1,
      tools,
      messages: [
        user,
        {
          ...call(''),
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: { q: 'Ada' } } }],
        },
        { role: 'tool', content: 'x', tool_call_id: 'c' },
      ],
    })
    const written = rows[1].messages
      .slice(1)
      .map((message: ReturnType<typeof call>) => message.tool_calls[0]?.function.arguments)
    expect(written).toEqual(['not JSON', '{"id": 12345678901234567890}', '[1]'])
  })

  test('no text in which a tool answers within the reply', async () => {
    const input = 'user\nHow high is the dam?\nassistant\n'
    const output = 'Look.\nuser\n<tool_response>\n61\n</tool_response>\nassistant\nIt is 61 metres high.'
    const texts = [
      { input, output: 'It is 61 metres high.', score: 1, step: 3 },
      { input, output, score: 0, step: 3 },
    ]
    const { rows, manifest } = await exported('sft', texts)
    expect(rows).toEqual([
      {
        id: '0',
        reward: 1,
        messages: [
          { role: 'user', content: input },
          { role: 'assistant', content: 'It is 61 metres high.' },
        ],
      },
    ])
    expect(manifest.notes).toEqual([
      expect.stringMatching(/^1 rollout whose turns and tool replies stand in the text of one reply/),
      expect.stringMatching(/^1 rollout whose texts were decoded as a whole/),
    ])
    const pairs = await exported('dpo', texts)
    expect(pairs.rows).toEqual([])
    expect(pairs.manifest.notes).toEqual([expect.stringMatching(/^1 group whose best or worst rollout is the text of/)])
    // What is written as native keeps its turns open.
    const native = await exported('native', texts)
    expect(native.rows.map(({ messages }) => messages.map((message: object) => 'flattened' in message))).toEqual([
      [true, false],
      [true, true],
    ])
    expect((await exported('sft', native.rows)).rows).toHaveLength(1)
  })

  test('without messages ids and labels: what was trained, without padding', async () => {
    const { rows, manifest } = await exported('sft', [
      {
        ...tokens,
        id: 'a',
        input_ids: [...ids, 151643, 151643],
        loss_mask: [0, 0, 0, 1, 0, 1, 0, 0],
        prompt_length: 3,
      },
      { ...tokens, id: 'none', loss_mask: [0, 0, 0, 0, 0, 0] },
      { ...tokens, id: 'weighted', loss_mask: [0, 0, 0, 0.5, 0.25, 1] },
    ])
    expect(rows).toEqual([
      { id: 'a', input_ids: ids, labels: [-100, -100, -100, 1, -100, 151645] },
      { id: 'weighted', input_ids: ids, labels: [-100, -100, -100, 1, 2, 151645] },
    ])
    expect(manifest.notes).toEqual([
      '1 rollout without trained token ids: left out.',
      '1 rollout with loss weights other than 0 and 1, which labels cannot tell: lost here.',
      'There are no messages in dump.jsonl: rows are ids and labels, without padding.',
    ])
  })

  test('beside messages of the prompt alone, what was said is in the ids', async () => {
    const { rows, manifest } = await exported('sft', [
      { ...tokens, id: 'none', messages: [user], loss_mask: [0, 0, 0, 0, 0, 0] },
      { ...tokens, id: 'a', messages: [user] },
      { ...tokens, id: 'b', messages: [user] },
    ])
    expect(rows).toEqual(['a', 'b'].map((id) => ({ id, input_ids: ids, labels: [-100, -100, -100, 1, 2, 151645] })))
    expect(manifest.notes).toEqual([
      '1 rollout without trained token ids: left out.',
      'There are no messages with a turn of the assistant in dump.jsonl: rows are ids and labels, without padding.',
    ])
  })

  test('a rollout that only asks, or that the source excludes, is left out and counted', async () => {
    const answer = { role: 'assistant', content: 'Ada.' }
    const { rows, manifest } = await exported('sft', [
      { ...tokens, id: 'a', messages: [user, answer] },
      { ...tokens, id: 'b', messages: [user] },
    ])
    expect(rows.map(({ id }) => id)).toEqual(['a'])
    expect(manifest.files).toMatchObject([{ records: 1, trajectories: 1 }])
    expect(manifest.notes.join()).toContain('1 rollout without messages with a turn of the assistant: left out.')
  })
})

describe('turns of the model under another name than assistant', () => {
  const pair = (role: string) =>
    [0, 1].map((reward) => ({
      ...tokens,
      id: `r${reward}`,
      group_id: 'g',
      reward,
      messages: [
        { role: 'system', content: 'Look.' },
        { role: 'human', content: 'Who?' },
        { role, content: `Ada ${reward}.` },
        { role: 'observation', content: 'x' },
      ],
    }))
  const said = (reward: number) => ({ role: 'assistant', content: `Ada ${reward}.` })
  const prompt = [{ role: 'system', content: 'Look.' }, user]

  test.each(['gpt', 'model', 'AI', 'agent', 'bot', 'Assistant'])('are trained on as its own: %s', async (role) => {
    const note = `Roles under the names that chat templates know: human as user, ${role} as assistant.`
    const sft = await exported('sft', pair(role))
    expect(sft.rows.map(({ messages }) => messages)).toEqual(
      [0, 1].map((reward) => [...prompt, said(reward), { role: 'observation', content: 'x' }]),
    )
    expect(sft.manifest.notes).toEqual([note])
    const dpo = await exported('dpo', pair(role))
    expect(dpo.rows).toEqual([
      { prompt, chosen: [said(1)], rejected: [said(0)], score_chosen: 1, score_rejected: 0, group_id: 'g' },
    ])
    expect(dpo.manifest.notes).toEqual([
      '1 pair without what stood behind the last words of the model: a pair ends with those.',
      note,
    ])
  })

  test('those of an environment answer a call, or are the other side of a game', async () => {
    const state = (content: string) => ({ role: 'environment', content })
    const of = async (...messages: object[]) => {
      const { rows, manifest } = await exported('sft', [{ ...tokens, id: 'a', messages }])
      return { roles: rows[0].messages.map(({ role }: { role: string }) => role), notes: manifest.notes }
    }
    const game = [state('A cube.'), { role: 'agent', content: 'U' }, state('Another.'), { role: 'agent', content: 'D' }]
    expect(await of(...game)).toEqual({
      roles: ['user', 'assistant', 'user', 'assistant'],
      notes: ['Roles under the names that chat templates know: environment as user, agent as assistant.'],
    })
    expect(await of(state('Who?'), call('{}'), state('Ada.'))).toEqual({
      roles: ['user', 'assistant', 'tool'],
      notes: ['Roles under the names that chat templates know: environment as user and tool.'],
    })
    expect((await of(user, call('{}'), { role: 'tool_response', content: 'x' })).roles).toEqual([
      'user',
      'assistant',
      'tool',
    ])
    // Templates of their own models know these.
    for (const role of ['tool', 'ipython', 'function', 'observation'])
      expect(await of(user, call('{}'), { role, content: 'x' })).toEqual({
        roles: ['user', 'assistant', role],
        notes: [],
      })
  })

  test('are not looked for in a name that nobody knows', async () => {
    const { rows, manifest } = await exported('sft', pair('narrator'))
    expect(rows).toEqual([])
    expect(manifest.notes[0]).toContain('2 rollouts without messages with a turn of the assistant: left out.')
  })
})

describe('as dpo', () => {
  const said = (text: string) => ({ role: 'assistant', content: text })
  const row = (group: string, reward: number | null, ...messages: object[]) => ({
    ...tokens,
    group_id: group,
    ...(reward === null ? {} : { reward }),
    messages: [user, ...messages],
  })

  test('the best and the worst of a group, from the first turn of the assistant on', async () => {
    const { name, rows, manifest } = await exported('dpo', [
      row('g', 0.5, said('middle')),
      row('g', 0, said('worst')),
      row('g', 1, said('best'), user, said('more')),
      row('g', 1, said('also best')),
      row('even', 1, said('a')),
      row('even', 1, said('b')),
      row('alone', 1, said('a')),
      row('alone', null, said('b')),
      { ...row('differ', 1, said('a')), messages: [{ role: 'user', content: 'Else?' }, said('a')] },
      row('differ', 0, said('b')),
    ])
    expect(name).toBe('preferences.dpo.jsonl')
    expect(rows).toEqual([
      {
        prompt: [user],
        chosen: [said('best'), user, said('more')],
        rejected: [said('worst')],
        score_chosen: 1,
        score_rejected: 0,
        group_id: 'g',
      },
    ])
    expect(manifest.files).toMatchObject([{ records: 1, trajectories: 2 }])
    expect(manifest.notes.map((note) => note.replace(/,? .*/, ''))).toEqual(['1', '1', '1'])
    expect(manifest.notes.join('\n')).toMatch(/fewer than two[\s\S]*one and the same reward[\s\S]*same prompt/)
  })

  test('both end with words of the model, and not with what was answered to it', async () => {
    const { rows, manifest } = await exported('dpo', [
      row('g', 1, said('best'), user, said('more'), user),
      row('g', 0, said('worst')),
      row('same', 1, said('a'), { role: 'tool', content: 'found' }),
      row('same', 0, said('a'), { role: 'tool', content: 'nothing' }),
    ])
    expect(rows).toMatchObject([{ chosen: [said('best'), user, said('more')], rejected: [said('worst')] }])
    expect(manifest.notes).toEqual([
      '1 group in whose best and worst rollout the model says the same: no pair.',
      '1 pair without what stood behind the last words of the model: a pair ends with those.',
    ])
  })

  test('a key counts within its step and its file, as groups do', async () => {
    const { rows, manifest } = await exported('dpo', [
      { ...row('0', 0, said('a')), step: 1 },
      { ...row('0', 1, said('b')), step: 1 },
      { ...row('0', 0.5, said('c')), step: 2 },
      { ...row('0', 2, said('d')), step: 2 },
    ])
    expect(rows.map(({ chosen, rejected }) => [chosen, rejected])).toEqual([
      [[said('b')], [said('a')]],
      [[said('d')], [said('c')]],
    ])
    expect(manifest.notes).toEqual([])
  })

  test('of a rollout that was stored as several sequences stands the first that was chosen', async () => {
    const records = [0, 1, 2].flatMap((rollout) =>
      ['first', 'second', 'third'].map((branch) => ({
        ...row('g', rollout, said(`${branch} of ${rollout}`)),
        rollout_id: `r${rollout}`,
        branch,
      })),
    )
    const pairOf = (branch: string) => [{ chosen: [said(`${branch} of 2`)], rejected: [said(`${branch} of 0`)] }]
    const all = await exported('dpo', records)
    expect(all.rows).toMatchObject(pairOf('first'))
    expect(all.manifest.notes).toEqual([expect.stringMatching(/^6 chosen sequences stand in no pair: /)])
    const later = await exported('dpo', records, (index) => index % 3 > 0)
    expect(later.rows).toMatchObject(pairOf('second'))
    expect(later.manifest.notes).toEqual([expect.stringMatching(/^3 chosen sequences stand in no pair: /)])
    const last = await exported('dpo', records, (index) => index % 3 === 2)
    expect(last.rows).toMatchObject(pairOf('third'))
    expect(last.manifest.notes).toEqual([])
  })

  test('without messages the texts of the ids, with their control tokens', async () => {
    const { rows, manifest } = await exported('dpo', [
      { ...tokens, group_id: 'g', reward: 1, prompt_length: 3 },
      { ...tokens, input_ids: [...ids.slice(0, 4), 151645, 198], group_id: 'g', reward: 0, prompt_length: 3 },
    ])
    expect(rows).toMatchObject([
      { prompt: '<|im_start|>assistant\n', chosen: '"#<|im_end|>', rejected: '"<|im_end|>\n' },
    ])
    expect(manifest.notes.join()).toContain('control tokens')
    expect(manifest.notes).toHaveLength(1)
    // <|im_start|>user, and its end
    const asked = [198, 151644, 872, 198, 1, 151645]
    const padded = { group_id: 'g', prompt_length: 3, loss_mask: Array(12).fill(0) }
    const more = await exported('dpo', [
      { ...tokens, ...padded, input_ids: [...ids, ...asked], reward: 1 },
      { ...tokens, input_ids: [...ids.slice(0, 4), 151645, 198], group_id: 'g', reward: 0, prompt_length: 3 },
    ])
    expect(more.rows).toMatchObject([{ chosen: '"#<|im_end|>', rejected: '"<|im_end|>\n' }])
    expect(more.manifest.notes).toContain(
      '1 pair without what stood behind the last words of the model: a pair ends with those.',
    )
  })
})
