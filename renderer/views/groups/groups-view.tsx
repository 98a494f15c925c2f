import { useEffect, useRef } from 'react'
import type { GroupSummary } from '../../../shared/session/requests/groups.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { Waiting } from '../../app/waiting.tsx'
import { useObservable } from '../../data/observable.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { useFiles } from '../../state/files.ts'
import { useView } from '../../state/view.ts'
import { count, counted, percent, real } from '../../text/numbers.ts'
import { HypothesisLine } from '../verdicts/hypotheses.tsx'
import { Conclusion } from './conclusion.tsx'
import { StdHistogram, StepSeries } from './distribution.tsx'
import { GroupOf } from './group-detail.tsx'
import { GroupFilters, KindBar } from './group-filters.tsx'
import { GroupWords } from './group-legend.tsx'
import { GroupList } from './group-list.tsx'
import { hasLongIds, useGroupList } from './group-list-data.ts'
import { GroupSizeForm } from './group-size-form.tsx'
import { queryWords, scalingWords } from './group-words.ts'
import { EVERY_GROUP, narrow, useGroupsPlace } from './groups-place.ts'

/** Siblings of one prompt: whether their rewards teach anything, and what each scheme makes of them. */
export function GroupsView() {
  const answer = useAnswer('groupSummary', {})
  if (answer.state === 'failed') {
    return (
      <p className="nothing error-text" role="alert">
        ✖ {answer.message}
      </p>
    )
  }
  if (answer.state === 'loading') return <Waiting doing="Looking at the groups" wait={answer.wait} />
  if (answer.value.groups === 0) return <NoGroups summary={answer.value} />
  return <Groups summary={answer.value} />
}

function NoGroups({ summary }: { summary: GroupSummary }) {
  const isReading = useFiles((files) => files.phase === 'reading')
  const hasForm = !isReading && summary.ungrouped > 0 && summary.inOrder
  return (
    <div className="nothing">
      <h1 className="visually-hidden">Groups</h1>
      <p>
        {isReading
          ? 'No group has been read so far.'
          : summary.ungrouped === 0
            ? 'There are no rollouts here, only what the run logged.'
            : `None of ${counted(summary.ungrouped, 'rollout')} says which prompt it was sampled for, so there are no groups.`}
      </p>
      <p className="quiet">
        Dump a key that the rollouts of one prompt share (<code>group_id</code>), with a reward for each.
        {hasForm &&
          ' Or, since this format writes the rollouts of one prompt one after the other, say how many they are:'}
      </p>
      {hasForm && <GroupSizeForm />}
    </div>
  )
}

function Groups({ summary }: { summary: GroupSummary }) {
  const place = useGroupsPlace()
  const { query } = place
  const list = useGroupList(query)
  const shown = useView((state) => state.shown)
  const table = useRef<HTMLTableElement>(null)
  const positions = list?.positions ?? null
  const isLong = useObservable(hasLongIds)
  const isEmpty = positions === null || positions.length === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => table.current?.focus({ preventScroll: true }), [shown, isEmpty])
  const current = place.group !== null && place.group < summary.groups ? place.group : (positions?.[0] ?? null)
  return (
    <div className="groups">
      <h1 className="visually-hidden">Groups</h1>
      <Answer summary={summary} />
      <div className="group-conclusion">
        <Conclusion summary={summary} />
        <GroupWords />
      </div>
      <KeptDetails
        name="group figures"
        className="group-figures-fold"
        openAtFirst={hasRoomForFigures()}
        summary={<>Spread of rewards, kinds of groups, training steps</>}
      >
        <div className="group-figures">
          <StdHistogram summary={summary} query={query} />
          <Share summary={summary} />
          <StepSeries steps={summary.steps} allSteps={summary.allSteps} />
        </div>
      </KeptDetails>
      <GroupFilters summary={summary} query={query} shown={positions?.length ?? 0} />
      <div className={isLong ? 'group-columns long-ids' : 'group-columns'}>
        {positions === null ? (
          <p className="nothing quiet">Listing…</p>
        ) : positions.length === 0 ? (
          <div className="nothing">
            <p>No group is {queryWords(query) ?? 'here'}.</p>
            <button type="button" className="button" onClick={() => narrow(EVERY_GROUP)}>
              Show all {count(summary.groups)}
            </button>
          </div>
        ) : (
          <GroupList positions={positions} summary={summary} shown={current} table={table} query={query} />
        )}
        <div className="group-pane">
          {current !== null && (
            <GroupOf position={current} summary={summary} rollout={place.rollout} beside={place.beside} />
          )}
        </div>
      </div>
    </div>
  )
}

/** In a small window the figures would leave none to the rows: there they are folded until somebody opens them. */
function hasRoomForFigures(): boolean {
  return matchMedia('(min-width: 1101px) and (min-height: 781px)').matches
}

/** Why reward did not move, as far as groups tell: the two verdicts that rest on them. */
function Answer({ summary }: { summary: GroupSummary }) {
  const hypotheses = useFiles((files) => files.report?.hypotheses)
  const asked = (['H05', 'H01'] as const).flatMap((id) => hypotheses?.find((result) => result.id === id) ?? [])
  return (
    <section aria-label="Why did reward not move?">
      {summary.incompleteBecause !== null && (
        <p className="group-warning">
          <span aria-hidden="true">◌</span> No group can be judged: {summary.incompleteBecause}.
        </p>
      )}
      <ul className="verdict-lines group-verdicts">
        {asked.map((result) => (
          <HypothesisLine key={result.id} result={result} view="groups" />
        ))}
      </ul>
    </section>
  )
}

function Share({ summary }: { summary: GroupSummary }) {
  const { kinds, groups, size, isSizeOfQuestions, ungrouped, chanceOfDead, contrastRatio, bounds, scaling } = summary
  const isGiven = useFiles((files) => files.options.groupSize !== undefined)
  const complete = groups - kinds.incomplete
  return (
    <figure className="group-figure">
      <figcaption>
        <strong>
          {count(complete)} complete of {counted(groups, 'group')}
        </strong>{' '}
        <span className="quiet">{size === null ? '' : `of ${counted(size, 'rollout')}`}</span>
      </figcaption>
      <KindBar summary={summary} />
      <ul className="group-notes">
        {chanceOfDead !== null && complete > 0 && (
          <li>
            Chance alone would leave {percent(chanceOfDead)} dead, by how often rollouts succeed; here it is{' '}
            {percent(kinds.dead / complete)}.
          </li>
        )}
        {contrastRatio !== null && (
          <li>
            Std within groups ÷ between groups: {real(Number(contrastRatio.toPrecision(3)))} (H05: weak below{' '}
            {real(bounds.contrastRatio)}).
          </li>
        )}
        <li>{sentence(scalingWords(scaling))}</li>
        {kinds.incomplete > 0 && (
          <li>{counted(kinds.incomplete, 'incomplete group is', 'incomplete groups are')} left out of all numbers.</li>
        )}
        {isSizeOfQuestions && size !== null && (
          <li>Nothing names the groups: {counted(size, 'rollout')} in a row answer one question each.</li>
        )}
        {(isGiven || isSizeOfQuestions) && (
          <li>
            <GroupSizeForm />
          </li>
        )}
        {ungrouped > 0 && <li>{counted(ungrouped, 'rollout belongs', 'rollouts belong')} to no group.</li>}
      </ul>
    </figure>
  )
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
