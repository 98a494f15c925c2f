import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../shared/model/trajectory.ts'
import { alignIds } from '../../shared/session/rollout/align-ids.ts'
import { chatTemplate, templateMessages } from '../../shared/tokens/template/render.ts'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { SEARCH_TOOL } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from './dumps.ts'

const CALL = { id: 'c1', name: 'search', arguments: '{"query": "Arn"}' }
const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'Answer with the help of the search.' },
  { role: 'user', content: 'Where does the Arn rise?' },
  { role: 'assistant', content: 'Let me look.', toolCalls: [CALL] },
  { role: 'tool', content: 'The Arn rises in the hills of Teal.', toolCallId: 'c1' },
  { role: 'assistant', content: 'In the hills of Teal.' },
]
/** The same without a call, for templates that think. */
const THOUGHT: readonly Message[] = [
  { role: 'user', content: 'Where does the Arn rise?' },
  { role: 'assistant', content: '<think>\nThe hills of Teal.\n</think>\n\nIn the hills.' },
  { role: 'user', content: 'And the Brook?' },
  { role: 'assistant', content: '<think>\n\n</think>\n\nI do not know.' },
]

function textOf(tokenizer: Tokenizer, messages: readonly Message[], tools: readonly unknown[] | null): string {
  return chatTemplate(tokenizer.template as string, tokenizer.frame?.names).render(templateMessages(messages), {
    tools,
  })
}

function record(ids: readonly number[], messages: readonly Message[], tools: readonly unknown[] | null) {
  const written = messages.map(({ role, content, toolCalls, toolCallId }) => ({
    role,
    content,
    ...(toolCalls
      ? {
          tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function',
            function: { name, arguments: text },
          })),
        }
      : {}),
    ...(toolCallId ? { tool_call_id: toolCallId } : {}),
  }))
  return `${JSON.stringify({ input_ids: ids, loss_mask: ids.map(() => 0), messages: written, ...(tools ? { tools } : {}) })}\n`
}

async function compare(
  family: BundledTokenizerId,
  kind: 'render' | 'retokenise',
  given: {
    readonly messages?: readonly Message[]
    readonly tools?: readonly unknown[] | null
    readonly text?: (text: string) => string
    readonly ids?: (ids: number[], tokenizer: Tokenizer) => number[]
    readonly recorded?: { readonly messages: readonly Message[]; readonly tools: readonly unknown[] | null }
  } = {},
) {
  const tokenizer = await testTokenizer(family)
  const { messages = MESSAGES, tools = [SEARCH_TOOL], text = (same) => same, ids = (same) => same } = given
  const recorded = given.recorded ?? { messages, tools }
  const own = ids(
    tokenizer.encode(text(textOf(tokenizer, recorded.messages, recorded.tools)), { specials: true }),
    tokenizer,
  )
  const session = await audited(record(own, messages, tools), { tokenizer: family })
  return { own, ...(await session.rollouts.compareIds(0, kind)) }
}

const causes = ({ differences }: { differences: readonly { cause: string }[] }) => differences.map(({ cause }) => cause)

