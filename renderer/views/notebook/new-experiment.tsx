import { useState } from 'react'
import { categoryTitle } from '../../../shared/notebook/markdown/experiments-page.ts'
import { CATEGORIES, type Category, type Notebook } from '../../../shared/notebook/model.ts'
import { suggestCategory } from '../../../shared/notebook/suggest-category.ts'
import { useAskLeaving } from '../../app/use-ask-leaving.ts'
import { counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { newExperimentIn } from './additions.ts'
import { NotePage } from './note-page.tsx'
import { openExperiment } from './notebook-place.ts'
import { CATEGORY_ABOUT } from './notebook-words.ts'

/** Asks what an experiment tries before there is one: its letter is part of its name, and nobody's guess. */
export function NewExperiment({ notebook }: { notebook: Notebook }) {
  const [command, setCommand] = useState('')
  useAskLeaving(command.trim() !== '')
  const suggested = command.trim() === '' ? null : suggestCategory(command, notebook.experiments)
  return (
    <NotePage
      title="New experiment"
      besideLabel="Its command line"
      beside={
        <section className="note-box" aria-labelledby="new-command">
          <h3 id="new-command">Its command line, if it has one</h3>
          <textarea
            className="note-area mono"
            aria-labelledby="new-command"
            rows={6}
            spellCheck={false}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
          <p className="quiet" role="status">
            {command.trim() === ''
              ? 'Its settings are read off it, and with them what it seems to try. Keys, tokens and passwords are not kept.'
              : suggested === null
                ? 'It does not tell what is tried: choose.'
                : `It speaks for ${suggested.category}: ${upright(suggested.why)}.`}
          </p>
        </section>
      }
      onBack={() => openExperiment(null)}
    >
      <section aria-labelledby="what-it-tries">
        <h3 id="what-it-tries">What does it try?</h3>
        <p className="quiet">The letter begins its name in the log. Choose one, and its page opens.</p>
        <ul className="category-choices">
          {CATEGORIES.map((category) => (
            <li key={category}>
              <CategoryChoice
                category={category}
                isSuggested={suggested?.category === category}
                count={notebook.experiments.filter((each) => each.category === category).length}
                onChoose={() => newExperimentIn(category, command)}
              />
            </li>
          ))}
        </ul>
      </section>
    </NotePage>
  )
}

function CategoryChoice(props: {
  readonly category: Category
  readonly isSuggested: boolean
  readonly count: number
  readonly onChoose: () => void
}) {
  const { category, isSuggested, count, onChoose } = props
  return (
    <button type="button" className={isSuggested ? 'category-choice suggested' : 'category-choice'} onClick={onChoose}>
      <strong>{category}</strong>
      <span>
        {categoryTitle(category)} <span className="quiet">{CATEGORY_ABOUT[category]}</span>
      </span>
      <span className="quiet">{isSuggested ? '← suggested' : count === 0 ? '' : counted(count, 'experiment')}</span>
    </button>
  )
}
