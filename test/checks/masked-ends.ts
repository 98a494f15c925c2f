import type { Thresholds } from '../../shared/model/thresholds/registry.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'
import { search } from './findings-of.ts'

/** What the engines say of end tokens that the mask leaves out. */
interface MaskedEnds {
  /** Of the sampler, of the first end and of the second. Default: 0.0 of both, as of all that nobody sampled. */
  readonly sampler?: readonly [number, number]
  readonly trainer: readonly [number, number]
  /** The second end is in the loss. */
  readonly trainsSecond?: boolean
  /** One trained token in so many has a 0.0 of the sampler. */
  readonly every?: number
  /** What the trainer says of one of these. */
  readonly least?: number
}

/** Findings of M10 in one rollout of two turns. */
export async function ofMaskedEnds(...given: Parameters<typeof resultOfMaskedEnds>) {
  return (await resultOfMaskedEnds(...given)).findings
}

/** What M10 says of one rollout of two turns. */
export async function resultOfMaskedEnds(
  { sampler = [0, 0], trainer, trainsSecond = false, every = 2, least = -0.0002 }: MaskedEnds,
  options: { readonly thresholds?: Partial<Thresholds>; readonly unsampledLogprob?: number } = {},
) {
  const tokenizer = await testTokenizer('qwen2.5')
  const text = 'The document says it, and so does the archive of the town. '.repeat(4)
  const turn = { text, train: { end: false } }
  const trajectories = search({ call: turn, answer: { text, train: { end: trainsSecond } } })(tokenizer).map((row) => {
    const trajectory = trajectoryOf(row, { source: 0, record: 0, part: 0 })
    const ends = [row.layout[2]!.endToken, row.layout[4]!.endToken]
    const first = row.layout[2]!.contentStart
    const scores = (ofEnd: readonly number[], ofTrained: (at: number) => number, ofOthers: number) =>
      Float32Array.from(trajectory.mask!, (flag, at) =>
        ends.includes(at) ? ofEnd[ends.indexOf(at)]! : flag === 1 ? ofTrained(at - first) : ofOthers,
      )
    const isZero = (at: number) => at % every === 0
    const logprobs = {
      ...trajectory.logprobs,
      sampler: scores(sampler, (at) => (isZero(at) ? 0 : -0.2), 0),
      trainer: scores(trainer, (at) => (at === 0 ? least : isZero(at) ? -0.0001 : -0.2), -0.4),
    }
    return { ...trajectory, logprobs }
  })
  const format =
    options.unsampledLogprob === undefined ? {} : { format: { unsampledLogprob: options.unsampledLogprob } }
  const audited = auditTrajectories(trajectories, tokenizer, {
    options: { thresholds: options.thresholds ?? {} },
    ...format,
  })
  return audited.byCode.get('M10')!
}
