import { memo } from 'react'
import { TOKEN_STATE_NAMES } from '../../../shared/model/tokens.ts'
import { percent } from '../../text/numbers.ts'

const HEIGHT = 12
/** Top edge of each state's bar, so that states differ by height as well as by colour. */
const TOP = { trained: 0, masked: 8, padding: 10, unknown: 5 } as const

/** A rollout's mask in one line of the table: pairs of state and width, as `TrajectoryFacts.strip` holds them. */
export const MaskStrip = memo(function MaskStrip({ strip }: { strip: Uint8Array }) {
  const { paths, total, widths } = drawn(strip)
  if (total === 0) return <span className="quiet">–</span>
  const words = TOKEN_STATE_NAMES.filter((name) => widths[name] > 0)
    .map((name) => `${name} ${percent(widths[name] / total)}`)
    .join(', ')
  return (
    <svg
      className="mask-strip"
      viewBox={`0 0 ${total} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      {TOKEN_STATE_NAMES.map(
        (name) => paths[name] !== '' && <path key={name} className={`strip-${name}`} d={paths[name]} />,
      )}
    </svg>
  )
})

function drawn(strip: Uint8Array) {
  const paths = { masked: '', trained: '', padding: '', unknown: '' }
  const widths = { masked: 0, trained: 0, padding: 0, unknown: 0 }
  let x = 0
  for (let at = 0; at + 1 < strip.length; at += 2) {
    const name = TOKEN_STATE_NAMES[strip[at] as number] ?? 'unknown'
    const width = strip[at + 1] as number
    paths[name] += `M${x} ${TOP[name]}h${width}V${HEIGHT}h${-width}z`
    widths[name] += width
    x += width
  }
  return { paths, widths, total: x }
}
