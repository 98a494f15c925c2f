import { PROMPT_CUTS, TRIED_LIMITS, type TriedLimit } from '../../../shared/session/lab/limits.ts'
import type { LimitsTried } from '../../../shared/session/requests/lab.ts'
import { showRollouts } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import { goTo } from '../../state/place.ts'
import { ABSENT, count, counted, percent } from '../../text/numbers.ts'
import { LIMIT_WORDS } from '../../text/words.ts'
import { HypothesisLine } from '../verdicts/hypotheses.tsx'
import { type LabPlace, tryLimit } from './lab-place.ts'
import { LimitCurve } from './limit-curve.tsx'
import { Basis, TrialState } from './trial-state.tsx'
import { useTrial } from './use-trial.ts'

const CUT_WORDS = {
  left: 'keep its end (TRL, verl left)',
  right: 'keep its beginning (verl right)',
  middle: 'keep both ends (verl middle)',
  drop: 'leave the row out (filter_overlong_prompts)',
} as const

/** What each limit would cut away of these rollouts, while a person moves it. */
export function LimitsPanel({ place }: { place: LabPlace }) {
  const { limits, promptCut, curve } = place
  const trial = useTrial('tryLimits', { limits, promptCut, curve })
  const report = useFiles((files) => files.report)
  const inForce = report?.limits ?? null
  const h04 = report?.hypotheses.find(({ id }) => id === 'H04')
  const { result } = trial
  const known = TRIED_LIMITS.filter((name) => inForce?.[name] != null)
  return (
    <>
      <section aria-label="What the limits in force cost">
        <h2>What the limits in force cost</h2>
        {h04 !== undefined && (
          <ul className="verdict-lines lab-verdict">
            <HypothesisLine result={h04} />
          </ul>
        )}
        <p>
          {known.length === 0
            ? 'No limit of this run is known: none is given, in its metadata, or to be seen by rollouts that pile up'
            : known
                .map(
                  (name) => `${LIMIT_WORDS[name]} ${count(inForce?.[name]?.value ?? 0)} (${inForce?.[name]?.origin})`,
                )
                .join(', ')}
          {(report?.totals.tokens.lost ?? 0) > 0 && (
            <>
              {'. '}
              <button type="button" className="link" onClick={() => showRollouts({ where: { lostText: true } })}>
                {counted(report?.totals.tokens.lost ?? 0, 'token')} of text that the messages hold
              </button>{' '}
              never reached the sequence
            </>
          )}
          .
        </p>
      </section>
      <section aria-label="What other limits would cost">
        <h2>What other limits would cost</h2>
        <p className="quiet">
          Of these rollouts as they are. Under another limit the model would have gone on otherwise; where text was lost
          before it was recorded, a wider limit cannot bring it back here.
        </p>
        <div className="lab-columns">
          <div className="lab-controls">
            {TRIED_LIMITS.map((name) => (
              <LimitControl
                key={name}
                name={name}
                value={limits[name]}
                inForce={inForce?.[name]?.value ?? null}
                longest={name === curve ? (result?.longest ?? null) : null}
              />
            ))}
            <label className="lab-field">
              <span>of a prompt that is too long</span>
              <select value={promptCut} onChange={(event) => goTo('lab', { cut: event.target.value })}>
                {PROMPT_CUTS.map((cut) => (
                  <option key={cut} value={cut}>
                    {CUT_WORDS[cut]}
                  </option>
                ))}
              </select>
            </label>
            <div className="choices">
              <button
                type="button"
                className="button small"
                disabled={known.length === 0}
                onClick={() => {
                  for (const name of known) tryLimit(name, inForce?.[name]?.value ?? null)
                }}
              >
                Set to those in force
              </button>
              <button
                type="button"
                className="button small"
                onClick={() => {
                  for (const name of TRIED_LIMITS) tryLimit(name, null)
                }}
              >
                No limits
              </button>
            </div>
          </div>
          <div className={trial.isStale ? 'lab-result stale' : 'lab-result'}>
            <TrialState trial={trial} doing="Looking where everything stands" />
            {result !== null && result.basis.lookedInto === 0 && (
              <p className="quiet">There are no token ids here, so a limit in tokens cuts nothing that can be seen.</p>
            )}
            {result !== null && result.basis.lookedInto > 0 && (
              <>
                <Headline tried={result} />
                <LimitCurve
                  tried={result}
                  limit={curve}
                  value={limits[curve]}
                  inForce={inForce?.[curve]?.value ?? null}
                  onTry={(value) => tryLimit(curve, value)}
                />
                <Cost tried={result} />
                <Basis basis={result.basis} />
              </>
            )}
          </div>
        </div>
      </section>
    </>
  )
}

