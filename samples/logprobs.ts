import type { Tokenizer } from '../shared/tokens/tokenizer.ts'
import { Random } from './random.ts'
import { round } from './rewards.ts'
import type { Sequence } from './trainers.ts'

/** Logprobs of one sequence; null where nothing was scored. */
export interface SampleLogprobs {
  readonly sampler: (number | null)[]
  readonly trainer: (number | null)[]
}

/**
 * What the trainer's forward pass saw of the context. `same`: what the sampler saw, so that only numerical noise is between
 * them. `blind`: nothing but the trained tokens, so that the start of a turn and whatever was copied from hidden text surprise it.
 */
export type TrainerContext = 'same' | 'blind'

const DIGITS = 4
/** The smallest step of these digits as Node 20 computes `10 ** -4`, which newer engines do otherwise: samples are the same everywhere. */
const LEAST = 0.00009999999999999999

/**
 * Natural logprobs: the sampler scores what it wrote, about a fifth of it with exactly 0.0 (a probability that rounds to one); the
 * trainer scores what is trained.
 */
export function naturalLogprobs(
  { ids, mask, sampled }: Sequence,
  { tokenizer, context, seed }: { tokenizer: Tokenizer; context: TrainerContext; seed: string },
): SampleLogprobs {
  const random = new Random(`logprobs ${seed}`)
  const noise = new Random(`trainer ${context} ${seed}`)
  const sampler: (number | null)[] = []
  const trainer: (number | null)[] = []
  let intoTurn = 0
  let copying = 0
  ids.forEach((id, index) => {
    const wrote = (sampled[index] as number) > 0
    intoTurn = wrote ? (sampled[index] === sampled[index - 1] ? intoTurn + 1 : 0) : 0
    const text = spelling(tokenizer, id)
    const kind = surprise(text)
    // A name runs over several pieces: those without a space before them belong to the word that began it.
    copying = kind === 'copied' ? 1 : /^[a-z]/.test(text) ? copying : 0
    const own = wrote ? samplerLogprob(kind, intoTurn, random) : null
    sampler.push(own)
    if (mask[index] !== 1) trainer.push(null)
    else if (own === null) trainer.push(round(-0.0005 * noise.exponential(), DIGITS))
    else if (context === 'same') trainer.push(seenLogprob(own, noise))
    else trainer.push(blindLogprob(own, copying === 1, kind === 'frame', intoTurn, noise))
  })
  return { sampler, trainer }
}

type Surprise = 'frame' | 'copied' | 'word'

function spelling({ table }: Tokenizer, id: number): string {
  return new TextDecoder().decode(table.bytes.subarray(table.offsets[id], table.offsets[id + 1]))
}

/** Names and numbers come from the documents; tags, quotes and the like follow from what stands before them. */
function surprise(text: string): Surprise {
  if (/^ ?[A-Z]|[0-9]/.test(text)) return 'copied'
  if (/[a-z]/i.test(text) && !text.includes('|')) return 'word'
  return 'frame'
}

function samplerLogprob(kind: Surprise, intoTurn: number, random: Random): number {
  const certain = kind === 'frame' ? 0.4 : 0.15
  if (intoTurn > 2 && random.chance(certain)) return 0
  const scale = kind === 'frame' ? 0.02 : intoTurn < 3 ? 0.3 : random.chance(0.75) ? 0.06 : 0.9
  return Math.min(round(-scale * random.exponential(), DIGITS), -LEAST)
}

/** Two implementations of one model: a difference of about 0.01 in the mean, more where the model was less sure. */
function seenLogprob(own: number, noise: Random): number {
  if (own === 0) return noise.chance(0.7) ? 0 : -LEAST
  return Math.min(round(own + noise.normal() * (0.002 + 0.05 * Math.min(1, -own)), DIGITS), 0)
}

function blindLogprob(own: number, copied: boolean, frame: boolean, intoTurn: number, noise: Random): number {
  // Where the sampler was certain, the words just before were enough for it; they are all that is left to see.
  if (own === 0 || frame) return round(own - 0.08 * noise.exponential(), DIGITS)
  const start = intoTurn === 0 ? 4 : intoTurn < 4 ? 1.5 : 0
  return round(own - (start + (copied ? 3 : 0.45)) * (0.3 + 0.7 * noise.exponential()), DIGITS)
}
