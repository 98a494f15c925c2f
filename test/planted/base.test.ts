import { describe, expect, it } from 'vitest'
import { LLAMA31, QWEN3, QWEN25, renderPieces } from '../../samples/frames.ts'
import { EXAMPLE } from '../samples/example-conversation.ts'
import { PLAIN_TURN, type PlannedConversation, searchConversations } from './conversation.ts'
import { cleanDump } from './dump.ts'
import { FAMILY_NAMES, plantedFamily } from './families.ts'
import { buildRollout, decoded, type PlantedRollout, turnsBy, turnsOf } from './rollout.ts'
import { randomFor } from './seed.ts'
import { VARIANTS } from './variants.ts'

const idsOf = ({ tokens }: PlantedRollout) => tokens.map(({ id }) => id)
const variant = (name: string) => VARIANTS.find((each) => each.name === name)!.plan

describe.each(FAMILY_NAMES)('a planted rollout of %s', (name) => {
  const frames = { 'qwen2.5': QWEN25, qwen3: QWEN3, llama3: LLAMA31 }[name]

  it('has the ids of the rendered conversation', async () => {
    const family = await plantedFamily(name)
    const conversation: PlannedConversation = {
      ...(searchConversations(name, 'base', 1)[0] as PlannedConversation),
      system: EXAMPLE.system,
      user: EXAMPLE.user,
      tools: EXAMPLE.tools,
      turns: EXAMPLE.turns.map(({ thought, call, text, reply }) => ({
        ...PLAIN_TURN,
        // The template of Llama drops what stands before a call.
        thought: thought === '' || (name === 'llama3' && call !== null) ? null : thought,
        text,
        calls: call ? [{ id: call.id, name: 'retrieve', arguments: { query: call.query } }] : [],
        replies: call ? [reply] : [],
      })),
    }
    const options = { maxTokens: 4096, lastSeparator: true, otherSplits: 0 }
    const rollout = buildRollout(family, conversation, randomFor('base'), options)
    const text = renderPieces(frames, EXAMPLE).map((piece) => piece.text)
    expect(decoded(family, idsOf(rollout))).toBe(text.join(''))
    expect(idsOf(rollout)).toEqual(family.tokenizer.encode(text.join(''), { specials: true }))
  })

  it('knows of every token what it is', async () => {
    const { family, rollouts } = await cleanDump('base', name, { groups: 1 })
    for (const rollout of rollouts) {
      const { tokens, conversation } = rollout
      const turns = turnsBy(rollout, 'assistant')
      expect(turns).toHaveLength(conversation.turns.length)
      expect(turnsBy(rollout, 'tool')).toHaveLength(conversation.turns.length - 1)
      for (const turn of turns) {
        const header = tokens.slice(turn.start, turn.headerEnd).map(({ id }) => id)
        expect(decoded(family, header)).toBe(family.header)
        expect(tokens[turn.endToken]?.id).toBe(family.end)
        const inside = tokens.slice(turn.contentStart, turn.endToken + 1)
        expect(inside.every(({ sampled, trained }) => sampled && trained)).toBe(true)
      }
      const sampled = tokens.filter((token) => token.sampled).length
      expect(sampled).toBe(turns.reduce((sum, turn) => sum + turn.endToken + 1 - turn.contentStart, 0))
      expect(turnsOf(rollout).at(0)?.start).toBe(name === 'llama3' ? 1 : 0)
    }
  })

  it('spells control strings that stand in documents', async () => {
    const { family, rollouts } = await cleanDump('base', name, {
      ...variant('control strings inside documents'),
      groups: 1,
    })
    const plain = await cleanDump('base', name, { groups: 1 })
    const count = (rollout: PlantedRollout) => idsOf(rollout).filter((id) => id === family.end).length
    expect(rollouts.map(count)).toEqual(plain.rollouts.map(count))
    expect(
      rollouts.some((rollout) => decoded(family, idsOf(rollout)).split(family.endText).length - 1 > count(rollout)),
    ).toBe(true)
  })
})

describe('variants are what their names say', () => {
  it('sixty turns', async () => {
    const { rollouts } = await cleanDump('base', 'qwen2.5', variant('sixty turns'))
    expect(rollouts.map((rollout) => turnsBy(rollout, 'assistant').length)).toEqual(rollouts.map(() => 60))
  })

  it('replies of 30,000 tokens, of the tool and of the model', async () => {
    const { rollouts } = await cleanDump('base', 'qwen3', variant('replies of 30,000 tokens'))
    const longest = (kind: 'tool' | 'assistant') =>
      Math.max(...rollouts.flatMap((rollout) => turnsBy(rollout, kind)).map(({ start, end }) => end - start))
    expect(longest('tool')).toBeGreaterThan(30_000)
    expect(longest('assistant')).toBeGreaterThan(30_000)
  })

  it('a fifth of the logprobs exactly 0, in runs of 19', async () => {
    const { rollouts } = await cleanDump('base', 'qwen2.5', variant('a fifth of the logprobs exactly 0, in runs of 19'))
    const scores = rollouts.flatMap(({ tokens }) =>
      tokens.flatMap(({ sampler }) => (Number.isNaN(sampler) ? [] : [sampler])),
    )
    const share = scores.filter((score) => score === 0).length / scores.length
    expect(share).toBeGreaterThan(0.18)
    const runs = scores.map((score) => (score === 0 ? '0' : '-')).join('')
    expect(runs).toContain('0'.repeat(19))
  })

  it('a tenth of the rows stopped by length and masked', async () => {
    const { rollouts } = await cleanDump('base', 'llama3', variant('a tenth of the rows stopped by length and masked'))
    const cut = rollouts.filter(({ truncated }) => truncated)
    expect(cut).toHaveLength(6)
    expect(cut.flatMap(({ tokens }) => tokens.filter(({ trained }) => trained))).toEqual([])
    expect(cut.every((rollout) => turnsBy(rollout, 'assistant').at(-1)?.endToken === -1)).toBe(true)
  })

  it('parallel tool calls', async () => {
    const { rollouts } = await cleanDump('base', 'qwen3', variant('parallel tool calls'))
    const calls = rollouts.flatMap(({ messages }) => messages.map(({ tool_calls: made = [] }) => made.length))
    expect(Math.max(...calls)).toBe(2)
  })
})
