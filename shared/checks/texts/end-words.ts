import type { EndReason } from '../facts/facts.ts'

/** How a rollout ended, as a table, the head of a rollout and the terminal say it. */
export const END_WORDS: Readonly<Record<EndReason, string>> = {
  stop: 'stop',
  'cut-prose': 'cut in prose',
  'cut-call': 'cut in a call',
  'cut-reply': 'cut before its answer',
  'prompt-only': 'prompt only',
  unknown: 'not known',
}
