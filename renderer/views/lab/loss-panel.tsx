import { useRef } from 'react'
import { LOSS_TYPES } from '../../../shared/checks/groups/token-weights.ts'
import { tokenRange } from '../../../shared/model/number-text.ts'
import { PART_WORDS } from '../../../shared/model/part-words.ts'
import { LAB_SCALINGS, type LossPicture } from '../../../shared/session/lab/loss.ts'
import { openRollout } from '../../commands/go.ts'
import { useFieldKeys } from '../../commands/use-field-keys.ts'
import { goTo } from '../../state/place.ts'
import { sharesAlike } from '../../text/alike.ts'
import { ABSENT, count, counted, decimalsOf, inDecimals, real, tallestBar } from '../../text/numbers.ts'
import { shownId } from '../../text/visible.ts'
import { useWidth } from '../rollout/use-canvas.ts'
import { ShareBar } from '../verdicts/loss-share.tsx'
import type { LabPlace } from './lab-place.ts'
import { Basis, TrialState, WithoutIds } from './trial-state.tsx'
import { useTrial } from './use-trial.ts'

const SCALING_WORDS = {
  recorded: 'as recorded',
  group: 'by the std of the group',
  batch: 'by the std of the batch',
  none: 'not scaled, centred',
} as const

const LOSS_WORDS = {
  grpo: 'grpo: mean of each rollout, then of rollouts',
  dapo: 'dapo: mean over all tokens',
  bnpo: 'bnpo: the same within a micro-batch',
  dr_grpo: 'dr_grpo: divided by a constant',
} as const

const EPS = [1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1]

/** What the update rests on under another scaling, epsilon and loss: which rollouts, parts and turns pull. */
export function LossPanel({ place }: { place: LabPlace }) {
  const { loss } = place
  const takeRows = (text: string) => goTo('lab', { rows: text === '' ? null : text })
  const rowsKeys = useFieldKeys(takeRows)
  const trial = useTrial('tryLoss', loss)
  const recorded = useTrial('tryLoss', loss.scaling === 'recorded' ? null : { ...loss, scaling: 'recorded' })
  const { result } = trial
  const at = EPS.findIndex((eps) => eps >= loss.eps)
  return (
    <section aria-label="Advantages and loss">
      <h2>What the update rests on</h2>
      <p className="quiet">
        The pull of a rollout says how much of the update of its step it makes: its share of |advantage| · weight over
        all trained tokens of the step; that of lengths, parts and turns is the mean over the steps. Nothing is trained
        here; the rewards and masks are those of this dump.
      </p>
      <div className="lab-columns">
        <div className="lab-controls">
          <fieldset className="lab-choice">
            <legend>advantages</legend>
            {LAB_SCALINGS.map((scaling) => (
              <label key={scaling}>
                <input
                  type="radio"
                  name="scaling"
                  checked={loss.scaling === scaling}
                  onChange={() => goTo('lab', { scaling })}
                />{' '}
                {SCALING_WORDS[scaling]}
              </label>
            ))}
          </fieldset>
          <label className="lab-field">
            <span>epsilon {loss.eps.toExponential(0)}</span>
            <input
              type="range"
              min={0}
              max={EPS.length - 1}
              step={1}
              value={at === -1 ? EPS.length - 1 : at}
              disabled={loss.scaling === 'recorded' || loss.scaling === 'none'}
              aria-valuetext={String(loss.eps)}
              onChange={(event) => goTo('lab', { eps: String(EPS[Number(event.target.value)]) })}
            />
          </label>
          <fieldset className="lab-choice">
            <legend>loss</legend>
            {LOSS_TYPES.map((type) => (
              <label key={type}>
                <input
                  type="radio"
                  name="loss"
                  checked={loss.lossType === type}
                  onChange={() => goTo('lab', { loss: type })}
                />{' '}
                {LOSS_WORDS[type]}
              </label>
            ))}
          </fieldset>
          {loss.lossType === 'bnpo' && (
            <label className="lab-field">
              <span>rollouts of a micro-batch</span>
              <input
                type="number"
                min={1}
                placeholder="all"
                value={loss.localRows ?? ''}
                onChange={(event) => takeRows(event.target.value)}
                {...rowsKeys}
              />
            </label>
          )}
        </div>
        <div className={trial.isStale ? 'lab-result stale' : 'lab-result'}>
          <TrialState trial={trial} doing="Looking where the loss falls" />
          {result !== null && result.basis.lookedInto === 0 && (
            <WithoutIds basis={result.basis} so="which tokens a loss would fall on is not known" />
          )}
          {result !== null && result.basis.lookedInto > 0 && (
            <Picture picture={result} beside={loss.scaling === 'recorded' ? null : recorded.result} />
          )}
          {result !== null && <Basis basis={result.basis} />}
        </div>
      </div>
    </section>
  )
}

