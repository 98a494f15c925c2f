import { PROMPT_CUTS, TRIED_LIMITS } from '../../../shared/session/lab/limits.ts'
import { showRollouts } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import { goTo } from '../../state/place.ts'
import { counted } from '../../text/numbers.ts'
import { limitWords, severalWords } from '../../text/words.ts'
import { HypothesisLine } from '../verdicts/hypotheses.tsx'
import { type LabPlace, limitInForce, limitsInForceAgain, noLimits, tryLimit } from './lab-place.ts'
import { LimitControl } from './limit-control.tsx'
import { LimitCost, LimitHeadline } from './limit-cost.tsx'
import { LimitCurve } from './limit-curve.tsx'
import { Basis, TrialState, WithoutIds } from './trial-state.tsx'
import { useTrial } from './use-trial.ts'

const CUT_WORDS = {
  left: 'keep its end (TRL, verl left)',
  right: 'keep its beginning (verl right)',
  middle: 'keep both ends (verl middle)',
  drop: 'leave the row out (filter_overlong_prompts)',
} as const

/** What each limit would cut away of these rollouts, while a person moves it. */
export function LimitsPanel({ place }: { place: LabPlace }) {
  const { limits, promptCut, completionPer, curve } = place
  const trial = useTrial('tryLimits', { limits, promptCut, completionPer, curve })
  const report = useFiles((files) => files.report)
  const inForce = report?.limits ?? null
  const h04 = report?.hypotheses.find(({ id }) => id === 'H04')
  const { result } = trial
  const known = TRIED_LIMITS.flatMap((name) => {
    const limit = inForce?.[name] ?? null
    const several = report?.limits_by_rollout?.[name] ?? []
    if (limit !== null) return `${limitWords(name, limit)} (${limit.origin})`
    return several.length === 0 ? [] : `${severalWords(name, several, report?.limits_left_out?.[name])} (metadata)`
  })
  const ofReplies = inForce?.max_tool_response_length ?? null
  const countedElse = limitInForce(inForce, 'max_tool_response_length') === null ? ofReplies : null
  const isTried =
    TRIED_LIMITS.some((name) => limits[name] !== limitInForce(inForce, name)) ||
    (limits.max_completion_length !== null && completionPer !== (inForce?.max_completion_length?.per ?? 'completion'))
  return (
    <>
      <section aria-label="What the limits in force cost">
        <h2>What the limits in force cost</h2>
        {h04 !== undefined && (
          <ul className="verdict-lines lab-verdict">
            <HypothesisLine result={h04} view="lab" />
          </ul>
        )}
        <p>
          {known.length === 0
            ? 'No limit of this run is known: none is given, in its metadata, or to be seen by rollouts that pile up'
            : known.join(', ')}
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
          Of these rollouts as they are. Under another limit the model would have gone on otherwise; what was lost
          before it was recorded is counted as the messages have it, and is not known where they do not. What follows a
          turn or a reply that is cut is taken to stay.
          {countedElse !== null &&
            ` Limits are tried in tokens here. That of tool replies in force${
              countedElse.unit === 'characters'
                ? ' counts characters, and where a number of them falls hangs on each reply'
                : ' may count characters, as verl does, and nothing in the dump tells'
            }, so it is not set.`}
        </p>
        <div className="lab-columns">
          <div className="lab-controls">
            {TRIED_LIMITS.map((name) => (
              <LimitControl
                key={name}
                name={name}
                value={limits[name]}
                inForce={limitInForce(inForce, name)}
                reach={result?.reach[name] ?? 0}
                completionPer={completionPer}
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
              <button type="button" className="button small" disabled={!isTried} onClick={() => limitsInForceAgain()}>
                Set to those in force
              </button>
              <button type="button" className="button small" onClick={noLimits}>
                No limits
              </button>
            </div>
          </div>
          <div className={trial.isStale ? 'lab-result stale' : 'lab-result'}>
            <TrialState trial={trial} doing="Looking where everything stands" />
            {result !== null && result.basis.lookedInto === 0 && (
              <WithoutIds basis={result.basis} so="a limit in tokens cuts nothing that can be seen">
                {' '}
                Or have the texts rendered, under “tokenizer” in the line above: lengths then come from them.
              </WithoutIds>
            )}
            {result !== null && result.basis.lookedInto > 0 && (
              <>
                <LimitHeadline tried={result} />
                <LimitCurve
                  tried={result}
                  limit={curve}
                  value={limits[curve]}
                  inForce={limitInForce(inForce, curve)}
                  onTry={(value) => tryLimit(curve, value)}
                />
                <LimitCost tried={result} />
                <Basis basis={result.basis} />
              </>
            )}
          </div>
        </div>
      </section>
    </>
  )
}
