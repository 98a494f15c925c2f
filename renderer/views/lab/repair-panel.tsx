import { tokenRange } from '../../../shared/model/number-text.ts'
import { PART_WORDS } from '../../../shared/model/part-words.ts'
import type { RepairTried } from '../../../shared/session/requests/lab.ts'
import { WithCode } from '../../app/with-code.tsx'
import { openRollout, showRollouts } from '../../commands/go.ts'
import { openRepairedExport } from '../../commands/open-export.ts'
import { useAnswer } from '../../data/use-answer.ts'
import type { ExportSubject } from '../../state/exporting.ts'
import { goTo } from '../../state/place.ts'
import { jumpTo } from '../../state/selection.ts'
import { ABSENT, count, counted } from '../../text/numbers.ts'
import { shownId, spelt } from '../../text/visible.ts'
import { MaskStrip } from '../rollouts/mask-strip.tsx'
import type { LabPlace } from './lab-place.ts'
import { Basis, TrialState, WithoutIds } from './trial-state.tsx'
import { useTrial } from './use-trial.ts'

const MOST_NAMED = 100

/** The mask that the structure of the turns asks for, beside the one that is stored; to look at and to export. */
export function RepairPanel({ place }: { place: LabPlace }) {
  const trial = useTrial('tryRepair', {})
  const { result } = trial
  return (
    <section aria-label="Repaired masks">
      <h2>The mask that the turns ask for</h2>
      <p className="quiet">
        Every token gets the state that the structure of the turns wants under the policy in force; what the structure
        leaves open stays as it is. This repairs a dump, not the code that wrote it: use it to see what is wrong, or to
        train on old rollouts.
      </p>
      <TrialState trial={trial} doing="Comparing masks with turns" />
      {result !== null && <Outcome tried={result} place={place} />}
      {result !== null && <Basis basis={result.basis} />}
    </section>
  )
}

