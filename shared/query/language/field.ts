import type { Stream } from '../../model/streams.ts'

/** A value that a field knows by name. */
export interface Choice {
  readonly value: string
  readonly means: string
}

/**
 * What a clause takes to be answered: what is kept of every rollout (`facts`), what people attached (`marks`), or its tokens, for
 * which rollouts are read again (`tokens`).
 */
export type FieldReads = 'facts' | 'marks' | 'tokens'

/** One name of the query language: the parser, the completion, the sentences and docs/query.md are made from these. */
export interface QueryField {
  readonly name: string
  /** Other names that are read as this one. */
  readonly also: readonly string[]
  /** As a noun in a sentence. */
  readonly title: string
  /** A sentence. */
  readonly means: string
  /** `number` compares and takes ranges; `choice` and `text` take words; `flag` stands alone. A number may know choices, too. */
  readonly type: 'number' | 'choice' | 'text' | 'flag'
  readonly reads: FieldReads
  /**
   * What a clause speaks of: the rollout; `place` says which tokens are meant and narrows texts, measures and findings beside it;
   * `token` measures tokens, of which one must fit.
   */
  readonly about: 'rollout' | 'place' | 'token'
  readonly unit: 'tokens' | 'turns' | 'share' | 'nats' | 'documents' | 'rollouts' | null
  readonly choices: readonly Choice[]
  /** Words beside the choices are taken, too: those that a dump uses. */
  readonly open: boolean
  /** `contains`: a word matches anywhere in the value; else it is the whole value. Case never counts. */
  readonly match: 'whole' | 'contains'
  /** `reward.format`: the name of one of several values may follow behind a point. */
  readonly hasComponents: boolean
  /** Without this stream no rollout has a value. */
  readonly needs: Stream | null
  readonly example: string
}

type Given = Pick<QueryField, 'name' | 'title' | 'means' | 'example'> & Partial<QueryField>

export function number(given: Given): QueryField {
  return { ...DEFAULTS, type: 'number', ...given }
}

export function choice(given: Given & Pick<QueryField, 'choices'>): QueryField {
  return { ...DEFAULTS, type: 'choice', ...given }
}

export function text(given: Given): QueryField {
  return { ...DEFAULTS, type: 'text', open: true, ...given }
}

export function flag(given: Given): QueryField {
  return { ...DEFAULTS, type: 'flag', ...given }
}

const DEFAULTS = {
  also: [],
  reads: 'facts',
  about: 'rollout',
  unit: null,
  choices: [],
  open: false,
  match: 'whole',
  hasComponents: false,
  needs: null,
} as const satisfies Partial<QueryField>
