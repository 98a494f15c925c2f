import { openPin, type Wanted } from '../state/pin.ts'

/** Pins what it stands beside to a hypothesis of the notebook. */
export function PinButton({ of, what }: { readonly of: Wanted | null; readonly what: string }) {
  return (
    <button
      type="button"
      className="pin-button"
      aria-haspopup="dialog"
      aria-label={`Pin as evidence: ${what}`}
      title="Pin as evidence to a hypothesis of the notebook (i)"
      onClick={() => openPin(of)}
    >
      pin
    </button>
  )
}
