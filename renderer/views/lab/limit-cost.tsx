import { type AnswerPart, type Part, TRIED_LIMITS } from '../../../shared/session/lab/limits.ts'
import type { LimitsTried } from '../../../shared/session/requests/lab.ts'
import { ABSENT, count, counted, percent } from '../../text/numbers.ts'
import { LIMIT_WORDS } from '../../text/words.ts'
import { NumberLink } from '../verdicts/number-link.tsx'

interface CostRow {
  readonly what: string
  /** Cut before the dump was written; null where nothing tells. */
  readonly before: { readonly cut: number; readonly of: number | null; readonly query: string } | null
  readonly tried: Part
  readonly note: string
}

/** What is missing from the dump already, and what the tried limits would cut of that which is there. */
export function LimitCost({ tried: { cost, inDump } }: { tried: LimitsTried }) {
  const known = (part: Part | null, query: string) => part && { ...part, query }
  const unreached = (part: AnswerPart | null): Part | null => part && { of: part.of, cut: part.unreached }
  const lost = (part: { readonly of: number; readonly lost: number }): Part => ({ of: part.of, cut: part.lost })
  const rows: readonly CostRow[] = [
    {
      what: 'rollouts cut',
      before: known(inDump.rollouts, 'lost:any has:ids'),
      tried: { of: cost.rollouts, cut: cost.cut },
      note: cost.dropped > 0 ? `${count(cost.dropped)} left out whole` : '',
    },
    {
      what: 'system text and tool schema cut',
      before: known(inDump.starts, 'lost:start has:ids'),
      tried: cost.system,
      note: 'in the dump: rollouts that begin inside a turn',
    },
    { what: 'documents cut', before: null, tried: cost.documents, note: '' },
    {
      what: 'supporting documents cut',
      before: known(inDump.supporting, 'lost:documents'),
      tried: cost.supporting,
      note:
        inDump.supporting === null
          ? 'in the dump: what was retrieved is told by messages alone'
          : inDump.supporting.unanswered > 0
            ? `in the dump: retrieved and not whole in the ids; ${count(inDump.supporting.unanswered)} more are whole, and no answer follows`
            : 'in the dump: retrieved and not whole in the ids',
    },
    {
      what: 'answers cut',
      before: known(inDump.answers, 'end:cut-prose,cut-call has:ids'),
      tried: cost.answers,
      note: 'the model’s last turn, its end token included',
    },
    {
      what: 'answers never reached',
      before: known(unreached(inDump.answers), 'end:cut-reply has:ids'),
      tried: { of: cost.answers.of, cut: cost.answers.unreached },
      note: 'in the dump: rollouts that break off in or before a tool’s reply',
    },
    {
      what: 'tokens lost',
      before: { cut: inDump.lostTokens, of: null, query: 'lost>0 has:ids' },
      tried: lost(cost.tokens),
      note: 'in the dump: of text that the messages hold',
    },
    ...(cost.trained === null
      ? []
      : [{ what: 'trained tokens lost', before: null, tried: lost(cost.trained), note: '' }]),
  ]
  return (
    <>
      <table className="part-table lab-cost">
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" className="number">
              cut in the dump
            </th>
            <th scope="col" className="number">
              of
            </th>
            <th scope="col" className="number" title="Cut by the limits as they are set here, in this panel">
              cut by what is tried
            </th>
            <th scope="col" className="number">
              of
            </th>
            <th scope="col" className="number">
              share
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, before, tried, note }) => (
            <tr key={what}>
              <th scope="row">
                {what}
                {note !== '' && <span className="lab-note quiet">{note}</span>}
              </th>
              <td className="number">
                {before === null ? (
                  <span title="The dump does not tell">{ABSENT}</span>
                ) : (
                  <NumberLink
                    value={before.cut}
                    behind={{ query: before.query }}
                    title={`Show these rollouts: ${before.query}`}
                  />
                )}
              </td>
              <td className="number quiet">{before?.of == null ? ABSENT : count(before.of)}</td>
              <td className="number">{tried.of === 0 ? ABSENT : count(tried.cut)}</td>
              <td className="number quiet">{tried.of === 0 ? 'none here' : count(tried.of)}</td>
              <td className="number">{tried.of === 0 ? ABSENT : percent(tried.cut / tried.of)}</td>
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

/** What the limits in force have cut already stands first: as long as nothing else is tried, that is what they cost. */
export function LimitHeadline({ tried: { cost, inDump } }: { tried: LimitsTried }) {
  const by = TRIED_LIMITS.filter((name) => cost.by[name] > 0)
  const { rollouts } = inDump
  const tried = percent(cost.rollouts === 0 ? 0 : cost.cut / cost.rollouts)
  const named = by.length > 0 && (
    <span className="quiet"> ({by.map((name) => `${count(cost.by[name])} by ${LIMIT_WORDS[name]}`).join(', ')})</span>
  )
  return (
    <p className="lab-headline">
      {rollouts.cut > 0 ? (
        <>
          <strong>{percent(rollouts.cut / rollouts.of)}</strong> of the rollouts were cut before the dump was written;
          what is tried cuts <strong>{tried}</strong>
          {named}.
        </>
      ) : (
        <>
          <strong>{tried}</strong> of the rollouts are cut by what is tried{named}; none was cut before the dump was
          written.
        </>
      )}
      {cost.regained.of > 0 && <Regained {...cost.regained} />}
    </p>
  )
}

/** Any of these may be what is missing. */
const REGAINED_NEEDS =
  'that takes messages that go on behind the end of the ids, and a tokenizer and chat template that read both.'

/** What a wider limit brings back: known where the messages hold the text, and said not to be known elsewhere. */
function Regained({ of, untold, whole }: LimitsTried['cost']['regained']) {
  return (
    <span className="lab-regained">
      {untold < of && (
        <>
          What is tried would keep the answers of <strong>{count(whole)}</strong> of the {counted(of, 'rollout')} that
          the dump has cut at their end, as their messages have them.{' '}
        </>
      )}
      {untold > 0 && (
        <>
          {untold < of ? `Of ${count(untold)} it` : `Of the ${counted(of, 'rollout')} cut at their end it`} cannot be
          told what a wider limit would keep: {REGAINED_NEEDS}
        </>
      )}
    </span>
  )
}