function LimitControl({
  name,
  value,
  inForce,
  longest,
}: {
  name: TriedLimit
  value: number | null
  inForce: number | null
  longest: number | null
}) {
  const label = LIMIT_WORDS[name]
  const most = Math.max(longest ?? 0, inForce ?? 0, value ?? 0, 16)
  return (
    <div className="lab-limit">
      <label className="lab-field">
        <span>
          {label}
          {inForce !== null && <span className="quiet"> · in force {count(inForce)}</span>}
        </span>
        <input
          type="number"
          min={0}
          placeholder="none"
          value={value ?? ''}
          onChange={(event) =>
            tryLimit(name, event.target.value === '' ? null : Math.max(0, Number(event.target.value)))
          }
          onFocus={() => goTo('lab', { curve: curveKey(name) })}
        />
      </label>
      <input
        type="range"
        aria-label={`${label}, in tokens`}
        min={0}
        max={most}
        step={Math.max(1, Math.round(most / 512))}
        value={value ?? most}
        onFocus={() => goTo('lab', { curve: curveKey(name) })}
        onChange={(event) => {
          const next = Number(event.target.value)
          tryLimit(name, next >= most ? null : next)
        }}
      />
    </div>
  )
}

function curveKey(name: TriedLimit): string {
  return {
    max_prompt_length: 'prompt',
    max_completion_length: 'completion',
    max_seq_len: 'sequence',
    max_tool_response_length: 'reply',
  }[name]
}

function Cost({ tried }: { tried: LimitsTried }) {
  const { cost } = tried
  const rows: readonly (readonly [what: string, of: number, lost: number, note: string])[] = [
    ['rollouts cut', cost.rollouts, cost.cut, cost.dropped > 0 ? `${count(cost.dropped)} left out whole` : ''],
    ['system text and tool schema cut', cost.system.of, cost.system.cut, ''],
    ['documents cut', cost.documents.of, cost.documents.cut, ''],
    ['supporting documents cut', cost.supporting.of, cost.supporting.cut, ''],
    ['answers cut', cost.answers.of, cost.answers.cut, 'the model’s last turn, its end token included'],
    ['tokens lost', cost.tokens.of, cost.tokens.lost, ''],
    ...(cost.trained === null ? [] : [['trained tokens lost', cost.trained.of, cost.trained.lost, ''] as const]),
  ]
  return (
    <>
      <table className="part-table lab-cost">
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" className="number">
              cut
            </th>
            <th scope="col" className="number">
              of
            </th>
            <th scope="col" className="number">
              share
            </th>
            <th scope="col">
              <span className="visually-hidden">note</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, of, lost, note]) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td className="number">{of === 0 ? ABSENT : count(lost)}</td>
              <td className="number">{of === 0 ? 'none here' : count(of)}</td>
              <td className="number">{of === 0 ? ABSENT : percent(lost / of)}</td>
              <td className="quiet">{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">
        {count(cost.tokens.of - cost.tokens.lost)} tokens stay; a batch that pads every row to the longest (
        {count(cost.longest)}) holds {count(cost.padded)}.
      </p>
    </>
  )
}

function Headline({ tried: { cost } }: { tried: LimitsTried }) {
  const by = TRIED_LIMITS.filter((name) => cost.by[name] > 0)
  return (
    <p className="lab-headline">
      <strong>{percent(cost.rollouts === 0 ? 0 : cost.cut / cost.rollouts)}</strong> of the rollouts are cut
      {by.length > 0 && (
        <span className="quiet"> · {by.map((name) => `${LIMIT_WORDS[name]} ${count(cost.by[name])}`).join(', ')}</span>
      )}
    </p>
  )
}
