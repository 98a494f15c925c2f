import { useFiles } from '../state/files.ts'
import { saveFile } from './exporting.ts'

const ENDINGS = { html: 'html', markdown: 'md' } as const

/** Saves the report of the open dump as one file, as far as it was read. Of each kind of finding it has the examples that the page has. */
export async function saveReport(as: keyof typeof ENDINGS): Promise<void> {
  const { report } = useFiles.getState()
  if (report === null) return
  // Nobody who only looks has to load how reports are written.
  const { REPORT_FORMATS } = await import('../../shared/exports/report-formats.ts')
  const format = REPORT_FORMATS.find(({ id }) => id === as)
  if (format === undefined) return
  await saveFile(`report.${ENDINGS[as]}`, () => ({
    what: 'The report',
    content: format.write(report, { failOn: 'error', known: new Set() }),
  }))
}
