import { create } from 'zustand'
import { openDialog, useView } from './view.ts'

/** What a person is asked before something is changed. */
export interface Question {
  readonly title: string
  /** Sentences: what would happen, and what of what is here it touches. */
  readonly says: readonly string[]
  /** The words on the button that lets it happen. */
  readonly yes: string
  answer(yes: boolean): void
}

export const useQuestion = create<{ readonly question: Question | null }>()(() => ({ question: null }))

/** Resolves once no dialog is open, so that a question takes the place of nothing that is being written. Rejects with the signal's reason. */
export async function dialogsClosed(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  while (useView.getState().dialog !== null) {
    await new Promise<void>((resolve) => {
      const go = () => {
        stop()
        signal.removeEventListener('abort', go)
        resolve()
      }
      const stop = useView.subscribe(({ dialog }) => {
        if (dialog === null) go()
      })
      signal.addEventListener('abort', go)
    })
    signal.throwIfAborted()
  }
}

/** Asks, and waits for the answer. A dialog that is closed, or that another one takes the place of, is a no. */
export function askPerson(asked: Omit<Question, 'answer'>): Promise<boolean> {
  useQuestion.getState().question?.answer(false)
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      stop()
      useQuestion.setState({ question: null })
      if (useView.getState().dialog === 'question') openDialog(null)
      resolve(yes)
    }
    useQuestion.setState({ question: { ...asked, answer } })
    openDialog('question')
    const stop = useView.subscribe(({ dialog }) => {
      if (dialog !== 'question') answer(false)
    })
  })
}
