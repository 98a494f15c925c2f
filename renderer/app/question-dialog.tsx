import { useQuestion } from '../state/question.ts'
import { spelt } from '../text/visible.ts'
import { Modal } from './modal.tsx'

/** Asks whether something that was dropped is to change what is here. */
export function QuestionDialog() {
  const question = useQuestion((state) => state.question)
  if (question === null) return null
  return (
    <Modal title={question.title} onClose={() => question.answer(false)}>
      {question.says.map((sentence) => (
        <p key={sentence}>{spelt(sentence)}</p>
      ))}
      <div className="choices">
        <button type="button" className="button primary" onClick={() => question.answer(true)}>
          {spelt(question.yes)}
        </button>
        <button type="button" className="button" data-first-focus onClick={() => question.answer(false)}>
          Leave all as it is
        </button>
      </div>
    </Modal>
  )
}
