import { NO_STEP, type Overlay } from '../../../shared/session/requests/rollout.ts'
import { ABSENT, real } from '../../text/numbers.ts'

/** Class by which a token shows its number under an overlay: fill by colour, bar by place and thickness. */
export function overlayClass(overlay: Pick<Overlay, 'steps'>, token: number): string {
  return stepClass(overlay.steps[token] ?? NO_STEP)
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
