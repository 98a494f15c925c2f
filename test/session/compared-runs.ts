import { assistant, conversation, user } from '../helpers/conversation.ts'
import { cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)

/** Lines of three runs that differ in what comparisons look at. */
export interface ComparedRuns {
  /** Its tool replies are trained. */
  readonly training: string
  /** Nine of the same questions and three others, put without the tool; a third of them is cut. */
  readonly evaluation: string
  /** Other questions, of one turn. */
  readonly single: string
}

export async function comparedRuns(): Promise<ComparedRuns> {
  const tokenizer = await qwen()
  const training = lines(
    SEEDS.map((seed) =>
      rolloutWithTrainedReply(tokenizer, seed, {
        reward: seed % 4 === 0 ? 1 : 0,
        group: `q${seed}`,
        more: { step: seed < 6 ? 1 : 2 },
      }),
    ),
  )
  const evaluation = lines(
    SEEDS.map((seed) => {
      const own = { reward: 1, tools: [], group: `e${seed}` }
      const question = seed < 9 ? seed : seed + 100
      return seed % 3 === 0 ? cutRollout(tokenizer, question, own) : cleanRollout(tokenizer, question, own)
    }),
  )
  const single = lines(
    SEEDS.map((seed) =>
      conversation(tokenizer, [user(`What is ${seed} and ${seed}?`), assistant(`It is ${2 * seed}.`)], {
        id: `sum-${seed}`,
        messages: true,
        reward: 1,
      }),
    ),
  )
  return { training, evaluation, single }
}
