/** Bars drawn for the turns of one check, and of more turns than these, whose numbers are longer. */
const MOST_BARS = 16
const BARS_OF_MANY = 8

/** Assistant turns `from` to `to`, both of them in it. */
export interface TurnBar {
  readonly from: number
  readonly to: number
  /** Rollouts that are affected in that one of these turns in which most are. */
  readonly affected: number
}

/** The bars of affected rollouts by assistant turn, of several turns each where there are more than have room. None where nothing tells turns apart. */
export function turnBars(counts: Readonly<Record<string, number>>): readonly TurnBar[] {
  const turns = Object.entries(counts)
    .map(([turn, affected]) => ({ turn: Number(turn), affected }))
    .sort((a, b) => a.turn - b.turn)
  if (turns.every(({ affected }) => affected === 0)) return []
  const each = turns.length <= MOST_BARS ? 1 : Math.ceil(turns.length / BARS_OF_MANY)
  return Array.from({ length: Math.ceil(turns.length / each) }, (_, bar) => {
    const own = turns.slice(bar * each, (bar + 1) * each)
    return {
      from: own[0]?.turn ?? 0,
      to: own.at(-1)?.turn ?? 0,
      affected: own.reduce((most, { affected }) => Math.max(most, affected), 0),
    }
  })
}
