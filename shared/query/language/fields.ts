import { END_REASONS, type EndReason } from '../../checks/facts.ts'
import type { Stream } from '../../model/streams.ts'
import { PARTS, type Part, type TOKEN_STATE_NAMES } from '../../model/tokens.ts'

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

function number(given: Given): QueryField {
  return { ...DEFAULTS, type: 'number', ...given }
}

function choice(given: Given & Pick<QueryField, 'choices'>): QueryField {
  return { ...DEFAULTS, type: 'choice', ...given }
}

function text(given: Given): QueryField {
  return { ...DEFAULTS, type: 'text', open: true, ...given }
}

function flag(given: Given): QueryField {
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

const END_MEANS: Readonly<Record<EndReason, string>> = {
  stop: 'the last turn is closed',
  'cut-prose': 'cut in the middle of prose',
  'cut-call': 'cut inside a tool call',
  'cut-reply': 'cut inside a tool reply',
  'prompt-only': 'nothing follows the prompt',
  unknown: 'the ids do not tell',
}

const PART_MEANS: Readonly<Record<Part, string>> = {
  bos: 'the token that begins a sequence',
  header: 'turn headers',
  prefill: 'what the template writes at the start of a reply',
  system: 'system text',
  user: 'user text',
  tool: 'tool replies',
  assistant: 'assistant text outside of thinking and tool calls',
  think: 'thinking',
  tool_call: 'tool calls',
  end: 'end-of-turn tokens',
  separator: 'what the template puts between turns',
  padding: 'padding',
  other: 'everything else',
}

const PLACE_FIELDS: readonly QueryField[] = [
  number({
    name: 'turn',
    title: 'turn',
    means: 'Turns by their number, from 0, as in the outline of a rollout and in findings.',
    reads: 'tokens',
    about: 'place',
    example: 'turn>=2 finding:M01',
  }),
  number({
    name: 'assistant_turn',
    title: 'assistant turn',
    means:
      'Turns by the assistant turn that they are or follow, from 1, as in the charts by turn; 0 is what comes before the first.',
    reads: 'tokens',
    about: 'place',
    example: 'assistant_turn:1 entropy>2',
  }),
  choice({
    name: 'part',
    title: 'part',
    means: 'What a token is a part of.',
    reads: 'tokens',
    about: 'place',
    choices: PARTS.map((value) => ({ value, means: PART_MEANS[value] })),
    example: 'part:tool "Treaty of"',
  }),
  choice({
    name: 'state',
    title: 'state',
    means: 'Whether a token is trained.',
    reads: 'tokens',
    about: 'place',
    choices: [
      { value: 'trained', means: 'carries loss' },
      { value: 'masked', means: 'carries none' },
      { value: 'padding', means: 'is padding' },
      { value: 'unknown', means: 'the dump has no mask' },
    ] satisfies { value: (typeof TOKEN_STATE_NAMES)[number]; means: string }[],
    example: 'state:trained part:tool',
  }),
  number({
    name: 'position',
    title: 'position',
    means: 'Tokens by their index in the sequence, from 0, padding included.',
    reads: 'tokens',
    about: 'place',
    example: 'position<100 token:151645',
  }),
]

const TOKEN_FIELDS: readonly QueryField[] = [
  number({
    name: 'logprob_gap',
    title: 'gap between sampler and trainer logprob',
    means: 'Distance of the sampler’s and the trainer’s logprob of a trained token that both scored.',
    unit: 'nats',
    needs: 'logprobs.trainer',
    example: 'logprob_gap>1',
  }),
  number({
    name: 'sampler_logprob',
    title: 'sampler logprob',
    means: 'Logprob of a token that the model wrote, when it was sampled.',
    unit: 'nats',
    needs: 'logprobs.sampler',
    example: 'sampler_logprob<-10',
  }),
  number({
    name: 'trainer_logprob',
    title: 'trainer logprob',
    means: 'Logprob that the trainer computed for a token that the model wrote.',
    unit: 'nats',
    needs: 'logprobs.trainer',
    example: 'trainer_logprob<-10 state:trained',
  }),
  number({
    name: 'reference_logprob',
    title: 'reference logprob',
    means: 'Logprob of a token that the model wrote, under the reference model.',
    unit: 'nats',
    needs: 'logprobs.reference',
    example: 'reference_logprob<-15',
  }),
  number({
    name: 'entropy',
    title: 'entropy',
    means: 'Entropy at a token, as the dump stores it.',
    unit: 'nats',
    needs: 'entropy',
    example: 'entropy>3 part:think',
  }),
  number({
    name: 'kl',
    title: 'KL',
    means: 'KL of a token, as the dump stores it.',
    unit: 'nats',
    needs: 'kl',
    example: 'kl>1',
  }),
  number({
    name: 'token_advantage',
    title: 'advantage of a token',
    means: 'Advantage of a token, where the dump stores one for each.',
    needs: 'advantages',
    example: 'token_advantage<-2',
  }),
  number({
    name: 'token',
    title: 'token id',
    means: 'Id of a token.',
    needs: 'ids',
    example: 'token:151645 state:masked',
  }),
].map((field) => ({ ...field, reads: 'tokens', about: 'token' }) as const)

const ROLLOUT_FIELDS: readonly QueryField[] = [
  choice({
    name: 'finding',
    also: ['code'],
    title: 'finding',
    means:
      'Faults found in the rollout or its group, by code; `*` stands for any characters. Intended ones do not count.',
    choices: [{ value: 'any', means: 'any fault at all' }],
    open: true,
    example: 'finding:M01,M10',
  }),
  choice({
    name: 'severity',
    also: ['worst'],
    title: 'gravest finding',
    means: 'How grave the gravest finding is.',
    choices: [
      { value: 'error', means: 'an error' },
      { value: 'warning', means: 'a warning, and no error' },
      { value: 'info', means: 'worth knowing, and nothing graver' },
      { value: 'none', means: 'nothing was found' },
    ],
    example: 'severity:error',
  }),
  number({
    name: 'findings',
    title: 'kinds of faults',
    means: 'How many different faults were found.',
    example: 'findings>=3',
  }),
  number({
    name: 'reward',
    title: 'reward',
    means: 'Reward of the rollout; `reward.NAME` is that of one component.',
    hasComponents: true,
    needs: 'rewards',
    example: 'reward>=0.5 reward.format<1',
  }),
  number({
    name: 'advantage',
    title: 'advantage',
    means: 'The one advantage of the rollout; none where its tokens differ.',
    needs: 'advantages',
    example: 'advantage<0',
  }),
  number({
    name: 'max_advantage',
    title: 'largest advantage',
    means: 'Largest advantage of a trained token, without its sign.',
    needs: 'advantages',
    example: 'max_advantage>5',
  }),
  number({ name: 'step', title: 'step', means: 'Training step.', needs: 'step', example: 'step:10..20' }),
  number({
    name: 'tokens',
    also: ['length'],
    title: 'length',
    means: 'Tokens of the sequence, padding left out.',
    unit: 'tokens',
    needs: 'ids',
    example: 'tokens>4096',
  }),
  number({
    name: 'prompt_tokens',
    title: 'prompt length',
    means: 'Tokens of the prompt.',
    unit: 'tokens',
    example: 'prompt_tokens>1000',
  }),
  number({
    name: 'completion_tokens',
    title: 'completion length',
    means: 'Tokens after the prompt, padding left out.',
    unit: 'tokens',
    example: 'completion_tokens<50',
  }),
  number({
    name: 'trained_tokens',
    title: 'trained tokens',
    means: 'Tokens that carry loss.',
    unit: 'tokens',
    needs: 'mask',
    example: 'trained_tokens:0',
  }),
  number({
    name: 'trained_share',
    also: ['trained'],
    title: 'trained share',
    means: 'Share of the tokens that carry loss, padding left out.',
    unit: 'share',
    needs: 'mask',
    example: 'trained_share<10%',
  }),
  number({
    name: 'padding_tokens',
    title: 'padding',
    means: 'Tokens of padding.',
    unit: 'tokens',
    example: 'padding_tokens>0',
  }),
  number({
    name: 'turns',
    title: 'number of turns',
    means: 'Turns of all kinds.',
    unit: 'turns',
    example: 'turns>=5',
  }),
  number({
    name: 'assistant_turns',
    title: 'number of assistant turns',
    means: 'Turns of the assistant.',
    unit: 'turns',
    example: 'assistant_turns:1',
  }),
  number({
    name: 'tool_turns',
    title: 'number of tool replies',
    means: 'Turns that hold a tool’s reply.',
    unit: 'turns',
    example: 'tool_turns:0',
  }),
  number({
    name: 'turn_tokens',
    title: 'length of an assistant turn',
    means: 'Tokens of an assistant turn; one of the rollout’s has to fit.',
    unit: 'tokens',
    example: 'turn_tokens>=1024',
  }),
  number({
    name: 'reply_tokens',
    title: 'length of a tool reply',
    means: 'Tokens of a tool reply; one of the rollout’s has to fit.',
    unit: 'tokens',
    example: 'reply_tokens>2000',
  }),
  number({
    name: 'mean_gap',
    title: 'mean gap between sampler and trainer logprob',
    means: 'Mean distance of the sampler’s and the trainer’s logprobs over the trained tokens.',
    unit: 'nats',
    needs: 'logprobs.trainer',
    example: 'mean_gap>0.05',
  }),
  number({
    name: 'mean_kl',
    title: 'mean KL to the reference',
    means: 'Mean of the k3 estimate from the trainer’s and the reference’s logprobs over the trained tokens.',
    unit: 'nats',
    needs: 'logprobs.reference',
    example: 'mean_kl>0.5',
  }),
  number({
    name: 'lost',
    title: 'lost text',
    means: 'Tokens that are known to be lost, as a number; or what was lost, as a word.',
    unit: 'tokens',
    choices: [
      { value: 'any', means: 'text at its start, in a reply or at its end' },
      { value: 'documents', means: 'a supporting document is not visible at the answer' },
      { value: 'start', means: 'the ids begin inside a turn' },
      { value: 'reply', means: 'a tool reply was cut' },
      { value: 'end', means: 'the rollout ends where nothing closes it' },
    ],
    example: 'lost:documents',
  }),
  choice({
    name: 'end',
    also: ['finish_reason'],
    title: 'end',
    means: 'How the rollout ended, by its ids or by the finish reason that the dump recorded.',
    choices: [
      { value: 'cut', means: 'cut anywhere' },
      ...END_REASONS.map((value) => ({ value, means: END_MEANS[value] })),
    ],
    open: true,
    example: 'end:length',
  }),
  choice({
    name: 'answer',
    title: 'expected answer',
    means: 'Whose words hold the expected answer.',
    choices: [
      { value: 'model', means: 'the model’s' },
      { value: 'in-part', means: 'the environment’s hold all of it, the model’s some word of it' },
      { value: 'environment', means: 'only the environment’s' },
      { value: 'nowhere', means: 'nobody’s' },
    ],
    needs: 'answer',
    example: 'answer:environment reward<1',
  }),
  text({ name: 'id', title: 'id', means: 'The rollout’s own id.', example: 'id:q17*' }),
  text({
    name: 'group',
    title: 'group',
    means: 'The group, or prompt, that it belongs to.',
    needs: 'group',
    example: 'group:q1',
  }),
  number({
    name: 'group_size',
    title: 'group size',
    means: 'How many rollouts read so far share its group and step.',
    unit: 'rollouts',
    needs: 'group',
    example: 'group_size<8',
  }),
  text({ name: 'model', title: 'model', means: 'The model that wrote it.', example: 'model:*qwen*' }),
  number({
    name: 'temperature',
    title: 'temperature',
    means: 'Sampling temperature that the record tells.',
    example: 'temperature!=1',
  }),
  text({
    name: 'source',
    also: ['file'],
    title: 'file',
    means: 'Name of the file that it stands in; a part of the name is enough.',
    match: 'contains',
    example: 'source:step_12',
  }),
  number({
    name: 'index',
    title: 'index',
    means: 'Its place in the order of the report, from 0.',
    example: 'index:0..99',
  }),
  number({ name: 'record', title: 'record', means: 'Its record in the file, from 0.', example: 'record:17' }),
  flag({
    name: 'excluded',
    title: 'excluded from the loss',
    means: 'The dump itself takes the whole row out of the loss.',
    example: '-excluded',
  }),
  flag({
    name: 'truncated',
    title: 'marked as truncated',
    means: 'The dump itself says that it was cut.',
    example: 'truncated end:stop',
  }),
  choice({
    name: 'has',
    title: 'value',
    means: 'The dump tells this of the rollout.',
    choices: [
      { value: 'ids', means: 'token ids' },
      { value: 'mask', means: 'a loss mask' },
      { value: 'reward', means: 'a reward' },
      { value: 'advantage', means: 'one advantage' },
      { value: 'group', means: 'a group' },
      { value: 'step', means: 'a training step' },
      { value: 'turns', means: 'turns that were found in its ids or messages' },
      { value: 'finish_reason', means: 'a finish reason' },
      { value: 'documents', means: 'supporting documents' },
      { value: 'logprob_gap', means: 'logprobs of both the sampler and the trainer' },
    ],
    example: '-has:reward',
  }),
]

const MARK_FIELDS: readonly QueryField[] = [
  flag({
    name: 'flag',
    also: ['flagged'],
    title: 'flagged',
    means: 'A person flagged it.',
    reads: 'marks',
    example: '-flag',
  }),
  text({
    name: 'label',
    also: ['labels'],
    title: 'label',
    means: 'A label that a person gave to it.',
    reads: 'marks',
    example: 'label:"reward hack"',
  }),
  text({
    name: 'note',
    also: ['notes'],
    title: 'note',
    means: 'Words in a note that a person wrote on it or on some of its tokens.',
    reads: 'marks',
    match: 'contains',
    example: 'note:template',
  }),
]

/** All fields, in the order in which they are listed. */
export const QUERY_FIELDS: readonly QueryField[] = [...ROLLOUT_FIELDS, ...PLACE_FIELDS, ...TOKEN_FIELDS, ...MARK_FIELDS]

const BY_NAME: ReadonlyMap<string, QueryField> = new Map(
  QUERY_FIELDS.flatMap((field) => [field.name, ...field.also].map((name) => [name, field] as const)),
)

/** Everything that is read as the name of a field. */
export const FIELD_NAMES: readonly string[] = [...BY_NAME.keys()]

/** The field of a name, in any case; `reward.format` is not one. */
export function fieldNamed(name: string): QueryField | null {
  return BY_NAME.get(name.toLowerCase()) ?? null
}
