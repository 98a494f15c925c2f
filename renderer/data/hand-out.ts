import { type HandOut, handOutHtml, handOutMarkdown } from '../../shared/notebook/hand-out/hand-out.ts'
import { copy } from './clipboard.ts'
import { saveFile } from './exporting.ts'

/** Saves a hypothesis with its evidence as one file. */
export async function saveHandOut(handOut: HandOut, as: 'md' | 'html'): Promise<void> {
  const { id } = handOut.hypothesis
  await saveFile(`${id.replace(/[^\w-]/g, '_') || 'hypothesis'}.${as}`, () => ({
    what: id,
    content: as === 'md' ? handOutMarkdown(handOut) : handOutHtml(handOut),
  }))
}

export async function copyHandOut(handOut: HandOut): Promise<void> {
  await copy(handOutMarkdown(handOut), `${handOut.hypothesis.id} copied as Markdown`)
}