function Outcome({ tried, place }: { tried: RepairTried; place: LabPlace }) {
  const { rollout, maskedWhole } = place
  if (tried.repairable === 0) {
    return <NoneToRepair tried={tried} />
  }
  const apart = tried.maskedWhole.flatMap(({ indices }) => indices)
  const chosen = maskedWhole ? [...tried.indices, ...apart].sort((a, b) => a - b) : tried.indices
  const [first] = chosen
  if (first === undefined) {
    return (
      <>
        <p>
          Nothing would change:{' '}
          {apart.length === 0
            ? `all ${count(tried.repairable)} masks are what their turns ask for.`
            : `of ${counted(tried.repairable, 'mask')} all that train anything are what their turns ask for.`}
        </p>
        <MaskedWhole tried={tried} isChosen={maskedWhole} />
      </>
    )
  }
  const shown = rollout !== null && chosen.includes(rollout) ? rollout : first
  return (
    <>
      <p className="lab-headline">
        <strong>
          {count(tried.changed)} of {count(tried.repairable)}
        </strong>{' '}
        masks would change
      </p>
      <div className="lab-columns even">
        <table className="part-table">
          <thead>
            <tr>
              <th scope="col">part</th>
              <th scope="col" className="number">
                tokens to train
              </th>
              <th scope="col" className="number">
                tokens to mask
              </th>
            </tr>
          </thead>
          <tbody>
            {tried.parts.map(({ part, toTrain, toMask }) => (
              <tr key={part}>
                <th scope="row">{PART_WORDS[part]}</th>
                <td className="number">{toTrain === 0 ? ABSENT : count(toTrain)}</td>
                <td className="number">{toMask === 0 ? ABSENT : count(toMask)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div>
          <p>
            <button type="button" className="button" onClick={() => openRepairedExport(subjectOf(chosen, maskedWhole))}>
              Export the {counted(chosen.length, 'rollout')} whose mask changes, repaired…
            </button>
            {maskedWhole && apart.length > 0 && ` ${count(apart.length)} of them train again.`}
          </p>
          <p className="quiet">
            Sources are never written to. The manifest says of each rollout how many tokens were changed, and which were
            masked whole.
          </p>
        </div>
      </div>
      <MaskedWhole tried={tried} isChosen={maskedWhole} />
      <OneRollout index={shown} among={chosen} />
    </>
  )
}

/** Only what lacks here is named: a tokenizer gives no mask, and no mask gives turns. */
function NoneToRepair({ tried: { basis, unrepairable, howToRecord } }: { tried: RepairTried }) {
  const { 'no-mask': withoutMask, 'no-turns': withoutTurns, excluded } = unrepairable
  if (basis.lookedInto === 0) return <WithoutIds basis={basis} so="there is no mask to repair" />
  const all = (rollouts: number) => rollouts === basis.lookedInto
  return (
    <>
      {withoutMask > 0 && (
        <p>
          There is no mask to repair{all(withoutMask) ? ' in this dump' : ` in ${counted(withoutMask, 'rollout')}`}:
          none is recorded. <WithCode text={howToRecord ?? ''} />
        </p>
      )}
      {withoutTurns > 0 && (
        <p>
          {all(withoutTurns) ? 'No mask here' : `The mask of no further ${counted(withoutTurns, 'rollout')}`} can be
          repaired: which tokens belong to which turn is not known. A tokenizer whose turns fit the ids can be chosen in
          the line above.
        </p>
      )}
      {excluded > 0 && (
        <p>
          {counted(excluded, 'rollout')}: left out of the training, as the dump says, so{' '}
          {excluded === 1 ? 'its mask trains' : 'their masks train'} nothing.
        </p>
      )}
    </>
  )
}

function subjectOf(indices: readonly number[], repairMaskedWhole: boolean): ExportSubject {
  return {
    id: 'repairable',
    title: 'Rollouts whose mask changes',
    says: null,
    rollouts: indices.length,
    why: 'masks that the turns ask for otherwise',
    indices: () => indices,
    repairMaskedWhole,
  }
}

/** Rollouts that train nothing, for a reason that the dump tells: they stand apart, because no turn says that they were meant to train. */
function MaskedWhole({ tried, isChosen }: { tried: RepairTried; isChosen: boolean }) {
  const rollouts = tried.maskedWhole.reduce((sum, { indices }) => sum + indices.length, 0)
  if (rollouts === 0) return null
  return (
    <section className="lab-apart" aria-label="Masked whole">
      <h3>{counted(rollouts, 'rollout')} masked whole</h3>
      <ul>
        {tried.maskedWhole.map(({ because, indices }) => (
          <li key={because}>
            <button
              type="button"
              className="link"
              title="Show these rollouts"
              onClick={() => showRollouts({ query: queryFor(indices) })}
            >
              {counted(indices.length, 'rollout')}
            </button>{' '}
            {because}
          </li>
        ))}
      </ul>
      <p className="quiet">
        Many trainers mask a rollout whole that a limit cut or a filter left out (TRL and verifiers:
        mask_truncated_completions, DAPO: overlong filtering). A repaired mask would train these, unfinished answers
        among them. Choose them only if that masking was not meant.
      </p>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={(event) => goTo('lab', { whole: event.target.checked ? 'yes' : null })}
        />{' '}
        Repair them as well
      </label>
    </section>
  )
}

/** Named one by one where that can be read; of very many, all that train nothing. */
function queryFor(indices: readonly number[]): string {
  return indices.length <= MOST_NAMED ? `index:${indices.join(',')}` : 'trained_tokens:0 -excluded'
}

function OneRollout({ index, among }: { index: number; among: readonly number[] }) {
  const answer = useAnswer('repairOf', { index })
  const at = among.indexOf(index)
  const move = (step: 1 | -1) => {
    const next = among[at + step]
    if (next !== undefined) goTo('lab', { rollout: String(next) })
  }
  const repair = answer.state === 'ready' ? answer.value : null
  return (
    <section className="lab-one" aria-label="One rollout, before and after">
      <h3>
        <button
          type="button"
          className="icon-button"
          disabled={at <= 0}
          aria-label="Previous rollout that changes"
          onClick={() => move(-1)}
        >
          ‹
        </button>{' '}
        {repair === null ? '…' : shownId(repair.id)}{' '}
        <button
          type="button"
          className="icon-button"
          disabled={at >= among.length - 1}
          aria-label="Next rollout that changes"
          onClick={() => move(1)}
        >
          ›
        </button>
        <span className="quiet">
          {' '}
          {count(at + 1)} of {count(among.length)}
        </span>
      </h3>
      {answer.state === 'failed' && <p className="error-text">✖ {answer.message}</p>}
      {repair !== null && (
        <>
          <div className="lab-strips">
            <span>stored</span>
            <MaskStrip strip={repair.before} />
            <span>repaired</span>
            <MaskStrip strip={repair.after} />
          </div>
          <table className="part-table lab-runs">
            <thead>
              <tr>
                <th scope="col">tokens</th>
                <th scope="col">turn</th>
                <th scope="col">part</th>
                <th scope="col">becomes</th>
                <th scope="col">text</th>
              </tr>
            </thead>
            <tbody>
              {repair.runs.map(({ start, end, to, part, turn, text }) => (
                <tr key={start}>
                  <th scope="row">
                    <button
                      type="button"
                      className="link"
                      title="Show these tokens, coloured by the repaired mask"
                      onClick={() => {
                        openRollout(index)
                        goTo('rollout', { overlay: 'repair' })
                        jumpTo(start, [start, end])
                      }}
                    >
                      {tokenRange(start, end)}
                    </button>
                  </th>
                  <td>{turn ?? ABSENT}</td>
                  <td>{PART_WORDS[part]}</td>
                  <td>
                    <span className={`lab-becomes ${to}`} aria-hidden="true" />
                    {to}
                  </td>
                  <td className="lab-text">{spelt(text)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {repair.runsInAll > repair.runs.length && (
            <p className="quiet">and {counted(repair.runsInAll - repair.runs.length, 'more run')} of tokens</p>
          )}
        </>
      )}
    </section>
  )
}
