import type { TurnKind } from '../model/tokens.ts'

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

/** What a role name means; names after the first word (`tool name=search`) do not matter. Unknown names are `other`. */
export function roleKind(role: string): TurnKind {
  const word = /^[^\s:=]+/.exec(role.trim())?.[0].toLowerCase() ?? ''
  return KIND_OF_ROLE.get(word) ?? 'other'
}
