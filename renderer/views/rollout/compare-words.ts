import type { DifferenceCause } from '../../../shared/session/requests/rollout.ts'

/** A short name for each cause, as a list of differences is headed and counted by. */
export const CAUSE_WORDS: Readonly<Record<DifferenceCause, string>> = {
  'token-split': 'other split',
  'marker-spelt': 'control token spelt out',
  'thinking-stripped': 'thinking stripped',
  'thinking-added': 'thinking added',
  'call-reserialised': 'call written again',
  'default-system-prompt': 'default system prompt',
  date: 'date',
  tools: 'tool schemas',
  newline: 'white space',
  'end-of-turn': 'end of turn',
  header: 'turn header',
  bos: 'BOS',
  cut: 'cut off',
  text: 'other text',
}
