import { END_WORDS } from '../../../shared/checks/texts/end-words.ts'
import type { Row } from '../../../shared/session/protocol.ts'
import type { PairDetail, PromptDifference } from '../../../shared/session/requests/compare.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { openRollout, openSecond } from '../../commands/go.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { count, counted, decimalsOf, inDecimals } from '../../text/numbers.ts'
import { rolloutName } from '../../text/rollout-name.ts'
import { spelt } from '../../text/visible.ts'
import { SideBySide } from './alignment-view.tsx'
import { chooseRollout } from './compare-place.ts'

/** One question in both runs: its prompts, its rollouts, and two of them side by side. */
export function PairOf({ position, here, there }: { position: number; here: number | null; there: number | null }) {
  const answer = useAnswer('pair', { position })
  if (answer.state === 'failed') {
    return (
      <p className="nothing error-text" role="alert">
        ✖ {answer.message}
      </p>
    )
  }
  if (answer.state === 'loading') return <p className="nothing quiet">Reading both…</p>
  const detail = answer.value
  const [left, right] = [chosenOf(detail.here, here), chosenOf(detail.there, there)]
  return (
    <article className="group-detail" aria-label="The same question in both runs" aria-busy={answer.isStale}>
      {detail.question !== null && (
        <p className="group-question" title={spelt(detail.question)}>
          {spelt(detail.question)}
        </p>
      )}
      {detail.prompt.map((difference) => (
        <Prompt key={difference.what} difference={difference} />
      ))}
      <Renders detail={detail} />
      <LikeAnswers detail={detail} />
      <div className="pair-members">
        <Members rows={detail.here} of={detail.row.here.rollouts} chosen={left} side="here" title="open run" />
        <Members rows={detail.there} of={detail.row.there.rollouts} chosen={right} side="there" title="second run" />
      </div>
      {left !== null && right !== null && (
        <section aria-labelledby="pair-beside">
          <h2 className="pair-title" id="pair-beside">
            Side by side
          </h2>
          <SideBySide
            left={{ run: 'open', index: left }}
            right={{ run: 'second', index: right }}
            names={['open run', 'second run']}
          />
        </section>
      )}
    </article>
  )
}

function chosenOf(rows: readonly Row[], wanted: number | null): number | null {
  return rows.find(({ index }) => index === wanted)?.index ?? rows[0]?.index ?? null
}

const RENDERED_OTHERWISE = {
  rendering: 'Tools and system text are the same, and yet the ids of the prompts differ: they are rendered otherwise.',
  opening:
    'The prompts begin the model’s answer otherwise: one writes a block or other words before it, or lacks the newline of its header.',
  replies: 'Replies of tools stand under another role in the ids.',
} as const

function Renders({ detail: { row } }: { detail: PairDetail }) {
  return (['rendering', 'opening', 'replies'] as const)
    .filter((what) => row[what] === true)
    .map((what) => (
      <p key={what} className="warn-text">
        <span aria-hidden="true">▲</span> {RENDERED_OTHERWISE[what]}
      </p>
    ))
}

function LikeAnswers({ detail: { row } }: { detail: PairDetail }) {
  if (row.likeAnswers === null) return null
  const { checked, affected } = row.likeAnswers
  const answers = counted(checked, 'answer')
  if (affected === 0) return <p className="quiet">Both give {answers} in the same words, and score them alike.</p>
  return (
    <p className="warn-text">
      <span aria-hidden="true">▲</span> Both give {answers} in the same words, and score {count(affected)} of them
      otherwise: the reward is computed on something else, or in another way.
    </p>
  )
}

function Prompt({ difference: { what, says, here, there } }: { difference: PromptDifference }) {
  const name = { question: 'Question', system: 'System text', tools: 'Tools' }[what]
  const differs = says.length > 0
  return (
    <KeptDetails
      name={`compare prompt ${what}`}
      className="pair-prompt"
      summary={
        <>
          <strong>{name}</strong>{' '}
          {differs ? (
            <span className="warn-text">
              <span aria-hidden="true">▲</span> {spelt(says.join(' '))}
            </span>
          ) : (
            <span className="quiet">the same in both</span>
          )}
        </>
      }
    >
      <div className="pair-texts">
        <Text text={here} side="open run" />
        <Text text={there} side="second run" />
      </div>
    </KeptDetails>
  )
}

function Text({ text, side }: { text: string | null; side: string }) {
  return (
    <div>
      <span className="quiet">{side}</span>
      {text === null ? (
        <p className="quiet">not in this run</p>
      ) : text === '' ? (
        <p className="quiet">none</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long texts are scrolled with the keyboard
        <pre tabIndex={0}>{text.split('\n').map(spelt).join('\n')}</pre>
      )}
    </div>
  )
}

function Members({
  rows,
  of,
  chosen,
  side,
  title,
}: {
  rows: readonly Row[]
  /** How many there are: of very many only the first are listed. */
  of: number
  chosen: number | null
  side: 'here' | 'there'
  title: string
}) {
  const decimals = decimalsOf(rows.map(({ facts }) => facts.reward))
  return (
    <section aria-label={`Rollouts of the ${title}`}>
      <h2 className="pair-title">
        {title}{' '}
        <span className="quiet">
          {rows.length < of && `first ${count(rows.length)} of `}
          {counted(of, 'rollout')}
        </span>
      </h2>
      <ul className="pair-rollouts">
        {rows.map(({ index, facts }) => (
          <li key={index}>
            <button
              type="button"
              className="pair-rollout"
              aria-pressed={index === chosen}
              onClick={() => chooseRollout(side, index)}
            >
              <span className="pair-id">{rolloutName(facts)}</span>
              <span className="number">{inDecimals(facts.reward, decimals)}</span>
              <span className="number quiet">{facts.realLength > 0 ? count(facts.realLength) : ''}</span>
              <span className="quiet">
                {facts.endReason.startsWith('cut') ? '✂ ' : ''}
                {END_WORDS[facts.endReason]}
              </span>
            </button>
            <button
              type="button"
              className="link"
              aria-label={`Open ${rolloutName(facts, 80)}`}
              onClick={() => (side === 'here' ? openRollout(index) : openSecond(index))}
              title="Open it"
            >
              ↗
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
