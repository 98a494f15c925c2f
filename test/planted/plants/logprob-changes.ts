import type { Random } from '../../../samples/random.ts'
import { WORLD } from '../../../samples/world.ts'
import type { Span } from '../../../shared/model/tokens.ts'
import type { PlannedTurn } from '../conversation.ts'
import type { DumpPlan, PlantedDump } from '../dump.ts'
import { inGroups } from '../dump.ts'
import type { FamilyName } from '../families.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, type TurnPlace, turnsBy } from '../rollout.ts'

/** Sampled tokens of a rollout, or of one of its turns. */
export const sampledIn = ({ tokens }: PlantedRollout, { start, end }: Span = { start: 0, end: tokens.length }) =>
  tokens.slice(start, end).filter(({ sampled }) => sampled)

/** From the first token that was sampled to the last. */
export function sampledSpan({ tokens }: PlantedRollout): Span {
  return { start: tokens.findIndex(({ sampled }) => sampled), end: tokens.findLastIndex(({ sampled }) => sampled) + 1 }
}

export const writtenIn = ({ contentStart, endToken, end }: TurnPlace): Span => ({
  start: contentStart,
  end: endToken < 0 ? end : endToken + 1,
})

/** Odds of a logprob, in nats; those of a certain token are as high as five decimals can tell. */
export const oddsOf = (logprob: number) => {
  const known = Math.min(logprob, -1e-5)
  return known - Math.log(-Math.expm1(known))
}
export const logprobOf = (odds: number) => -Math.log1p(Math.exp(-odds))
export const rounded = (value: number) => Math.min(0, Math.round(value * 1e5) / 1e5)

/** Gives a token what the trainer finds; the reference runs in the same engine, and stays as near as it was. */
export function found(token: PlantedToken, trainer: number): void {
  const away = token.reference - token.trainer
  token.trainer = rounded(trainer)
  token.reference = rounded(token.trainer + (Number.isNaN(away) ? 0 : away))
}

/** What the trainer finds after its logits moved, each by noise of this size: a certain token stays certain. */
export function unsettle(tokens: readonly PlantedToken[], size: number, random: Random): void {
  for (const token of tokens) {
    if (token.sampler < -1e-4) found(token, logprobOf(oddsOf(token.sampler) + random.normal() * size))
  }
}

/** What the trainer finds where it does not see what the sampler saw: nothing is as likely, beginnings least of all. */
export function surprise(tokens: readonly PlantedToken[], random: Random): void {
  tokens.forEach((token, into) => {
    const start = into === 0 ? 2.4 : into < 4 ? 1.6 : 0
    found(token, token.sampler - (start + 1.2) * (0.3 + 0.7 * random.exponential()))
  })
}

/** Tokens in the middle of turns, at least five into them; null where there are fewer than `count`. */
export function scattered(rollout: PlantedRollout, count: number, random: Random): PlantedToken[] | null {
  const inside = turnsBy(rollout, 'assistant').flatMap(({ contentStart, contentEnd }) =>
    rollout.tokens.slice(contentStart + 6, contentEnd).filter(({ sampled }) => sampled),
  )
  return inside.length < count * 4 ? null : random.shuffle(inside).slice(0, count)
}

/** A few tokens in a row, well inside a turn of the model. */
export function fewTokens(rollout: PlantedRollout, count: number, random: Random): Span | null {
  const turn = random.pick(turnsBy(rollout, 'assistant'))
  const room = turn.contentEnd - turn.contentStart - count - 2
  if (room < 1) return null
  const start = turn.contentStart + random.integer(1, room)
  return { start, end: start + count }
}

/** Puts a filler where the sampler's logprobs of a few tokens were. */
export const filled =
  (value: number): Plant['rollout'] =>
  (rollout, { random }) => {
    const span = fewTokens(rollout, random.integer(1, 3), random)
    if (span === null) return null
    for (const token of rollout.tokens.slice(span.start, span.end)) token.sampler = value
    return [span]
  }

/** Moves the trainer's logprobs by tokens; what comes in from outside was not scored. */
export function shift({ tokens }: PlantedRollout, by: number): void {
  const was = tokens.map(({ trainer }) => trainer)
  tokens.forEach((token, index) => {
    token.trainer = was[index - by] ?? Number.NaN
  })
}

/** KL by token as the formula of d = reference − trainer gives it, over what was sampled, by a policy that went some way. */
export function storeKl(
  rollout: PlantedRollout,
  formula: (d: number) => number,
  random: Random,
  meta?: Record<string, unknown>,
): void {
  for (const token of sampledIn(rollout)) token.reference = rounded(token.trainer - (random.next() - 0.3) * 1.2)
  const kl = rollout.tokens.map(({ sampled, trainer, reference }) => (sampled ? formula(reference - trainer) : null))
  rollout.more = { ...rollout.more, kl, ...(meta ? { meta } : {}) }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** A stream by token, and a mean of it over every token that is no padding. */
export function storeMean(rollout: PlantedRollout, stream: 'kl' | 'entropy', field: string, random: Random): void {
  const values = rollout.tokens.map(({ part, sampled }) =>
    part === 'padding' ? null : random.exponential() * (sampled ? 0.3 : 1.2),
  )
  const known = values.filter((value) => value !== null)
  rollout.more = { ...rollout.more, [stream]: values, meta: { [field]: mean(known) } }
}

export const LONG_ANSWERS: DumpPlan = {
  change: (conversation, random) => {
    const last = conversation.turns.at(-1) as PlannedTurn
    const read = random
      .shuffle(WORLD)
      .slice(0, 4)
      .map(({ text }) => `It may be that ${text}`)
    const thought = [last.thought ?? '', ...read].join(' ')
    return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, thought }] }
  },
  build: { maxTokens: 2048 },
}

const EXPERTS_OF: Readonly<Record<FamilyName, string>> = {
  'qwen2.5': 'Qwen/Qwen2-57B-A14B-Instruct',
  qwen3: 'Qwen/Qwen3-30B-A3B-Instruct-2507',
  llama3: 'meta-llama/Llama-4-Scout-17B-16E',
}

export const EXPERTS: DumpPlan = {
  finish: (rollout) => {
    rollout.model = EXPERTS_OF[rollout.family.name]
  },
}

/** A training step for each group. */
export function stepByGroup({ rollouts }: PlantedDump): PlantedRollout[][] {
  const groups = inGroups(rollouts)
  for (const [step, members] of groups.entries()) for (const member of members) member.step = 100 + step
  return groups
}
