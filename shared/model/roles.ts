import type { TurnKind } from './tokens.ts'

const KINDS: Readonly<Record<Exclude<TurnKind, 'other'>, readonly string[]>> = {
  system: ['system', 'developer'],
  user: ['user', 'human', 'prompter'],
  assistant: ['assistant', 'agent', 'model', 'gpt', 'ai', 'bot', 'chatbot', 'policy'],
  tool: [
    'tool',
    'tools',
    'ipython',
    'function',
    'observation',
    'environment',
    'env',
    'tool_response',
    'tool_result',
    'tool_results',
    'function_response',
    'interpreter',
  ],
}

const KIND_OF_ROLE: ReadonlyMap<string, TurnKind> = new Map(
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).flatMap((kind) => KINDS[kind].map((role) => [role, kind] as const)),
)

/** A role name, alone or with attributes behind it (`tool name=search`). */
const NAME = /^([^\s:=]+)(?:[\s:]+\w+=\S+(?:\s[\s:]*\w+=\S+)*|:)?$/

/** What a role name means, whatever its case; names that nobody listed are `other`. */
export function roleKind(role: string): TurnKind {
  let kind = known.get(role)
  if (kind === undefined) {
    if (known.size >= MOST_KEPT) known.clear()
    known.set(role, (kind = readRole(role)))
  }
  return kind
}

/** Index of the first message that the model wrote, -1 where there is none. */
export function firstReply(messages: readonly { readonly role: string }[]): number {
  return messages.findIndex(({ role }) => roleKind(role) === 'assistant')
}

/** Index of the last message that the model wrote, -1 where there is none. */
export function lastReply(messages: readonly { readonly role: string }[]): number {
  return messages.findLastIndex(({ role }) => roleKind(role) === 'assistant')
}

/** A dump has few names, however many turns. */
const MOST_KEPT = 256
const known = new Map<string, TurnKind>()

function readRole(role: string): TurnKind {
  const word = NAME.exec(role.trim())?.[1]?.toLowerCase() ?? ''
  return KIND_OF_ROLE.get(word) ?? 'other'
}
