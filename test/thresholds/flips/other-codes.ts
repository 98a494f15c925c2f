import type { ThresholdId } from '../../../shared/model/thresholds/registry.ts'
import { auditTrajectories } from '../../checks/audit.ts'
import { search } from '../../checks/findings-of.ts'
import { ofMaskedEnds } from '../../checks/masked-ends.ts'
import { trajectoryOf } from '../../helpers/conversation.ts'
import { testTokenizer } from '../../helpers/tokenizers.ts'
import { audit, faultsOf } from '../../planted/audit.ts'
import { cleanDump } from '../../planted/dump.ts'
import { turnsBy } from '../../planted/rollout.ts'
import { nemoRl } from '../../planted/writers/nemo-rl.ts'
import type { Outcome } from '../outcomes.ts'
import { type Flip, flip } from './flip.ts'

/** Tokens of an empty thought of Qwen3. */
const BLOCK = 4

/** Empty thoughts in the loss, with 0.0 of the sampler on all their tokens; the trainer is this sure of the second. Codes of what is found. */
const emptyThoughts =
  (trainer: number): Outcome =>
  async (thresholds) => {
    const dump = await cleanDump('empty thoughts', 'qwen3', {
      groups: 1,
      change: (conversation) => ({
        ...conversation,
        turns: conversation.turns.map((turn) => ({ ...turn, thought: '' })),
      }),
      finish: (rollout) => {
        for (const { headerEnd } of turnsBy(rollout, 'assistant'))
          for (const [at, token] of rollout.tokens.slice(headerEnd, headerEnd + BLOCK).entries()) {
            token.sampler = 0
            token.trainer = at === 1 ? trainer : 0
          }
      },
    })
    const found = faultsOf(await audit(dump, nemoRl, { checks: ['M09'], thresholds }))
    return [...new Set(found.map(({ code }) => code))]
  }

/** A call without its closing tag, whose turn the sampler ends with 0.0 and the trainer with -0.01. */
const openCall: Outcome = async (thresholds) => {
  const tokenizer = await testTokenizer('qwen3')
  const call = { text: '<tool_call>\n{"name": "search", "arguments": {"query": "Ni' }
  const trajectories = search({ call })(tokenizer).map((row) => {
    const scores = (last: number) =>
      Float32Array.from(row.record.input_ids!, (_, at) => (at === row.layout[2]!.endToken ? last : -0.1))
    const trajectory = trajectoryOf(row, { source: 0, record: 0, part: 0 })
    return { ...trajectory, logprobs: { ...trajectory.logprobs, sampler: scores(0), trainer: scores(-0.01) } }
  })
  return auditTrajectories(trajectories, tokenizer, { options: { thresholds } }).byCode.get('C07')!.findings.length
}

/** Thresholds that move more than one code, with a dump for another of them. */
export const FLIPS_OF_OTHER_CODES: readonly (readonly [ThresholdId, Flip])[] = [
  ['not-certain', flip(emptyThoughts(-0.01), 0.1, ['M09'], [])],
  ['not-certain', flip(openCall, 0.1, 1, 0)],
  [
    'not-certain',
    flip(async (thresholds) => (await ofMaskedEnds({ trainer: [-0.01, -0.01] }, { thresholds })).length, 0.1, 0, 2),
  ],
]
