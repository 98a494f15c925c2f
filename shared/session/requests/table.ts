export interface TableRequests {
  /** What only some dumps have columns for. */
  tableFields: {
    input: Record<string, never>
    output: {
      /** Names of reward components, those that most rollouts have first; at most `MOST_COMPONENTS`. */
      rewards: readonly string[]
      /** How many components beyond these there are. */
      moreRewards: number
    }
  }
}

export const MOST_COMPONENTS = 64
