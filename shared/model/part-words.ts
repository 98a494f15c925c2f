import type { Part } from './tokens.ts'

/** What the parts of a sequence are called, on screens and in tables alike. */
export const PART_WORDS: Readonly<Record<Part, string>> = {
  bos: 'BOS',
  header: 'turn headers',
  prefill: 'template prefill',
  system: 'system text',
  user: 'user text',
  tool: 'tool replies',
  assistant: 'assistant text',
  think: 'thinking',
  tool_call: 'tool calls',
  end: 'end of turn',
  separator: 'separators',
  padding: 'padding',
  other: 'other',
}
