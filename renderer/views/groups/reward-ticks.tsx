import { counted, real } from '../../text/numbers.ts'

const WIDTH = 120
const HEIGHT = 16

/** The rewards of a group as ticks on the scale of the whole dump; those that stand in one place make it darker. */
export function RewardTicks({
  rewards,
  ends,
}: {
  rewards: readonly (number | null)[]
  ends: { readonly least: number; readonly greatest: number } | null
}) {
  const known = rewards.filter((reward) => reward !== null)
  if (known.length === 0 || ends === null) return <span className="quiet">–</span>
  const range = ends.greatest - ends.least
  const x = (reward: number) =>
    range > 0 ? Math.min(1, Math.max(0, (reward - ends.least) / range)) * (WIDTH - 4) + 2 : WIDTH / 2
  const words = [...known].sort((a, b) => a - b)
  const label =
    known.length > 16
      ? `${counted(known.length, 'reward')} from ${real(words[0])} to ${real(words.at(-1))}`
      : `rewards ${words.map(real).join(', ')}`
  return (
    <svg
      className="reward-ticks"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <line className="reward-axis" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {known.map((reward, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rewards have no name of their own and never move
        <line key={at} className="reward-tick" x1={x(reward)} x2={x(reward)} y1="2" y2={HEIGHT - 2} />
      ))}
    </svg>
  )
}