describe('ids beside what their messages render to', () => {
  it.each(['qwen2.5', 'qwen3', 'llama3'] as const)('are the same where they were rendered, %s', async (family) => {
    const found = await compare(family, 'render')
    expect(found.impossible).toBeNull()
    expect(found.differences).toEqual([])
    expect(found.common).toBe(found.own.length)
    expect([...found.ids]).toEqual(found.own)
  })

  it('leave the padding out', async () => {
    const found = await compare('qwen2.5', 'render', { ids: (ids) => [151643, 151643, ...ids, 151643, 151643, 151643] })
    expect(found.differences).toEqual([])
  })

  it('name a newline that is missing after the end of a turn, at its place', async () => {
    const found = await compare('qwen2.5', 'render', {
      text: (text) =>
        text
          .replace('Let me look.', 'Let me look.')
          .replaceAll('<|im_end|>\n<|im_start|>user', '<|im_end|><|im_start|>user'),
    })
    expect(new Set(causes(found))).toEqual(new Set(['newline']))
    for (const { recorded, other } of found.differences) {
      expect(recorded[1]).toBe(recorded[0])
      expect([...found.ids.subarray(...other)]).toEqual([198])
      expect(found.own[recorded[0]]).toBe(151644)
    }
  })

  it('name a thought that the template takes out of an earlier turn', async () => {
    const tokenizer = await testTokenizer('qwen3')
    const thought = '<think>\nThe hills of Teal.\n</think>\n\n'
    const found = await compare('qwen3', 'render', {
      messages: THOUGHT,
      tools: null,
      text: (text) => text.replace('assistant\nIn the hills.', `assistant\n${thought}In the hills.`),
    })
    expect(textOf(tokenizer, THOUGHT, null)).not.toContain('The hills of Teal')
    expect(causes(found)).toEqual(['thinking-stripped'])
    expect(found.differences[0]?.words).toContain('The hills of Teal')
  })

  it('name a default system prompt, tool schemas, another date and a call in other JSON', async () => {
    const alone = MESSAGES.slice(1, 2)
    const withDefault = await compare('qwen2.5', 'render', {
      messages: alone,
      tools: null,
      text: (text) => text.slice(text.indexOf('<|im_start|>user')),
    })
    expect(causes(withDefault)).toEqual(['default-system-prompt'])
    const schemas = await compare('qwen2.5', 'render', { recorded: { messages: MESSAGES, tools: null } })
    expect(causes(schemas)).toContain('tools')
    const dated = await compare('llama3', 'render', { text: (text) => text.replace('26 Jul 2024', '21 Nov 2026') })
    expect(causes(dated)).toEqual(['date'])
    const rewritten = await compare('qwen2.5', 'render', {
      text: (text) => text.replace('"arguments": {"query": "Arn"}', '"arguments":{"query":"Arn"}'),
    })
    expect(causes(rewritten)).toEqual(['call-reserialised'])
  })

  it('name an end that was cut off, and an end token that is missing', async () => {
    const cut = await compare('qwen2.5', 'render', {
      text: (text) => text.slice(0, text.indexOf('of Teal.<|im_end|>')),
    })
    expect(causes(cut)).toEqual(['cut'])
    const open = await compare('qwen2.5', 'render', {
      text: (text) => text.replace('In the hills of Teal.<|im_end|>\n', 'In the hills of Teal.\n'),
    })
    expect(causes(open)).toContain('end-of-turn')
  })

  it('name a header that is missing and a BOS that stands twice', async () => {
    const headless = await compare('qwen2.5', 'render', {
      text: (text) => text.replace('<|im_start|>assistant\nIn the hills', 'In the hills'),
    })
    expect(causes(headless)).toEqual(['header'])
    const twice = await compare('llama3', 'render', { ids: (ids) => [128000, ...ids] })
    expect(causes(twice)).toEqual(['bos'])
  })

  it('say of the newline after the last turn that it need not be there', async () => {
    const found = await compare('qwen2.5', 'render', { text: (text) => text.trimEnd() })
    expect(causes(found)).toEqual(['newline'])
    expect(found.differences[0]?.words).toContain('need not')
  })

  it('say why there is nothing to render', async () => {
    const tokenizer = await testTokenizer('qwen2.5')
    const ids = tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n', { specials: true })
    const session = await audited(`${JSON.stringify({ input_ids: ids, loss_mask: ids.map(() => 0) })}\n`)
    expect((await session.rollouts.compareIds(0, 'render')).impossible).toContain('Messages: not in this dump')
  })

  it('stop when they are told to', async () => {
    const tokenizer = await testTokenizer('qwen2.5')
    const ids = tokenizer.encode(textOf(tokenizer, MESSAGES, null), { specials: true })
    const session = await audited(record(ids, MESSAGES, null))
    const stop = new AbortController()
    const answer = session.rollouts.compareIds(0, 'render', stop.signal)
    stop.abort(new Error('Stopped.'))
    await expect(answer).rejects.toThrow('Stopped.')
  })
})

