import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout } from '../rollout.ts'
import { idsOf, jsonl, maskOf, valuesOf, type Writer } from './writer.ts'

/** A line of `token_exports/step_N/rank_R.jsonl`: what the trainer saw of one sequence, without prompt, group, reward or text. */
function row(rollout: PlantedRollout, index: number): Record<string, unknown> {
  const { tokens } = rollout
  const ratio = tokens.map(({ sampler, trainer }, at) =>
    at === 0 ? 0 : trainer - (Number.isNaN(sampler) ? 0 : sampler),
  )
  return {
    schema_version: 1,
    step: rollout.step,
    rank: 0,
    micro_step: index,
    micro_sequence_idx: 0,
    export_sequence_idx: index,
    env_name: 'search',
    token_ids: idsOf(rollout),
    position_ids: tokens.map((_, at) => at),
    loss_mask: maskOf(rollout).map((flag) => flag === 1),
    advantages: tokens.map(({ trained, advantage }) => (trained ? advantage : 0)),
    inference_logprobs: valuesOf(rollout, ({ sampler }) => sampler, 0),
    trainer_logprobs: valuesOf(rollout, ({ trainer }) => trainer, 0),
    entropy: tokens.map(({ trainer }) => (Number.isNaN(trainer) ? 0 : Math.min(2, 0.02 - trainer / 2))),
    log_importance_ratio: ratio.map((each) => (Number.isNaN(each) ? 0 : each)),
    is_masked: tokens.map(() => false),
  }
}

/** The trainer writes no line for a sequence that trains nothing. */
export const primeRlExport = {
  format: 'prime-rl-export' as const,
  carries: new Set(['mask', 'sampler', 'trainer', 'environment-end'] as const),
  write(dump: PlantedDump) {
    const trains = ({ tokens, excluded }: PlantedRollout) => !excluded && tokens.some(({ trained }) => trained)
    const written = dump.rollouts.filter(trains)
    return {
      text: jsonl(written.map(row)),
      options: {},
      places: dump.rollouts.map((rollout) => (trains(rollout) ? `${written.indexOf(rollout)}.0` : 'not written')),
    }
  },
} satisfies Writer
