import type { Measure } from '../../model/report.ts'
import type { AdvantageScheme } from './advantages.ts'

/** Schemes as people read them: in verdicts, and as heads of columns. */
export const SCHEME_NAMES: Readonly<Record<AdvantageScheme, string>> = {
  none: 'reward',
  centre: 'centred',
  'leave-one-out': 'leave one out',
  'group-std-unbiased': 'group std',
  'group-std-biased': 'group std, over n',
  'batch-std': 'batch std',
  'leave-one-out-std': 'std of the others',
  'batch-mean-std': 'REINFORCE++',
  'centre-batch-std': 'REINFORCE++ with baseline',
}

/** A scheme as a sentence names it. */
export function quotedScheme(scheme: AdvantageScheme): string {
  return `“${SCHEME_NAMES[scheme]}”`
}

/** A scheme of advantages in the words of the columns that show it, where a measure tells one; null of other measures. */
export function spelledScheme({ measure, value }: Pick<Measure, 'measure' | 'value'>): string | null {
  if (measure !== 'advantage scheme' || typeof value !== 'string') return null
  return value.replace(/^[a-z-]+/, (id) => SCHEME_NAMES[id as AdvantageScheme] ?? id)
}
