import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenedFile } from '../../electron/bridge.ts'

/** The run that the start page offers to look at: one with faults to find. */
const PREFERRED = 'verifiers-2025-08.jsonl.gz'

/** The sample run as the page may read it, or null in an installation without samples. */
export async function findSample(folder: string): Promise<OpenedFile | null> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl.gz')).sort()
  const name = names.includes(PREFERRED) ? PREFERRED : names[0]
  if (name === undefined) return null
  return { name, url: `/samples/${name}`, size: (await stat(join(folder, name))).size }
}
