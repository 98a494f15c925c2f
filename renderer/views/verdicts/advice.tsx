import { useMemo } from 'react'
import { adviceOf, adviceSentences } from '../../../shared/hypotheses/advice.ts'
import { fixOfKinds, kindsOf } from '../../../shared/hypotheses/fixes.ts'
import type { Report } from '../../../shared/model/report.ts'
import { useCheckPage } from '../../data/check-pages.ts'
import { inApp } from '../../text/app-words.ts'
import { inStreamWords } from '../../text/stream-words.ts'
import { spelt } from '../../text/visible.ts'
import { verdictPlace } from './hypotheses.tsx'

/** What all verdicts and faults come to: what to mend first and why, or that nothing is wrong as far as could be seen. */
export function AdvicePanel({ report, openCause }: { report: Report; openCause: (id: string) => void }) {
  const advice = useMemo(() => adviceOf(report), [report])
  const sentences = useMemo(
    () => adviceSentences(report).map(({ text }) => spelt(inStreamWords(inApp(text)))),
    [report],
  )
  const causes = new Set([...advice.steps.flatMap(({ cause }) => cause?.ids ?? []), ...advice.notes])
  const open = (id: string) => (causes.has(id) ? openCause(id) : goToVerdict(id))
  const known = new Set([...causes, ...report.hypotheses.map(({ id }) => id)])
  const [first = '', ...others] = sentences
  const [step] = advice.steps
  return (
    <section className={`advice ${advice.outcome}`} aria-labelledby="advice">
      <h2 id="advice" className="advice-title">
        What to do first
      </h2>
      <p className="advice-first">
        <Linked text={first} known={known} open={open} />
      </p>
      {step?.cause != null && !advice.trainsNothing && advice.declare.length === 0 && (
        <HowTo
          fix={step.cause.parts[0]?.defect.fix}
          code={step.cause.lead.code}
          kinds={kindsOf(report, step.cause.lead.code)}
        />
      )}
      {others.length > 0 && (
        <ul className="advice-then">
          {others.map((sentence) => (
            <li key={sentence}>
              <Linked text={sentence} known={known} open={open} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function goToVerdict(id: string): void {
  const place = document.getElementById(verdictPlace(id))
  const folded = place?.closest('details')
  if (folded) folded.open = true
  place?.focus()
}

/** How the first cause is mended: in the words of its defect, else in those of the page of its check. */
function HowTo({ fix, ...of }: { fix: string | undefined } & OfCheck) {
  return fix === undefined ? <HowToOfCheck {...of} /> : <p className="advice-how">{fix}</p>
}

interface OfCheck {
  readonly code: string
  /** Of its faults, where it tells of several. */
  readonly kinds: readonly string[]
}

function HowToOfCheck({ code, kinds }: OfCheck) {
  const page = useCheckPage(code)
  return page == null ? null : <p className="advice-how">{inApp(fixOfKinds(page, kinds))}</p>
}

const ID = /\b(?:H0\d(?:-[a-z]+)?|[A-Z]\d{1,2})\b/g

/** A sentence whose ids lead to where they stand below. */
function Linked({ text, known, open }: { text: string; known: ReadonlySet<string>; open: (id: string) => void }) {
  const pieces: { readonly at: number; readonly text: string }[] = []
  let end = 0
  for (const match of text.matchAll(ID)) {
    if (!known.has(match[0])) continue
    if (match.index > end) pieces.push({ at: end, text: text.slice(end, match.index) })
    pieces.push({ at: match.index, text: match[0] })
    end = match.index + match[0].length
  }
  pieces.push({ at: end, text: text.slice(end) })
  return pieces.map(({ at, text: piece }) =>
    known.has(piece) ? (
      <button key={at} type="button" className="link" title={`Go to ${piece}`} onClick={() => open(piece)}>
        {piece}
      </button>
    ) : (
      <span key={at}>{piece}</span>
    ),
  )
}
