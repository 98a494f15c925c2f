import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { importMarks, LARGEST_MARKS } from './marks-file.ts'

/** Lets a person choose a file of marks and takes it in. */
export function pickMarks(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.json,application/json'
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file !== undefined) void read(file)
  })
  input.click()
}

async function read(file: File): Promise<void> {
  if (file.size > LARGEST_MARKS) return addProblem(`${file.name} is too large to be a file of marks.`)
  try {
    await importMarks(await file.text(), file.name)
  } catch (error) {
    addProblem(`${file.name} could not be read: ${sentenceOf(error)}`)
  }
}
