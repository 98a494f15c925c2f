import { STREAMS, type Stream } from '../model/streams.ts'

/** A trainer that writes rollouts, by the name that people know it by. */
type Trainer =
  | 'prime-rl'
  | 'slime'
  | 'SkyRL'
  | 'verl'
  | 'verifiers'
  | 'open-instruct'
  | 'TRL'
  | 'NeMo-Gym'
  | 'NeMo-RL'
  | 'ROLL'
  | 'OpenRLHF'
  | 'AReaL'

/** The trainer whose files a format reads, by the id of the format; those of other formats have no switch. */
const TRAINERS: Readonly<Record<string, Trainer>> = {
  'prime-rl-batch': 'prime-rl',
  'prime-rl-export': 'prime-rl',
  'prime-rl-traces': 'prime-rl',
  slime: 'slime',
  skyrl: 'SkyRL',
  'skyrl-eval': 'SkyRL',
  verl: 'verl',
  'verl-batch': 'verl',
  'verifiers-v1': 'verifiers',
  'verifiers-legacy': 'verifiers',
  'verifiers-results': 'verifiers',
  'open-instruct': 'open-instruct',
  trl: 'TRL',
  'nemo-gym': 'NeMo-Gym',
  'nemo-rl': 'NeMo-RL',
  roll: 'ROLL',
  'roll-batch': 'ROLL',
  openrlhf: 'OpenRLHF',
  'areal-batch': 'AReaL',
}

const EXPORT = 'trainer.enable_token_export=true'
const ROLLOUT_DUMP = '--save-debug-rollout-data FILE'
const TRAIN_DUMP = '--save-debug-train-data FILE'
const BATCH = 'trainer.dump_data_batch=true'
const TRACES = '--save_traces --rollouts_save_path DIR'
const HOOK = 'two lines of integrations/python'
const RUN_TRACES = 'traces.jsonl of the same run, opened with these files (monitors.file, on by default)'
const ROLLOUT_MOCK = 'rollout_mock with enable: true, mode: dump and dump_dir: DIR'
const TRAIN_DATA = 'train_data_step*.jsonl of NeMo-RL beside these rollouts'

