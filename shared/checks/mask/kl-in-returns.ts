import { Expected } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { formulasAt, KL_FORMULAS, type KlFormula } from '../logprobs/kl-formulas.ts'
import { OfLast } from '../of-last.ts'
import { turnCredits } from './turn-credits.ts'

/** Returns of a rollout that hold a KL penalty of each token, and what they change by across the tokens without loss that lie between trained ones. */
export interface KlInReturns {
  /** What the penalty is made of: the stored KL, or a formula of the logprobs of policy and reference. */
  readonly formula: 'stored' | KlFormula
  /** By which it is multiplied, whitening included. */
  readonly factor: number
  /** Stretches without loss between trained tokens. */
  readonly stretches: number
  /** Sums over them: what the returns change by, and the penalties of tokens that the model wrote, the one before included, and of others. */
  readonly change: number
  readonly own: number
  readonly foreign: number
  /** Whether the penalties of the others are in the returns; null where the changes come out neither with them nor without them. */
  readonly isForeign: boolean | null
}

const known = new OfLast<TrajectoryView, KlInReturns | null>()

/** Null where nothing shows that the returns hold a KL, or nothing without loss lies between. */
export function klInReturns(view: TrajectoryView): KlInReturns | null {
  let found = known.get(view)
  if (found === undefined) known.set(view, (found = find(view)))
  return found
}

/** In the order in which the penalty is looked for. */
const SOURCES = ['stored', ...KL_FORMULAS] as const

function find(view: TrajectoryView): KlInReturns | null {
  const turns = turnCredits(view)
  if (turns.length < 2 || turns.every(({ credit }) => credit !== null)) return null
  const penalties = new Penalties(view)
  return penalties.isEmpty ? null : acrossStretches(view, penalties)
}

/** What each token may have been charged. */
class Penalties {
  /** Of the token that was looked at last, by source. */
  readonly at = new Float64Array(SOURCES.length)
  readonly isEmpty: boolean
  private readonly stored: Float32Array | null
  private readonly policy: Float32Array | null
  private readonly reference: Float32Array | null
  private readonly ofFormulas = this.at.subarray(1)

  constructor({ trajectory: { kl, logprobs } }: TrajectoryView) {
    this.stored = kl
    this.reference = logprobs.reference
    this.policy = logprobs.trainer ?? logprobs.sampler
    this.isEmpty = kl === null && (this.policy === null || this.reference === null)
  }

  look(token: number): void {
    this.at[0] = this.stored?.[token] ?? Number.NaN
    formulasAt(this.policy?.[token] ?? Number.NaN, this.reference?.[token] ?? Number.NaN, this.ofFormulas)
  }

  /** Of the tokens of a stretch that a mask of what the model wrote would train, and of the others. NaN where a penalty is not known. */
  sums(source: number, start: number, end: number, written: Uint8Array | null): { own: number; foreign: number } {
    const sums = { own: 0, foreign: 0 }
    for (let token = start; token < end; token++) {
      this.look(token)
      sums[written?.[token] === Expected.trained ? 'own' : 'foreign'] += this.at[source] as number
    }
    return sums
  }
}

function acrossStretches(view: TrajectoryView, penalties: Penalties): KlInReturns | null {
  const { mask, trajectory, thresholds } = view
  const advantages = trajectory.advantages as Float32Array
  const trained = mask as Uint8Array
  const charge = chargeOf(view, penalties)
  if (charge === null) return null
  const { source, factor } = charge
  const rounding = ROUNDING * largestOf(advantages)
  const sums = { stretches: 0, change: 0, own: 0, foreign: 0 }
  let squares = 0
  let leftByOwn = 0
  let leftByAll = 0
  let last = -1
  for (let i = trained.indexOf(1); i >= 0; i = trained.indexOf(1, i + 1)) {
    if (last >= 0 && i > last + 1) {
      const change = (advantages[last] as number) - (advantages[i] as number)
      const between = penalties.sums(source, last + 1, i, view.expectedRl)
      // The one before is the model's, whatever its turn is taken for: it is trained. What the others cost need not be known to tell that nobody paid it.
      penalties.look(last)
      const own = factor * ((penalties.at[source] as number) + between.own)
      const foreign = factor * between.foreign
      sums.stretches++
      sums.change += change
      sums.own += own
      sums.foreign += foreign
      squares += change * change
      leftByOwn += beyond(change - own, rounding) ** 2
      leftByAll += beyond(change - own - foreign, rounding) ** 2
    }
    last = i
  }
  if (sums.stretches === 0) return null
  const most = thresholds['kl-unexplained'] * squares
  const isForeign = leftByOwn <= most ? false : leftByAll <= most ? true : null
  return { formula: SOURCES[source] as KlInReturns['formula'], factor, ...sums, isForeign }
}

/**
 * Of the largest advantage, what float32 leaves of the difference of two after whitening. An end token that both models are sure of costs less, so that nothing
 * but rounding is left between two turns that pay for their own tokens.
 */
const ROUNDING = 2 ** -21

/** What of a difference no rounding explains. */
function beyond(difference: number, rounding: number): number {
  return Math.max(0, Math.abs(difference) - rounding)
}

function largestOf(advantages: Float32Array): number {
  let largest = 0
  for (let i = 0; i < advantages.length; i++) {
    const size = Math.abs(advantages[i] as number)
    // Not where it is no number, as before the response.
    if (size > largest) largest = size
  }
  return largest
}

/** The penalty by which the returns of neighbouring trained tokens differ, one multiple of it throughout; null where none does. */
function chargeOf(
  { mask, trajectory, thresholds }: TrajectoryView,
  penalties: Penalties,
): { readonly source: number; readonly factor: number } | null {
  const advantages = trajectory.advantages as Float32Array
  const trained = mask as Uint8Array
  const products = new Float64Array(SOURCES.length)
  const penaltySquares = new Float64Array(SOURCES.length)
  let squares = 0
  let pairs = 0
  for (let i = trained.indexOf(1); i >= 0; i = trained.indexOf(1, i + 1)) {
    if (trained[i + 1] !== 1) continue
    const change = (advantages[i] as number) - (advantages[i + 1] as number)
    penalties.look(i)
    for (let source = 0; source < SOURCES.length; source++) {
      const penalty = penalties.at[source] as number
      products[source] = (products[source] as number) + change * penalty
      penaltySquares[source] = (penaltySquares[source] as number) + penalty * penalty
    }
    squares += change * change
    pairs++
  }
  if (pairs < thresholds['kl-tokens'] || squares === 0) return null
  for (let source = 0; source < SOURCES.length; source++) {
    const [product, square] = [products[source] as number, penaltySquares[source] as number]
    // A share that is no number is that of a stream which lacks tokens.
    if (product ** 2 / (square * squares) >= 1 - thresholds['kl-unexplained'])
      return { source, factor: product / square }
  }
  return null
}
