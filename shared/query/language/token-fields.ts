import { PARTS, type Part, type TOKEN_STATE_NAMES, TURN_KINDS, type TurnKind } from '../../model/tokens.ts'
import { choice, number, type QueryField } from './field.ts'

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

const ROLE_MEANS: Readonly<Record<TurnKind, string>> = {
  system: 'system turns',
  user: 'turns of the user',
  tool: 'turns that hold a tool’s reply, whatever role they are written under',
  assistant: 'turns of the assistant',
  other: 'turns of other roles',
}

/** Which tokens are meant. */
export const PLACE_FIELDS: readonly QueryField[] = [
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
    name: 'role',
    title: 'role of the turn',
    means: 'Turns by whose they are, from their header to what stands behind their end.',
    reads: 'tokens',
    about: 'place',
    choices: TURN_KINDS.map((value) => ({ value, means: ROLE_MEANS[value] })),
    example: 'part:end role:assistant state:masked',
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

/** Measures of a token. */
export const TOKEN_FIELDS: readonly QueryField[] = [
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
