import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { QueryProblem } from '../../../shared/query/language/ast.ts'
import { completeQuery, type DumpValues, NO_DUMP_VALUES } from '../../../shared/query/language/complete.ts'
import { MOST_CHARACTERS, parseQuery } from '../../../shared/query/language/parse.ts'
import { unfinishedField } from '../../../shared/query/language/unfinished.ts'
import { searched } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { askedBefore, rememberQuery } from '../../data/query-history.ts'
import { queryValues } from '../../data/query-values.ts'
import { setQuery, useFilters } from '../../state/filters.ts'
import { CompletionList, type Offer } from './completion-list.tsx'
import { queryLine } from './query-focus.ts'
import { queryKeyAction } from './query-keys.ts'
import { QueryProblems } from './query-problems.tsx'

/** A query takes effect once nothing was typed for so long (milliseconds), if it can be read. */
const REST = 220
const MOST_REMEMBERED = 8

const NOTHING: { readonly items: readonly Offer[]; readonly from: number; readonly to: number } = {
  items: [],
  from: 0,
  to: 0,
}

/** The line in which a person says which rollouts the table shows. */
export function QueryLine({ table }: { table: RefObject<HTMLTableElement | null> }) {
  const query = useFilters((filters) => filters.query)
  const refused = useObservable(searched)?.problems ?? []
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(query)
  const [offers, setOffers] = useState(NOTHING)
  const [at, setAt] = useState(-1)
  /** Where the caret belongs once the line has been drawn with another text. */
  const caret = useRef<number | null>(null)
  const [values, setValues] = useState<DumpValues>(NO_DUMP_VALUES)
  const codes = values.codes.length === 0 ? {} : { codes: values.codes.map(({ code }) => code) }
  const { problems } = parseQuery(draft, codes)
  /** What Enter found unfinished: it asks once, and searches for the word the second time. */
  const [doubt, setDoubt] = useState<{ readonly draft: string; readonly problem: QueryProblem } | null>(null)
  const doubted = doubt?.draft === draft ? [doubt.problem] : []
  const shownProblems = problems.length > 0 ? problems : draft.trim() === query ? refused : doubted
  /** A word that may become a field is not yet looked for as a text. */
  const isUnfinished = offers.to > offers.from && offers.items.some(({ kind }) => kind === 'field')
  const isHeld = isUnfinished || doubted.length > 0
  // A chip, a number of another view or a link asks for something else.
  useEffect(() => setDraft((own) => (own.trim() === query ? own : query)), [query])
  useEffect(() => {
    if (isHeld || draft.trim() === query || parseQuery(draft).problems.length > 0) return
    const timer = setTimeout(() => setQuery(draft), REST)
    return () => clearTimeout(timer)
  }, [draft, query, isHeld])
  useEffect(() => {
    queryLine.focus = () => {
      input.current?.focus()
      input.current?.select()
    }
    return () => {
      queryLine.focus = () => {}
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret is put right after the text was
  useEffect(() => {
    if (caret.current === null) return
    input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  }, [draft])

  const close = () => {
    setOffers(NOTHING)
    setAt(-1)
  }
  const offer = async (text: string) => {
    const place = input.current?.selectionStart ?? text.length
    setAt(-1)
    if (text.trim() === '') {
      const before = await askedBefore(MOST_REMEMBERED)
      const items = before.map(
        (label): Offer => ({ label, insert: label, means: 'asked before', count: null, kind: 'history' }),
      )
      const { items: fields } = completeQuery('', 0, values)
      setOffers({ items: [...items, ...fields], from: 0, to: text.length })
    } else setOffers(completeQuery(text, place, values))
  }
  /** Keys are for the table again, or for the view where there is none. */
  const leave = () => {
    if (table.current === null) input.current?.blur()
    else table.current.focus({ preventScroll: true })
  }
  const ask = (text: string) => {
    close()
    if (parseQuery(text, codes).problems.length > 0) return
    setQuery(text)
    void rememberQuery(text)
    leave()
  }
  const take = (chosen: Offer | undefined) => {
    if (chosen === undefined) return
    if (chosen.kind === 'history') {
      setDraft(chosen.insert)
      return ask(chosen.insert)
    }
    const next = draft.slice(0, offers.from) + chosen.insert + draft.slice(offers.to)
    caret.current = offers.from + chosen.insert.length
    setDraft(next)
    close()
    input.current?.focus()
    // Behind a field its operators are offered, behind an operator the values of the field.
    setTimeout(() => void offer(next))
  }
  /** Enter on what is unfinished tells what is missing, and asks the second time. */
  const askOrDoubt = () => {
    const problem = isUnfinished && doubted.length === 0 ? unfinishedField(draft, offers) : null
    if (problem === null) return ask(draft)
    setDoubt({ draft, problem })
    // It would cover what is missing.
    close()
  }
  const press = (event: KeyboardEvent) => {
    const action = queryKeyAction(event, { count: offers.items.length, at, isUnfinished })
    if (action === null) return
    event.preventDefault()
    if (action.does === 'offer') void offer(draft)
    else if (action.does === 'choose') setAt(action.at)
    else if (action.does === 'take') take(offers.items[action.at])
    else if (action.does === 'ask') askOrDoubt()
    else if (action.does === 'close') close()
    else {
      setDraft(query)
      leave()
    }
  }
  return (
    <div className="query-place">
      <input
        ref={input}
        className="query-input"
        role="combobox"
        aria-label="Query"
        aria-expanded={offers.items.length > 0}
        aria-controls="query-completions"
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `completion-${at}`}
        aria-invalid={shownProblems.length > 0}
        aria-describedby={shownProblems.length > 0 ? 'query-problems' : undefined}
        placeholder="Which rollouts?  finding:M10 reward>=0.5 turns>2 “a text” /a pattern/   ( / )"
        autoComplete="off"
        spellCheck={false}
        maxLength={MOST_CHARACTERS}
        value={draft}
        onFocus={() => void queryValues().then(setValues)}
        onBlur={close}
        onChange={(event) => {
          setDraft(event.target.value)
          setDoubt(null)
          void offer(event.target.value)
        }}
        onKeyDown={press}
      />
      {draft !== '' && (
        <button
          type="button"
          className="icon-button query-clear"
          aria-label="Clear the query"
          onClick={() => {
            setDraft('')
            setQuery('')
            input.current?.focus()
          }}
        >
          ✕
        </button>
      )}
      <BelowLine
        draft={draft}
        offers={offers}
        at={at}
        takesFirst={isUnfinished}
        problems={shownProblems}
        onTake={take}
      />
    </div>
  )
}

/** What may be written at the caret, with what is wrong above it; what the next word may mend is told within. */
function BelowLine(props: {
  draft: string
  offers: typeof NOTHING
  at: number
  takesFirst: boolean
  problems: readonly QueryProblem[]
  onTake: (offer: Offer) => void
}) {
  const { draft, offers, at, takesFirst, problems, onTake } = props
  const isOpen = offers.items.length > 0
  const settled = isOpen ? problems.filter((problem) => isSettled(problem, draft, offers.from)) : problems
  return (
    <div className="query-below">
      {settled.length > 0 && <QueryProblems text={draft} problems={settled} />}
      <CompletionList
        offers={offers.items}
        at={at}
        takesFirst={takesFirst}
        problem={settled.length === 0 ? (problems[0]?.message ?? null) : null}
        onTake={onTake}
      />
    </div>
  )
}

/** Whether a problem stays whatever is written at `from`: it is about words before that, and waits neither for the next one nor for a parenthesis. */
function isSettled({ to, expected }: QueryProblem, text: string, from: number): boolean {
  return text.slice(to, from).trim() !== '' && !expected.includes(')')
}
