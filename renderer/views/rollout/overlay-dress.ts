import { NO_STEP, type Overlay } from '../../../shared/session/requests/rollout.ts'
import { ABSENT, real } from '../../text/numbers.ts'

/** Classes by which a token shows its number under an overlay: fill by colour, bar by place and thickness; a line of dots where the dump stores another. */
export function overlayClass({ steps, changed }: Pick<Overlay, 'steps' | 'changed'>, token: number): string {
  const step = stepClass(steps[token] ?? NO_STEP)
  return changed?.[token] === 1 ? `${step} changed` : step
}

/** The number that a token is coloured by; a factor with its sign, and none with a word, which the legend says once. */
export function overlayValue({ values, scale }: Pick<Overlay, 'values' | 'scale'>, token: number): string {
  const value = values[token] ?? Number.NaN
  return Number.isNaN(value) ? ABSENT : `${real(value)}${scale.unit.trimStart() === scale.unit ? scale.unit : ''}`
}

/** `by-none`, `by-0`, `by-p1` … `by-p4`, `by-n1` … `by-n4`. */
export function stepClass(step: number): string {
  if (step === NO_STEP) return 'by-none'
  if (step === 0) return 'by-0'
  return step > 0 ? `by-p${step}` : `by-n${-step}`
}
