import type { TrajectoryView } from '../checks/check.ts'
import { isLogprob, isWritten, logprobBounds, pairsOf } from '../checks/logprobs/scored.ts'
import { PARTS, TOKEN_STATE_NAMES } from '../model/tokens.ts'
import type { ClauseNode, QueryNode } from './language/ast.ts'
import { wordMatcher } from './match-words.ts'
import { numberFits } from './verdicts.ts'

/** 1 for every token of the rollout for which a tree of places and measures holds, length S. */
export function tokensWhere(where: QueryNode, view: TrajectoryView): Uint8Array {
  const { length } = view.ids
  switch (where.kind) {
    case 'all':
    case 'any': {
      const isAll = where.kind === 'all'
      const fits = tokensWhere(where.nodes[0] as QueryNode, view)
      for (const node of where.nodes.slice(1)) {
        const other = tokensWhere(node, view)
        for (let i = 0; i < length; i++) {
          if ((other[i] === 0) === isAll) fits[i] = isAll ? 0 : 1
        }
      }
      return fits
    }
    case 'not': {
      const fits = tokensWhere(where.node, view)
      for (let i = 0; i < length; i++) fits[i] = fits[i] === 1 ? 0 : 1
      return fits
    }
    case 'clause':
      return clauseTokens(where, view)
    default:
      return new Uint8Array(length)
  }
}

function clauseTokens(clause: ClauseNode, view: TrajectoryView): Uint8Array {
  const fits = new Uint8Array(view.ids.length)
  const { test } = clause
  switch (clause.field) {
    case 'part':
      return byKind(view.segmentation?.parts ?? null, PARTS, clause, fits)
    case 'state':
      return byKind(view.states, TOKEN_STATE_NAMES, clause, fits)
    case 'turn':
    case 'assistant_turn':
      for (const { index, ordinal, start, end } of view.segmentation?.turns ?? []) {
        if (numberFits(test, clause.field === 'turn' ? index : ordinal)) fits.fill(1, start, end)
      }
      return fits
    case 'role':
      for (const { kind, start, end } of view.segmentation?.turns ?? []) {
        if (wordFits(clause, kind)) fits.fill(1, start, end)
      }
      return fits
    case 'position':
      for (let i = 0; i < fits.length; i++) if (numberFits(test, i)) fits[i] = 1
      return fits
    case 'token':
      for (let i = 0; i < fits.length; i++) if (numberFits(test, view.ids[i] as number)) fits[i] = 1
      return fits
    case 'logprob_gap': {
      const pairs = pairsOf(view)
      for (const i of pairs?.tokens ?? []) {
        const gap = Math.abs((pairs?.sampler[i] as number) - (pairs?.trainer[i] as number))
        if (numberFits(test, gap)) fits[i] = 1
      }
      return fits
    }
  }
  const { trajectory } = view
  const { logprobs } = trajectory
  switch (clause.field) {
    case 'sampler_logprob':
      return written(logprobs.sampler, clause, view, fits)
    case 'trainer_logprob':
      return written(logprobs.trainer, clause, view, fits)
    case 'reference_logprob':
      return written(logprobs.reference, clause, view, fits)
    case 'entropy':
      return stored(trajectory.entropy, clause, fits)
    case 'kl':
      return stored(trajectory.kl, clause, fits)
    case 'token_advantage':
      return stored(trajectory.advantages, clause, fits)
    default:
      return fits
  }
}

function byKind(kinds: Uint8Array | null, names: readonly string[], clause: ClauseNode, fits: Uint8Array): Uint8Array {
  if (kinds === null) return fits
  const wanted = names.map((name) => (wordFits(clause, name) ? 1 : 0))
  for (let i = 0; i < fits.length; i++) fits[i] = wanted[kinds[i] as number] ?? 0
  return fits
}

function wordFits({ test }: ClauseNode, word: string): boolean {
  return test.kind === 'among' && wordMatcher(test.items, 'whole')(word) !== test.differs
}

function stored(values: Float32Array | null, { test }: ClauseNode, fits: Uint8Array): Uint8Array {
  if (values !== null) for (let i = 0; i < fits.length; i++) if (numberFits(test, values[i] as number)) fits[i] = 1
  return fits
}

/** On other tokens than those that the model wrote dumps hold fillers, of which 0 is one. */
function written(
  values: Float32Array | null,
  { test }: ClauseNode,
  view: TrajectoryView,
  fits: Uint8Array,
): Uint8Array {
  if (values === null) return fits
  const bounds = logprobBounds(view.thresholds)
  for (let i = 0; i < fits.length; i++) {
    const value = values[i] as number
    if (isLogprob(value, bounds) && isWritten(view, i) && numberFits(test, value)) fits[i] = 1
  }
  return fits
}
