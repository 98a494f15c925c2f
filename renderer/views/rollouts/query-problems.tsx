import type { QueryProblem } from '../../../shared/query/language/ast.ts'
import { WithCode } from '../../app/with-code.tsx'

/** Problems beyond these are most often the same one again. */
const MOST_SHOWN = 3
const MOST_EXPECTED = 8

/** What is wrong with a query, under the columns that it is about. */
export function QueryProblems({ text, problems }: { text: string; problems: readonly QueryProblem[] }) {
  return (
    <div className="query-problems" id="query-problems" role="alert">
      {problems.slice(0, MOST_SHOWN).map((problem) => (
        <p key={`${problem.from} ${problem.message}`}>
          <code className="query-caret" aria-hidden="true">
            <span>{text.slice(0, problem.from)}</span>
            {'^'.repeat(Math.max(1, Math.min(problem.to, text.length) - problem.from))}
          </code>
          <span className="error-text">
            <span className="visually-hidden">Column {problem.from + 1}: </span>
            <WithCode text={problem.message} />
          </span>
          {problem.expected.length > 0 && (
            <span className="quiet"> Expected: {problem.expected.slice(0, MOST_EXPECTED).join(', ')}.</span>
          )}
        </p>
      ))}
      {problems.length > MOST_SHOWN && <p className="quiet">{problems.length - MOST_SHOWN} more.</p>}
    </div>
  )
}
