import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { chooseJsonFile } from './dropped.ts'
import { importMarks, LARGEST_MARKS } from './marks-file.ts'

/** Lets a person choose a file of marks and takes it in. */
export async function pickMarks(): Promise<void> {
  const file = await chooseJsonFile()
  if (file === null) return
  if (file.size > LARGEST_MARKS) return addProblem(`${file.name} is too large to be a file of marks.`)
  try {
    await importMarks(await file.text(), file.name)
  } catch (error) {
    addProblem(`${file.name} could not be read: ${sentenceOf(error)}`)
  }
}