/** The switches of trainers that write a stream to disk, or the hook that does; streams that none brings are not listed. */
const SWITCHES: Readonly<Partial<Record<Stream, Readonly<Partial<Record<Trainer, string>>>>>> = {
  ids: {
    'prime-rl': EXPORT,
    slime: TRAIN_DUMP,
    SkyRL: BATCH,
    TRL: HOOK,
    verl: HOOK,
    verifiers: 'vf-eval -s -C trajectory',
    'NeMo-Gym': 'return_token_id_information: true on the model server',
    ROLL: ROLLOUT_MOCK,
  },
  mask: {
    'prime-rl': EXPORT,
    slime: TRAIN_DUMP,
    SkyRL: BATCH,
    TRL: HOOK,
    verl: HOOK,
    verifiers: 'vf-eval -s -C trajectory',
    'NeMo-Gym': TRAIN_DATA,
    ROLL: ROLLOUT_MOCK,
  },
  advantages: {
    'prime-rl': EXPORT,
    slime: TRAIN_DUMP,
    SkyRL: BATCH,
    TRL: HOOK,
    verl: HOOK,
    'NeMo-Gym': TRAIN_DATA,
  },
  'logprobs.sampler': {
    'prime-rl': EXPORT,
    slime: TRAIN_DUMP,
    SkyRL: BATCH,
    TRL: `${HOOK} (where it corrects for vLLM)`,
    verl: `${HOOK} and calculate_log_probs`,
    verifiers: 'vf-eval -s -C trajectory',
    'NeMo-Gym': 'return_token_id_information: true on the model server',
    ROLL: ROLLOUT_MOCK,
  },
  'logprobs.trainer': {
    'prime-rl': EXPORT,
    slime: TRAIN_DUMP,
    SkyRL: BATCH,
    TRL: `${HOOK} (where it keeps old ones)`,
    verl: HOOK,
    'NeMo-Gym': TRAIN_DATA,
  },
  'logprobs.reference': {
    slime: `${TRAIN_DUMP} (where a reference model is loaded)`,
    SkyRL: `${BATCH} (where a reference model is loaded)`,
  },
  kl: { slime: TRAIN_DUMP },
  entropy: { 'prime-rl': EXPORT, slime: TRAIN_DUMP },
  position_ids: { 'prime-rl': EXPORT, verl: HOOK },
  attention_mask: { SkyRL: BATCH, TRL: HOOK, verl: HOOK, ROLL: ROLLOUT_MOCK },
  versions: { slime: ROLLOUT_DUMP },
  step: { 'prime-rl': EXPORT, verl: 'trainer.rollout_data_dir=DIR' },
  rewards: {
    'prime-rl': RUN_TRACES,
    verl: 'trainer.rollout_data_dir=DIR',
    slime: ROLLOUT_DUMP,
    verifiers: 'vf-eval -s',
    'open-instruct': TRACES,
    TRL: HOOK,
  },
  reward_components: { 'prime-rl': RUN_TRACES, verifiers: 'vf-eval -s', TRL: 'log_completions=True' },
  messages: { 'prime-rl': RUN_TRACES, verifiers: 'vf-eval -s', 'NeMo-Gym': '+output_jsonl_fpath=FILE' },
  tools: { 'NeMo-Gym': '+output_jsonl_fpath=FILE' },
  finish_reason: {
    'prime-rl': RUN_TRACES,
    slime: ROLLOUT_DUMP,
    'open-instruct': TRACES,
    ROLL: 'rollout_dump_dir: DIR of an agentic pipeline',
  },
  group: {
    'prime-rl': RUN_TRACES,
    slime: ROLLOUT_DUMP,
    'open-instruct': TRACES,
    'NeMo-RL': '--group-size with num_generations_per_prompt of the run, whose rows stand in order',
    SkyRL: '--group-size with n_samples_per_prompt of the run, whose rows stand in order',
    OpenRLHF: '--group-size with n_samples_per_prompt of the run, whose rows stand in order',
    AReaL: '--group-size with gconfig.n_samples of the run, whose rows stand in order',
    verl: '--group-size with actor_rollout_ref.rollout.n of the run, where its rows stand in order',
  },
}

/** What no trainer has to write. */
const GIVEN: Readonly<Partial<Record<Stream, string>>> = {
  limits: '--max-seq-len, --max-prompt-length or --max-completion-length with the number that the run had',
  tokenizer: '--tokenizer with a folder that holds tokenizer.json',
}

/** Fields of a record in the native format that are not called as their stream is. */
const FIELDS: Readonly<Partial<Record<Stream, string>>> = {
  ids: 'input_ids',
  mask: 'loss_mask',
  rewards: 'reward',
  reward_components: 'rewards',
  group: 'group_id',
}

/**
 * For what a verdict lacks: `kl: slime --save-debug-train-data FILE`. A sentence counts for the stream that it begins with
 * (`rewards of at least 8 training steps`); those that name none give none.
 *
 * @param formats ids of those of the dump, which tell its trainer: the switches of others help nobody. In the native format any trainer may have
 * written, so that the field is named which it has to fill. Where there are none, all switches are told.
 */
export function recordedBy(missing: readonly string[], formats: readonly string[] = []): string[] {
  const own = new Set(formats.flatMap((id) => TRAINERS[id] ?? []))
  const isUnknown = own.size === 0 && formats.includes('native')
  const lines = missing.flatMap((what) => {
    const stream = STREAMS.find((name) => what === name || what.startsWith(`${name} `) || what.startsWith(`${name}:`))
    if (stream === undefined) return []
    const switches = Object.entries(SWITCHES[stream] ?? {})
      .filter(([trainer]) => formats.length === 0 || own.has(trainer as Trainer))
      .map(([trainer, how]) => `${trainer} ${how}`)
    const field = `in the field ${FIELDS[stream] ?? stream} of each record, whichever trainer writes it`
    const told = GIVEN[stream] ?? (isUnknown ? field : switches.join(', '))
    return told === '' ? [] : [`${stream}: ${told}`]
  })
  return [...new Set(lines)]
}
