import type { AuditOptions } from '../../shared/model/policy.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { EngineHost } from '../../shared/session/host.ts'
import { Session, type SessionHooks } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import {
  assistant,
  type Conversation,
  call,
  conversation,
  type RecordOptions,
  SEARCH_TOOL,
  system,
  type TurnSpec,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { testHost } from './test-host.ts'

/** Turns of one rollout with a search, whose texts differ by `seed`. */
export function turnsOf(
  tokenizer: Tokenizer,
  seed: number,
  more: Partial<Record<'tool' | 'answer', Partial<TurnSpec>>> = {},
) {
  const reply = more.tool?.text ?? `Document ${seed}: the river Arn rises in the hills of Teal ${seed % 7}.`
  return [
    system(withToolSchema('Answer with the help of the search.')),
    user(`Where does river ${seed} rise?`),
    assistant(call(tokenizer, 'search', { query: `river ${seed}` })),
    tool(reply, more.tool),
    assistant(`It rises in the hills, says document ${seed}.`, more.answer),
  ]
}

/** A clean rollout: `seed` makes it different from all others. */
export function cleanRollout(tokenizer: Tokenizer, seed: number, options: RecordOptions = {}): Conversation {
  return conversation(tokenizer, turnsOf(tokenizer, seed), {
    id: `rollout-${seed}`,
    tools: [SEARCH_TOOL],
    messages: true,
    logprobs: 'both',
    ...options,
  })
}

/** A rollout whose tool reply is trained (M01). */
export function rolloutWithTrainedReply(tokenizer: Tokenizer, seed: number, options: RecordOptions = {}): Conversation {
  return conversation(tokenizer, turnsOf(tokenizer, seed, { tool: { train: { content: true } } }), {
    id: `rollout-${seed}`,
    tools: [SEARCH_TOOL],
    messages: true,
    ...options,
  })
}

/** A rollout whose last 12 tokens are cut away, while its messages go on. */
export function cutRollout(tokenizer: Tokenizer, seed: number, options: RecordOptions = {}): Conversation {
  return conversation(tokenizer, turnsOf(tokenizer, seed), {
    id: `rollout-${seed}`,
    tools: [SEARCH_TOOL],
    messages: true,
    cutRight: 12,
    finishReason: 'length',
    isTruncated: true,
    ...options,
  })
}

export const qwen = () => testTokenizer('qwen2.5')

export function lines(conversations: readonly Conversation[]): string {
  return conversations.map(({ record }) => `${JSON.stringify(record)}\n`).join('')
}

/** Opens what is given and reads it to the end. A text is one source called `rollouts`. */
export async function audited(
  sources: string | Uint8Array | readonly ByteSource[],
  options: AuditOptions = {},
  host: EngineHost = testHost(),
  hooks: SessionHooks = {},
): Promise<Session> {
  const given = typeof sources === 'string' || sources instanceof Uint8Array ? [memorySource(sources)] : sources
  const session = await Session.open(given, options, host, hooks)
  await session.done
  return session
}

/** A source whose stream gives its next chunk only when it is let. Ranges are read at once. */
export function gatedSource(bytes: Uint8Array | string, chunkBytes: number, name = 'slow') {
  const source = memorySource(bytes, chunkBytes, name)
  let allowed = 0
  let wake: (() => void)[] = []
  const log = { given: 0, cancelled: 0 }
  const gated: ByteSource = {
    name,
    size: source.size,
    slice: source.slice,
    stream(start) {
      const reader = source.stream(start).getReader()
      let own = 0
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            while (own >= allowed) await new Promise<void>((resolve) => wake.push(resolve))
            own++
            const { done, value } = await reader.read()
            if (done) return controller.close()
            log.given++
            controller.enqueue(value)
          },
          async cancel() {
            log.cancelled++
            await reader.cancel()
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
  return {
    source: gated,
    log,
    /** Lets every stream give this many more chunks. */
    let(chunks: number) {
      allowed += chunks
      const woken = wake
      wake = []
      for (const resume of woken) resume()
    },
  }
}

/** Waits until something is so, `within` so many milliseconds: twenty seconds late is not never where a whole suite runs beside it. */
export async function until(what: () => boolean, within = 20_000): Promise<void> {
  const deadline = Date.now() + within
  while (!what()) {
    if (Date.now() > deadline) throw new Error('What was waited for did not happen.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
