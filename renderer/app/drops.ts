import { filesOfDrop } from '../data/dropped.ts'
import { observable } from '../data/observable.ts'
import { openDropped } from '../data/opening.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'

/** Whether files are being dragged over the page. */
export const isDragging = observable(false)

/** Takes files dropped anywhere on the page. Listens before anything is drawn, so that no drop replaces the page. To be called once. */
export function takeDrops(): void {
  // Every element that is entered is also left; the page is left when all are.
  let depth = 0
  const count = (event: DragEvent, change: number) => {
    if (!holdsFiles(event)) return
    depth = Math.max(0, depth + change)
    isDragging.set(depth > 0)
  }
  window.addEventListener('dragenter', (event) => count(event, 1))
  window.addEventListener('dragleave', (event) => count(event, -1))
  window.addEventListener('dragover', (event) => event.preventDefault())
  window.addEventListener('drop', (event) => {
    event.preventDefault()
    depth = 0
    isDragging.set(false)
    if (event.dataTransfer === null || !holdsFiles(event)) return
    filesOfDrop(event.dataTransfer).then(openDropped, (error: unknown) =>
      addProblem(`What was dropped could not be read: ${sentenceOf(error)}`),
    )
  })
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true
}