describe('ids beside their own text encoded again', () => {
  it('are the same where the tokenizer made them, and have another split named where it did not', async () => {
    expect((await compare('qwen2.5', 'retokenise')).differences).toEqual([])
    const found = await compare('qwen2.5', 'retokenise', {
      ids: (ids, tokenizer) => {
        const [word] = tokenizer.encode(' hills')
        const split = [...tokenizer.encode(' h'), ...tokenizer.encode('ills')]
        return ids.flatMap((id) => (id === word ? split : [id]))
      },
    })
    expect(new Set(causes(found))).toEqual(new Set(['token-split']))
    expect(found.differences[0]?.words).toBe('The same text in 2 tokens here and in 1 there: “ hills”')
  })

  it('tell a control token that ordinary tokens spell', async () => {
    const found = await compare('qwen2.5', 'retokenise', {
      ids: (ids, tokenizer) => ids.flatMap((id) => (id === 151645 ? tokenizer.encode('<|im_end|>') : [id])),
    })
    expect(causes(found)).toContain('marker-spelt')
  })
})

describe('the alignment of two rows of ids', () => {
  const rebuilt = (a: Int32Array, b: Int32Array, hunks: ReturnType<typeof alignIds>): number[] => {
    const ids: number[] = []
    let at = 0
    for (const hunk of hunks) {
      ids.push(...a.subarray(at, hunk.a[0]), ...b.subarray(...hunk.b))
      at = hunk.a[1]
    }
    return [...ids, ...a.subarray(at)]
  }

  it('turns one into the other, whatever they are', () => {
    const row = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 }).map((ids) => Int32Array.from(ids))
    fc.assert(
      fc.property(row, row, (a, b) => {
        expect(rebuilt(a, b, alignIds(a, b, 0))).toEqual([...b])
      }),
    )
  })

  it('goes turn by turn where a whole is too different, and finds what one turn has in common', () => {
    const turn = (first: number, size: number) => [9, ...Array.from({ length: size }, (_, k) => first + k)]
    const a = Int32Array.from([...turn(100, 4000), ...turn(50_000, 50), 1])
    const b = Int32Array.from([...turn(20_000, 4000), ...turn(50_000, 50), 2])
    const hunks = alignIds(a, b, 9)
    expect(rebuilt(a, b, hunks)).toEqual([...b])
    expect(hunks).toHaveLength(2)
  })

  it('takes no longer of a hundred turns of another tokenizer than of a few', () => {
    const row = (turns: number, by: number) =>
      Int32Array.from({ length: turns * 1000 }, (_, at) =>
        at % 1000 === 0 ? 1 : (((at * 7919 + by * 104_729) ^ (at * by)) % 50_000) + 2,
      )
    const seconds = (turns: number) => {
      const [a, b] = [row(turns, 1), row(turns, 2)]
      const start = performance.now()
      expect(rebuilt(a, b, alignIds(a, b, 1))).toEqual([...b])
      return performance.now() - start
    }
    seconds(8)
    const few = seconds(8)
    expect(seconds(100)).toBeLessThan(4 * few)
  })

  it('finds what is small in one turn, however many others are of another text', () => {
    const turn = (first: number, size: number) => [9, ...Array.from({ length: size }, (_, at) => first + at)]
    const others = Array.from({ length: 40 }, (_, at) => at * 2000)
    const a = Int32Array.from([
      ...others.flatMap((at) => turn(100 + at, 900)),
      ...turn(500_000, 50),
      7,
      ...turn(1e6, 9),
    ])
    const b = Int32Array.from([
      ...others.flatMap((at) => turn(1100 + at, 900)),
      ...turn(500_000, 50),
      8,
      ...turn(1e6, 9),
    ])
    const last = alignIds(a, b, 9).at(-1)
    expect(last?.a).toEqual([a.length - 11, a.length - 10])
  })
})