function Picture({ picture, beside }: { picture: LossPicture; beside: LossPicture | null }) {
  const { groups } = picture
  if (picture.rollouts === 0) {
    return (
      <p className="quiet">No rollout here trains anything that is known: there is no mask, or it trains nothing.</p>
    )
  }
  if (picture.known === 0) {
    return (
      <p className="quiet">
        No advantage is known: this dump stores none, or no group is complete. Choose another scaling, or dump rewards
        and a group for every rollout.
      </p>
    )
  }
  const decimals = decimalsOf(picture.most.map(({ advantage }) => advantage))
  const pulls = sharesAlike(picture.most.map(({ pull }) => pull)).values
  return (
    <>
      <p className="lab-headline">
        Largest advantage <strong>{real(picture.largestAdvantage)}</strong>
        {beside !== null && beside.largestAdvantage !== null && (
          <span className="quiet"> (recorded {real(beside.largestAdvantage)})</span>
        )}
        , mean size over the rollouts that train <strong>{real(picture.meanAbsoluteAdvantage)}</strong>
        {beside !== null && beside.meanAbsoluteAdvantage !== null && (
          <span className="quiet"> (recorded {real(beside.meanAbsoluteAdvantage)})</span>
        )}
      </p>
      <p>
        {groups.complete === 0
          ? 'No group is complete.'
          : `Of ${counted(groups.complete, 'complete group')} ${count(groups.dead)} pull nothing, and ${count(groups.amplified)} have their differences blown up ten times or more.`}
        {picture.known < picture.rollouts &&
          ` The advantage of ${counted(picture.rollouts - picture.known, 'rollout')} is not known.`}
      </p>
      <AdvantageBars picture={picture} />
      <div className="lab-tables">
        <table className="part-table">
          <caption>by length: does a long rollout pull more?</caption>
          <thead>
            <tr>
              <th scope="col">trained tokens</th>
              <th scope="col" className="number">
                rollouts
              </th>
              <th scope="col">share of the loss</th>
              <th scope="col">pull</th>
            </tr>
          </thead>
          <tbody>
            {picture.byLength.map(({ from, to, rollouts, share, pull }) => (
              <tr key={from}>
                <th scope="row">{tokenRange(Math.round(from), Math.round(to) + 1)}</th>
                <td className="number">{count(rollouts)}</td>
                <td>
                  <ShareBar share={share} />
                </td>
                <td>{pull === null ? ABSENT : <ShareBar share={pull} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <PullTable caption="by part" rows={picture.byPart.map(({ part, pull }) => [PART_WORDS[part], pull])} />
        <PullTable caption="by assistant turn" rows={picture.byTurn.map(({ turn, pull }) => [`turn ${turn}`, pull])} />
        <table className="part-table">
          <caption>rollouts that pull most</caption>
          <thead>
            <tr>
              <th scope="col">rollout</th>
              <th scope="col" className="number">
                step
              </th>
              <th scope="col" className="number">
                advantage
              </th>
              <th scope="col" className="number">
                trained
              </th>
              <th scope="col" className="number">
                pull in its step
              </th>
            </tr>
          </thead>
          <tbody>
            {picture.most.map(({ index, id, step, advantage, trained }, at) => (
              <tr key={index}>
                <th scope="row">
                  <button type="button" className="link" onClick={() => openRollout(index)}>
                    {shownId(id)}
                  </button>
                </th>
                <td className="number">{step === null ? ABSENT : count(step)}</td>
                <td className="number">{inDecimals(advantage, decimals)}</td>
                <td className="number">{real(trained)}</td>
                <td className="number">{pulls[at]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!picture.maxLength.known && (
        <p className="quiet">
          dr_grpo divides by a constant, the limit of whole completions, which is not known here. It is the same for
          every token, so no pull hangs on it.
        </p>
      )}
    </>
  )
}

function PullTable({ caption, rows }: { caption: string; rows: readonly (readonly [string, number])[] }) {
  if (rows.length === 0) return null
  return (
    <table className="part-table pull-table">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, pull]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <ShareBar share={pull} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Until the drawing has been measured (pixels). */
const WIDTH = 560
const HEIGHT = 80

function AdvantageBars({ picture }: { picture: LossPicture }) {
  const figure = useRef<HTMLElement>(null)
  // Drawn as wide as it stands there, so that its words are as large as those around it in every window.
  const across = useWidth(figure, 'advantages') || WIDTH
  const { advantages, largestAdvantage } = picture
  const most = Math.max(1, ...advantages)
  const width = across / advantages.length
  const nearZero = advantages.slice(advantages.length / 2 - 1, advantages.length / 2 + 1).reduce((a, b) => a + b, 0)
  return (
    <figure ref={figure} className="lab-curve">
      <figcaption>
        Advantages of the rollouts <span className="quiet">{tallestBar(most, 'rollout')}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${across} ${HEIGHT + 20}`}
        role="img"
        aria-label={`Advantages from ${real(-(largestAdvantage ?? 0))} to ${real(largestAdvantage)}; ${counted(nearZero, 'rollout')} near 0`}
      >
        {advantages.map((number, bin) => {
          const height = number === 0 ? 0 : Math.max(2, (number / most) * HEIGHT)
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              className="bin-bar"
              x={bin * width + 1}
              y={HEIGHT - height}
              width={width - 2}
              height={height}
            />
          )
        })}
        <line className="grid" x1="0" x2={across} y1={HEIGHT} y2={HEIGHT} />
        <line className="lab-zero" x1={across / 2} x2={across / 2} y1="0" y2={HEIGHT} />
        <text className="axis-label" x="0" y={HEIGHT + 14}>
          {real(-(largestAdvantage ?? 0))}
        </text>
        <text className="axis-label" x={across / 2} y={HEIGHT + 14} textAnchor="middle">
          0
        </text>
        <text className="axis-label" x={across} y={HEIGHT + 14} textAnchor="end">
          {real(largestAdvantage)}
        </text>
      </svg>
    </figure>
  )
}
