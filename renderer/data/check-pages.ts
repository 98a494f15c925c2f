import { useEffect } from 'react'
import type { CheckPage } from '../../shared/exports/check-page.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem } from '../state/files.ts'
import { openDialog, useView } from '../state/view.ts'
import { observable, useObservable } from './observable.ts'

const pages = observable<ReadonlyMap<string, CheckPage | null>>(new Map())

/** The page of a check: undefined until it arrives, null where there is no such check. It is the same for every dump. */
export function useCheckPage(code: string): CheckPage | null | undefined {
  const known = useObservable(pages)
  useEffect(() => {
    if (pages.get().has(code)) return
    ask('checkPage', { code }).then(
      (page) => pages.set(new Map([...pages.get(), [code, page]])),
      (error) => {
        if (error instanceof Cancelled) return
        addProblem(sentenceOf(error))
        // The sentence stands behind the dialog, which would wait for good.
        if (useView.getState().dialog === 'check') openDialog(null)
      },
    )
  }, [code])
  return known.get(code)
}
