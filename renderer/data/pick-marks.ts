import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { importMarks } from './marks-file.ts'

/** A file of marks that is larger was not written by this program, or by very busy hands. */
const MOST_BYTES = 256 << 20

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
  if (file.size > MOST_BYTES) return addProblem(`${file.name} is too large to be a file of marks.`)
  try {
    await importMarks(await file.text(), file.name)
  } catch (error) {
    addProblem(`${file.name} could not be read: ${sentenceOf(error)}`)
  }
}
