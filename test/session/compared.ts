import type { SourceInput } from '../../shared/session/protocol.ts'
import { enginePage } from './engine-page.ts'

export const bytes = (name: string, text: string): SourceInput => ({
  kind: 'bytes',
  name,
  bytes: new TextEncoder().encode(text),
})

/** A page on which the first text is the open run, and the second the one that it is compared with. */
export async function compared(first: string, second: string) {
  const page = enginePage()
  await page.open({ 'first.jsonl': first })
  await page.ask('compare', { sources: [bytes('second.jsonl', second)] })
  return page
}
