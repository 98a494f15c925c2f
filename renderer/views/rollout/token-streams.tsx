import type { Stream } from '../../../shared/model/streams.ts'
import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { useLossWeights } from '../../data/details.ts'
import { ABSENT, count, counted, real } from '../../text/numbers.ts'
import { useAbsent } from './absent.ts'
import { Pair } from './panel-pair.tsx'

interface Props {
  readonly detail: TrajectoryDetail
  readonly token: number
  /** What tokens are coloured by, which is told first. */
  readonly overlay: Overlay | null
}

/** Every number that a dump may carry for a token, in the order they are looked at. */
export function Streams({ detail, token, overlay }: Props) {
  const { sampler, trainer, reference } = detail.logprobs
  const absent = useAbsent(detail)
  const streams: readonly (readonly [string, Stream, ArrayLike<number> | null])[] = [
    ['sampler logprob', 'logprobs.sampler', sampler],
    ['trainer logprob', 'logprobs.trainer', trainer],
    ['reference logprob', 'logprobs.reference', reference],
    ['advantage', 'advantages', detail.advantages],
    ['entropy', 'entropy', detail.entropy],
    ['KL', 'kl', detail.kl],
    ['attention mask', 'attention_mask', detail.attentionMask],
    ['position id', 'position_ids', detail.positionIds],
  ]
  return (
    <>
      {overlay !== null && <Shown overlay={overlay} token={token} />}
      <dl className="panel-pairs streams">
        {streams.map(([name, stream, values]) => (
          <Pair key={name} name={name}>
            {stream === 'advantages' && values === null && detail.facts.advantage !== null ? (
              <RolloutValue value={detail.facts.advantage} />
            ) : (
              <StreamValue value={values === null ? absent(stream) : (values[token] ?? Number.NaN)} />
            )}
          </Pair>
        ))}
        {sampler !== null && trainer !== null && (
          <Pair name="trainer − sampler">
            <StreamValue value={(trainer[token] ?? Number.NaN) - (sampler[token] ?? Number.NaN)} />
          </Pair>
        )}
      </dl>
      <LossWeights detail={detail} token={token} />
    </>
  )
}

/** The number that the token is coloured by, and what such a number means. */
function Shown({ overlay, token }: { overlay: Overlay; token: number }) {
  const value = overlay.values[token] as number
  return (
    <div className="panel-shown">
      <p>
        {overlay.title}{' '}
        <strong className="number">{Number.isNaN(value) ? ABSENT : `${real(value)}${overlay.scale.unit}`}</strong>
        {Number.isNaN(value) && <span className="quiet"> no number that counts</span>}
      </p>
      <p className="quiet">{overlay.scale.about}</p>
    </div>
  )
}

/** What the token counts in the loss under each way to average it; nothing where the rollout is in no batch of the loss. */
function LossWeights({ detail, token }: { detail: TrajectoryDetail; token: number }) {
  const answer = useLossWeights(detail)
  if (answer.state !== 'ready' || answer.value === null) return null
  const { weights, of, rollouts, untrained } = answer.value
  const isTrained = detail.states[token] === TokenState.trained
  const share = detail.weights?.[token] ?? 1
  return (
    <>
      <dl className="panel-pairs streams">
        {weights.map(({ type, token: weight, ratio }) => (
          <Pair key={type} name={`weight, ${type}`}>
            {isTrained ? (
              <>
                <span className="number">{real(ratio * share)}×</span>{' '}
                <span className="quiet">· {weight === null ? 'not known' : real(weight * share)}</span>
              </>
            ) : (
              <span className="quiet">none, it is not trained</span>
            )}
          </Pair>
        ))}
      </dl>
      {isTrained && (
        <p className="quiet">
          × the mean trained token of its {of} ({counted(rollouts, 'rollout')}) · the factor in the loss, as TRL
          computes it
          {untrained > 0 &&
            `: grpo and dr_grpo divide by all ${count(rollouts)}, also by the ${count(untrained)} that ${untrained === 1 ? 'trains' : 'train'} nothing, which verl leaves out`}
          .
          {weights.some(({ token: weight }) => weight === null) &&
            ' dr_grpo divides by the completion limit too, and none for whole completions is known here.'}
        </p>
      )}
    </>
  )
}
/** A number, or the words for one that is absent. */
function StreamValue({ value }: { value: number | string }) {
  if (typeof value === 'string') return <span className="quiet">{value}</span>
  if (Number.isNaN(value)) return <span className="quiet">not scored</span>
  return <span className="number">{real(value)}</span>
}

/** A value that the dump gives once for the whole rollout. */
function RolloutValue({ value }: { value: number }) {
  return (
    <>
      <span className="number">{real(value)}</span> <span className="quiet">(of the rollout)</span>
    </>
  )
}
