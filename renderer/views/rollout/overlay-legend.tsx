import { OVERLAY_STEPS, type Overlay } from '../../../shared/session/requests/rollout.ts'
import { count, counted, rough } from '../../text/numbers.ts'
import { stepClass } from './overlay-dress.ts'

/** How the scale of an overlay was made and what was left out. */
export function notesOn({ scale }: Overlay): string {
  return [
    scale.how,
    ...(scale.beyond > 0 ? [`${count(scale.beyond)} beyond it drawn as its end`] : []),
    ...(scale.placeholders > 0 ? [`${counted(scale.placeholders, 'placeholder')} left out`] : []),
  ].join(' · ')
}

/** The scale of an overlay: its steps as tokens wear them, its range, how that was made and what was left out. */
export function OverlayLegend({ overlay }: { overlay: Overlay }) {
  const { scale } = overlay
  const first = scale.kind === 'diverging' ? -OVERLAY_STEPS : 0
  const steps = Array.from({ length: OVERLAY_STEPS - first + 1 }, (_, k) => first + k)
  const notes = notesOn(overlay)
  return (
    <p className="legend" title={scale.about}>
      {/* On paper no button beside it says so. */}
      <strong className="print-only">{overlay.title}</strong>
      <span className="legend-end">
        {rough(scale.from)}
        {scale.unit}
      </span>
      <span className="legend-steps" aria-hidden="true">
        {steps.map((step) => (
          <span key={step} className={`legend-step token ${stepClass(step)}`}>
            {step === 0 && scale.kind === 'diverging' ? rough(scale.centre) : ' '}
          </span>
        ))}
      </span>
      <span className="legend-end">
        {rough(scale.to)}
        {scale.unit}
      </span>
      <span className="legend-notes of-scale" title={notes}>
        {notes}
      </span>
      {overlay.changed !== null && (
        <span className="legend-notes">
          <span className="legend-step token by-0 changed" aria-hidden="true">
            {'   '}
          </span>{' '}
          differs
        </span>
      )}
    </p>
  )
}
