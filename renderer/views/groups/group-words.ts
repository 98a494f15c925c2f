import { SCHEME_NAMES } from '../../../shared/checks/groups/scheme-words.ts'
import type { GroupKind, GroupMark, GroupQuery, GroupScaling } from '../../../shared/session/requests/groups.ts'
import { counted, real } from '../../text/numbers.ts'

export const KIND_WORDS: Readonly<
  Record<GroupKind, { readonly glyph: string; readonly name: string; readonly what: string }>
> = {
  dead: { glyph: '○', name: 'dead', what: 'all rewards are the same: every advantage is 0' },
  noise: { glyph: '◔', name: 'noise', what: 'rewards differ by less than the noise floor' },
  contrast: { glyph: '●', name: 'contrast', what: 'rewards tell rollouts apart' },
  incomplete: { glyph: '◌', name: 'incomplete', what: 'rollouts or rewards are missing: not judged' },
}

export const MARK_WORDS: Readonly<
  Record<GroupMark, { readonly glyph: string; readonly name: string; readonly what: string }>
> = {
  copies: { glyph: '≡', name: 'copies', what: 'rollouts that are the same, token by token' },
  untrained: { glyph: '∅', name: 'untrained rows', what: 'rollouts that train nothing while others of the group do' },
  findings: { glyph: '▲', name: 'findings', what: 'an error or a warning about the group' },
}

/** Names of numbers, and what they are. */
export const COLUMN_WORDS = {
  complete: {
    name: 'complete group',
    what: 'one with all of its rollouts, each with a reward: only these are judged, by H01, H05 and the checks of groups',
  },
  std: { name: 'std', what: 'standard deviation of the rewards of a group, over n − 1' },
  amplification: {
    name: 'amplified',
    what: 'how many times a difference of rewards is multiplied, because advantages are divided by a std: 1 / (that std + eps); ×1 where nothing divides them',
  },
  gap: { name: 'gap', what: 'greatest reward of the group less the least' },
  stored: { name: 'stored', what: 'the advantage as it stands in the dump' },
  bound: {
    name: 'bound of the scheme',
    what: 'the largest |advantage| that the scheme in use can give in a group of this size, with rewards in the range of the dump; a larger one that is stored was made otherwise',
  },
  trained: { name: 'trained', what: 'tokens of the rollout that carry loss' },
} as const

/** Where it is known from how rewards become advantages. */
export function scalingWords({ scheme, scaled, eps, origin }: GroupScaling): string {
  const formula = `${SCHEME_NAMES[scheme]}${scaled ? `, eps ${real(eps)}` : ''}`
  if (origin === 'given') return `advantages: ${formula} (given)`
  if (origin === 'fitted') return `advantages: ${formula} (fits those stored)`
  return 'nothing tells how rewards are scaled: amplification is what dividing by the group’s std would give'
}

/** Which groups are listed, in words; null for all. */
export function queryWords({ kinds = [], marks = [], std, step, text }: GroupQuery): string | null {
  const parts = [
    ...(kinds.length > 0 ? [kinds.map((kind) => KIND_WORDS[kind].name).join(' or ')] : []),
    ...(marks.length > 0 ? [`with ${marks.map((mark) => MARK_WORDS[mark].name).join(' or ')}`] : []),
    ...(std === undefined ? [] : [`std from ${real(std.atLeast)} to below ${real(std.below)}`]),
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(text === undefined ? [] : [`id with “${text}”`]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

export function groupsWords(count: number): string {
  return counted(count, 'group')
}
