import { useEffect, useState } from 'react'
import { filesOfDrop } from '../data/dropped.ts'
import { openDropped } from '../data/opening.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem, useFiles } from '../state/files.ts'

/** Takes files dropped anywhere on the page, and shows that it would while they are dragged over it. */
export function DropCover() {
  const isOver = useDrop()
  const isOpen = useFiles((files) => files.phase !== 'empty')
  if (!isOver) return null
  return (
    <div className="drop-cover" aria-hidden="true">
      <p>{isOpen ? 'Drop to open these instead, or a tokenizer.json to read with it' : 'Drop to open'}</p>
    </div>
  )
}

function useDrop(): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    // Every element that is entered is also left; the page is left when all are.
    let depth = 0
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const enter = (event: DragEvent) => {
      if (holdsFiles(event)) setOver(++depth > 0)
    }
    const leave = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      depth = Math.max(0, depth - 1)
      setOver(depth > 0)
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      if (event.dataTransfer === null || !holdsFiles(event)) return
      filesOfDrop(event.dataTransfer).then(openDropped, (error: unknown) =>
        addProblem(`What was dropped could not be read: ${sentenceOf(error)}`),
      )
    }
    window.addEventListener('dragenter', enter)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragenter', enter)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [])
  return isOver
}
