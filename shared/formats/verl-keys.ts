/** The rollout that a row of verl's sequences belongs to. */
export interface RowKey {
  /** Of the prompt, which the rollouts of a group share. */
  readonly group: string
  readonly rollout: string
  readonly branch: string
}

/**
 * The key of a row as verl's unified trainers make it (verl/trainer/ppo/v1/agent_loop_tq.py): `{uid}_{session}_{index}`, the prompt, which of
 * its rollouts, and which of the sequences that this rollout's agents put out. Null for any other text.
 */
export function rowKeyOf(key: string | null): RowKey | null {
  const parts = /^(.+)_(\d+)_(\d+)$/s.exec(key ?? '')
  if (parts === null) return null
  const [, group, session, branch] = parts as unknown as [string, string, string, string]
  return { group, rollout: `${group}_${session}`, branch }
}
