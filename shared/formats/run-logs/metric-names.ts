import type { RunMetric } from '../../model/run-log.ts'

/**
 * Names of metrics, the surest first: of the series of a log that fit, the first pattern's is taken. Read from the writers: TRL
 * (grpo_trainer.py), verl (metric_utils.py), prime-rl, slime (log_utils), NeMo-RL (grpo.py), SkyRL, open-instruct, OpenRLHF, tinker-cookbook, ART.
 */
const NAMES: Readonly<Record<RunMetric, readonly RegExp[]>> = {
  reward: [
    /^(train\/)?reward$/,
    /^critic\/(score|rewards)\/mean$/,
    /^rollout\/raw_reward$/,
    /^reward\/(all\/)?mean$/,
    /^reward\/avg_raw_reward$/,
    /^env\/all\/reward\/total$/,
    /^(train\/)?(avg_|mean_)?reward(s)?([_/](mean|avg))?$/,
    /^(objective\/)?(scores|verifiable_reward)$/,
    /task_reward\/avg$/,
  ],
  'reward-std': [
    /^(train\/)?reward_std$/,
    /^reward\/(all\/)?std$/,
    /^critic\/(score|rewards)\/std$/,
    /^(?!.*zero)(?=.*[_/]std$).*reward/,
  ],
  'flat-groups': [/^(train\/)?frac_reward_zero_std$/, /zero_std[_/](ratio|frac)/, /(frac|ratio)_zero_std$/],
  kl: [
    /^(train\/)?kl$/,
    /^actor\/kl_loss$/,
    /^(train|policy)\/(kl_loss|policy_kl|kl_penalty|kl_div)$/,
    /^objective\/kl(_avg)?$/,
    /^kl_div$/,
  ],
  'grad-norm': [/(^|\/)(raw_)?grad_norm$/, /^optim\/grad_norm$/],
  'completion-length': [
    /^(train\/)?completions?\/mean_length$/,
    /^(train\/)?completion_length$/,
    /^response_length\/mean$/,
    /^rollout\/response_len(gths?)?(\/mean)?$/,
    /^seq_len\/(all\/)?mean$/,
    /^generate\/avg_num_tokens$/,
    /^(train\/)?mean_gen_tokens_per_sample$/,
    /^val\/sequence_lengths$/,
    /^(train\/)?response_length$/,
  ],
  'clipped-ratio': [
    /^(train\/)?completions?\/clipped_ratio$/,
    /^response_length\/clip_ratio$/,
    /^rollout\/truncated(_ratio)?$/,
    /^is_truncated\/(all\/)?mean$/,
    /^(train\/)?truncation_rate$/,
  ],
  entropy: [/^(train\/|actor\/)?entropy$/, /^entropy\/(all\/)?mean$/, /^(train\/)?(entropy_loss|approx_entropy)$/],
  loss: [
    /^(train\/)?loss$/,
    /^actor\/pg_loss$/,
    /^policy\/policy_loss$/,
    /^(train\/)?(pg|policy)_loss$/,
    /^loss\/(policy_avg|mean)$/,
  ],
  'learning-rate': [/(^|\/)(learning_rate|lr)$/],
  'sampler-gap': [
    /^sampling\/sampling_logp_difference\/mean$/,
    /^training\/rollout_probs_diff_mean$/,
    /^train\/train_rollout_logprob_abs_diff$/,
    /^policy\/rollout_train_prob_diff_mean$/,
    /^mismatch_kl\/(all\/)?mean$/,
    /^(train\/)?gen_kl_error$/,
    /^optim\/kl_sample_train_v1$/,
  ],
}

/** What a run evaluates is not what it trains on. */
const EVALUATION = /(^|[/_ ])(eval|evaluation|validation|test)([/_ ]|$)/i

/** For each metric the series that carries it, by the names of all series of a log. */
export function metricsOf(names: readonly string[]): Map<string, RunMetric> {
  const known = new Map<string, RunMetric>()
  const own = names.filter((name) => !EVALUATION.test(name))
  for (const [metric, patterns] of Object.entries(NAMES) as [RunMetric, readonly RegExp[]][]) {
    for (const pattern of patterns) {
      const name = own.find((candidate) => pattern.test(candidate.toLowerCase()) && !known.has(candidate))
      if (name === undefined) continue
      known.set(name, metric)
      break
    }
  }
  return known
}
