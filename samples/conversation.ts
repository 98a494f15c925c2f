/** One call of the retrieval tool. */
export interface SampleCall {
  readonly id: string
  readonly query: string
}

/** One turn of the model: its reasoning, and either a call or the final text. */
export interface ModelTurn {
  /** Between the think tags; empty where the model wrote none. */
  readonly thought: string
  readonly call: SampleCall | null
  /** The text of a turn that calls nothing, without the thought. */
  readonly text: string
  /** What the tool replied to the call. */
  readonly reply: string
}

/** One rollout as the environment saw it, before any tokenizer or trainer touched it. */
export interface SampleConversation {
  readonly id: string
  readonly group: string
  readonly system: string
  readonly user: string
  readonly turns: readonly ModelTurn[]
  readonly documents: readonly { id: string; title: string; text: string; supporting: boolean }[]
  readonly answer: string
  readonly reward: number
  readonly rewards: Readonly<Record<string, number>>
  /** The last turn does not come to an end by itself and is stopped by the limit of tokens per turn. */
  readonly endless: boolean
}

/** The one tool of the two-hop environment, in the schema that chat templates take. */
export const RETRIEVE_TOOL = {
  type: 'function',
  function: {
    name: 'retrieve',
    description: 'Search the documents that belong to the question and return the best three.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for, in a few words.' } },
      required: ['query'],
    },
  },
} as const
