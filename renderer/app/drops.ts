import { filesOfDrop } from '../data/dropped.ts'
import { observable } from '../data/observable.ts'
import { compareDropped, openDropped } from '../data/opening.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { useView, type View } from '../state/view.ts'

/** Where files that are dragged over the page would go: nowhere, in place of what is open, or beside it. */
export type DropPlace = 'none' | 'instead' | 'beside'

export const dropPlace = observable<DropPlace>('none')

/** The part of the window's height, from above, in which files are opened; below it they are a second run, which Compare asks for. */
export function openingShare(view: View): number {
  return view === 'compare' ? 0.1 : 2 / 3
}

/** Takes files dropped anywhere on the page. Listens before anything is drawn, so that no drop replaces the page. To be called once. */
export function takeDrops(): void {
  // Every element that is entered is also left; the page is left when all are.
  let depth = 0
  const count = (event: DragEvent, change: number) => {
    if (!holdsFiles(event)) return
    depth = Math.max(0, depth + change)
    dropPlace.set(depth > 0 ? placeOf(event) : 'none')
  }
  window.addEventListener('dragenter', (event) => count(event, 1))
  window.addEventListener('dragleave', (event) => count(event, -1))
  window.addEventListener('dragover', (event) => {
    event.preventDefault()
    if (depth > 0 && holdsFiles(event)) dropPlace.set(placeOf(event))
  })
  // Nothing can be pressed while something is dragged: where it is, a drag ended that nobody told of.
  window.addEventListener('pointerdown', () => {
    depth = 0
    dropPlace.set('none')
  })
  window.addEventListener('drop', (event) => {
    event.preventDefault()
    depth = 0
    dropPlace.set('none')
    if (event.dataTransfer === null || !holdsFiles(event)) return
    const take = placeOf(event) === 'beside' ? compareDropped : openDropped
    filesOfDrop(event.dataTransfer).then(take, (error: unknown) =>
      addProblem(`What was dropped could not be read: ${sentenceOf(error)}`),
    )
  })
}

function placeOf({ clientY }: DragEvent): DropPlace {
  const { phase } = useFiles.getState()
  const isOpen = phase === 'reading' || phase === 'open'
  return isOpen && clientY > window.innerHeight * openingShare(useView.getState().view) ? 'beside' : 'instead'
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true
}
