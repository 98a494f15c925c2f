import type { Random } from '../../samples/random.ts'
import { type PlannedConversation, searchConversations, singleTurnConversations } from './conversation.ts'
import { type FamilyName, type PlantedFamily, plantedFamily } from './families.ts'
import { BUILD, type BuildOptions, buildRollout, type PlantedRollout, type PlantedToken } from './rollout.ts'
import { credit, SCHEMES, type Scheme, score } from './scores.ts'
import { randomFor } from './seed.ts'

export type Padding = 'none' | 'left' | 'right'

/** What a clean dump is like. A scheme of advantages that is not given is drawn. */
export interface DumpPlan {
  readonly groups?: number
  readonly scheme?: Scheme
  /** Gives all rollouts their advantages, where no scheme of a group does. */
  readonly credit?: (rollouts: readonly PlantedRollout[]) => void
  readonly padding?: Padding
  /** The id that ends turns is also the one that pads. */
  readonly padWithEnd?: boolean
  /** Tokens of padding that the longest row has as well, as where batches are padded to a multiple. */
  readonly spare?: number
  readonly build?: Partial<BuildOptions>
  /** How many rollouts never end their last turn and are stopped by a limit; they are masked. */
  readonly endless?: number
  /** The conversations, where they are not about questions with a search tool. */
  readonly conversations?: (family: FamilyName, seed: string, groups: number, random: Random) => PlannedConversation[]
  /** Changes to every conversation. */
  readonly change?: (conversation: PlannedConversation, random: Random, family: PlantedFamily) => PlannedConversation
  /** Last word on every rollout, before groups are credited. */
  readonly finish?: (rollout: PlantedRollout, random: Random) => void
  /** The dump carries no `limits`; absent: seven of ten do. */
  readonly limits?: boolean
}

/** A dump before it is written: rollouts in order, groups of eight standing together. */
export interface PlantedDump {
  readonly family: PlantedFamily
  readonly rollouts: PlantedRollout[]
  readonly scheme: Scheme
  readonly padding: Padding
}

/** A clean dump. The same seed, name and plan give the same one. */
export async function cleanDump(name: string, familyName: FamilyName, plan: DumpPlan = {}): Promise<PlantedDump> {
  const family = await plantedFamily(familyName)
  const random = randomFor(name, familyName)
  const groups = plan.groups ?? 8
  const seed = `${name} ${random.integer(0, 1e9)}`
  const given = plan.conversations ?? ((of, from, count) => searchConversations(of, from, count, plan.endless ?? 0))
  const build = { ...BUILD, lastSeparator: random.chance(0.5), ...plan.build }
  const scheme = plan.scheme ?? random.pick(SCHEMES)
  const padding = plan.padding ?? 'none'
  const draw = (from: string) =>
    given(familyName, from, groups, random).map((conversation, index) => {
      const changed = plan.change ? plan.change(conversation, random, family) : conversation
      const rollout = buildRollout(family, changed, random, build)
      rollout.step = 40 + Math.floor(index / 16)
      score(rollout, `${seed} ${rollout.id}`, random)
      if (rollout.truncated !== changed.endless)
        throw new Error(`${rollout.id}: a turn has ${build.maxTokens} tokens or more`)
      if (rollout.truncated) for (const token of rollout.tokens) token.trained = false
      plan.finish?.(rollout, random)
      return rollout
    })
  let rollouts = draw(seed)
  for (let again = 1; again <= MOST_DRAWS && hasTwins(rollouts); again++) rollouts = draw(`${seed} ${again}`)
  for (const members of inGroups(rollouts)) credit(members, scheme)
  plan.credit?.(rollouts)
  if (plan.limits ?? random.chance(0.7)) limit(rollouts)
  pad(rollouts, padding, plan)
  return { family, rollouts, scheme, padding }
}

/** Short answers to one question now and then come out word for word the same, which is a fault of its own (A06). */
const MOST_DRAWS = 8

function hasTwins(rollouts: readonly PlantedRollout[]): boolean {
  return new Set(rollouts.map(({ tokens }) => tokens.map(({ id }) => id).join(' '))).size < rollouts.length
}

/** Rollouts of one turn without tools. */
export const SINGLE_TURN: DumpPlan = {
  conversations: (_family, seed, groups) => singleTurnConversations(seed, groups),
}

export function inGroups(rollouts: readonly PlantedRollout[]): PlantedRollout[][] {
  const groups = new Map<string, PlantedRollout[]>()
  for (const rollout of rollouts) {
    const members = groups.get(rollout.group)
    if (members === undefined) groups.set(rollout.group, [rollout])
    else members.push(rollout)
  }
  return [...groups.values()]
}

/** Declares limits that no rollout comes near. */
function limit(rollouts: readonly PlantedRollout[]): void {
  const longest = Math.max(...rollouts.map(({ tokens }) => tokens.length))
  const prompt = Math.max(...rollouts.map(({ promptLength }) => promptLength))
  const roomy = (tokens: number) => Math.ceil((tokens * 1.5) / 256) * 256
  for (const rollout of rollouts) rollout.limits = { max_prompt_length: roomy(prompt), max_seq_len: roomy(longest) }
}

/** Pads every rollout to the longest, as a batch of the trainer is. */
function pad(rollouts: readonly PlantedRollout[], side: Padding, { padWithEnd = false, spare = 0 }: DumpPlan): void {
  if (side === 'none') return
  const width = Math.max(...rollouts.map(({ tokens }) => tokens.length)) + spare
  for (const rollout of rollouts) {
    const id = padWithEnd ? rollout.family.end : rollout.family.pad
    const padding = Array.from({ length: width - rollout.tokens.length }, () => paddingToken(id))
    if (side === 'left') {
      rollout.tokens.unshift(...padding)
      rollout.promptLength += padding.length
    } else rollout.tokens.push(...padding)
  }
}

export function paddingToken(id: number): PlantedToken {
  return {
    id,
    part: 'padding',
    turn: -1,
    sampled: false,
    trained: false,
    attended: false,
    sampler: Number.NaN,
    trainer: Number.NaN,
    reference: Number.NaN,
    advantage: 0,
  }
}

/** Tokens of padding behind a row that its writer takes for a part of the response, as where it does not strip what the engine gave back. */
export function countedPadding({ family }: PlantedRollout, count: number): PlantedToken[] {
  return Array.from({ length: count }, () => ({ ...paddingToken(family.pad), part: 'separator', attended: true }))
}

/** A copy that a plant may damage: what the clean dump shares between rollouts stays shared. */
export function copyOf(rollout: PlantedRollout): PlantedRollout {
  return {
    ...rollout,
    tokens: rollout.tokens.map((token) => ({ ...token })),
    kinds: [...rollout.kinds],
    messages: [...rollout.messages],
    documents: rollout.documents.map((document) => ({ ...document })),
    rewards: { ...rollout.rewards },
    limits: { ...rollout.limits },
    more: { ...rollout.more },
  }
}
