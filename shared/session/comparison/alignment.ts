import { paddingOf } from '../../checks/oracles/padding.ts'
import { TokenState } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import { tokenTexts } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { AlignedSide, Alignment, RolloutRef } from '../requests/compare.ts'
import { alignIds } from '../rollout/align-ids.ts'

/** A rollout as it was read again, with the tokenizer of its source. */
export interface Readable {
  readonly of: RolloutRef
  readonly loaded: LoadedTrajectory
  readonly tokenizer: Tokenizer | null
}

/** Lays two rollouts side by side: by ids where one tokenizer made both, else by the texts of their tokens, else by words. */
export function alignRollouts(left: Readable, right: Readable): Alignment {
  const hasIds = ({ loaded }: Readable) => (loaded.trajectory.ids?.length ?? 0) > 0
  const byTokens = hasIds(left) && hasIds(right)
  const [a, b] = byTokens ? [tokenSide(left), tokenSide(right)] : [wordSide(left), wordSide(right)]
  const sameTokenizer = (left.tokenizer?.id ?? null) === (right.tokenizer?.id ?? null)
  const by = !byTokens ? 'words' : sameTokenizer ? 'ids' : 'texts'
  const [first, second, turnStart] =
    by === 'ids'
      ? ([a.ids as Int32Array, b.ids as Int32Array, left.tokenizer?.frame?.turnStart ?? -1] as const)
      : ([...numbered(a, b), -1] as const)
  const hunks = alignIds(first, second, turnStart).map((hunk) => ({ left: hunk.a, right: hunk.b }))
  return { by, left: a, right: b, prefix: hunks[0]?.left[0] ?? first.length, hunks }
}

/** Tokens from the first to the last that is no padding. */
function tokenSide({ of, loaded, tokenizer }: Readable): AlignedSide {
  const { trajectory, view, facts } = loaded
  const all = trajectory.ids as Int32Array
  const padding = paddingOf({ segmentation: view?.segmentation ?? null, trajectory })
  const from = Math.min(all.length, Math.max(0, padding.left))
  const ids = all.slice(from, Math.max(from, all.length - Math.max(0, padding.right)))
  const { text, textOffsets } = tokenizer === null ? spelt(ids) : tokenTexts(tokenizer.table, ids)
  const turns = (view?.segmentation?.turns ?? [])
    .filter(({ start }) => start >= from && start < from + ids.length)
    .map(({ start, kind, role }) => ({ start: start - from, kind, role }))
  return {
    of,
    id: facts.id,
    place: facts.place,
    reward: facts.reward,
    end: facts.endReason,
    from,
    ids,
    states: view?.states.slice(from, from + ids.length) ?? new Uint8Array(ids.length).fill(TokenState.unknown),
    text,
    textOffsets,
    turns,
  }
}

/** Ids that no vocabulary spells stand for themselves. */
function spelt(ids: Int32Array): { text: string; textOffsets: Uint32Array } {
  let text = ''
  const textOffsets = new Uint32Array(ids.length + 1)
  for (const [at, id] of ids.entries()) {
    text += `⟨${id}⟩`
    textOffsets[at + 1] = text.length
  }
  return { text, textOffsets }
}

/** The words of the messages, each with the space before it. */
function wordSide({ of, loaded: { trajectory, facts } }: Readable): AlignedSide {
  const words: string[] = []
  const turns: AlignedSide['turns'][number][] = []
  for (const message of trajectory.messages ?? []) {
    turns.push({ start: words.length, kind: kindOf(message.role), role: message.role })
    words.push(`${message.role}:`, ...(contentOf(message).match(/(?<!\s)\s*\S+/g) ?? []), '\n')
  }
  const textOffsets = new Uint32Array(words.length + 1)
  for (const [at, word] of words.entries()) textOffsets[at + 1] = (textOffsets[at] as number) + word.length
  return {
    of,
    id: facts.id,
    place: facts.place,
    reward: facts.reward,
    end: facts.endReason,
    from: 0,
    ids: null,
    states: new Uint8Array(words.length).fill(TokenState.unknown),
    text: words.join(''),
    textOffsets,
    turns,
  }
}

function contentOf({ content, reasoning, toolCalls }: Message): string {
  const calls = (toolCalls ?? []).map(({ name, arguments: given }) => ` ${name}(${given})`)
  return [reasoning ?? '', content ?? '', ...calls].map((part) => ` ${part.trim()}`).join('')
}

function kindOf(role: string): AlignedSide['turns'][number]['kind'] {
  const known = (['system', 'user', 'tool', 'assistant'] as const).find((kind) => kind === role)
  return known ?? 'other'
}

/** The texts of two sides as numbers, the same text the same number. */
function numbered(left: AlignedSide, right: AlignedSide): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const rowOf = ({ text, textOffsets }: AlignedSide) =>
    Int32Array.from({ length: textOffsets.length - 1 }, (_, at) => {
      const unit = text.slice(textOffsets[at], textOffsets[at + 1])
      const known = numbers.get(unit) ?? numbers.size
      numbers.set(unit, known)
      return known
    })
  return [rowOf(left), rowOf(right)]
}
