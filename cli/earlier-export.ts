import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import { MANIFEST_SCHEMA, type Manifest } from '../shared/exports/manifest.ts'
import { counted } from '../shared/model/number-text.ts'
import { type CommandIo, UsageError } from './io.ts'
import { firstOf } from './listed.ts'
import { createTerminal } from './terminal.ts'

const EARLIER = z.looseObject({
  schema: z.literal(MANIFEST_SCHEMA),
  as: z.string(),
  files: z.array(z.looseObject({ name: z.string() })),
})
type Earlier = z.infer<typeof EARLIER>

/** What an export that stood there says of itself; null where there is nothing, or it is no manifest of an export. */
export async function earlierExport(path: string, io: CommandIo): Promise<Earlier | null> {
  try {
    return EARLIER.parse(JSON.parse(await readFile(resolve(io.directory, path), 'utf8')))
  } catch {
    return null
  }
}

/** Other programs call files of theirs the same. Throws `UsageError` before anything is read. */
export async function refuseForeignManifest(path: string, io: CommandIo): Promise<void> {
  const isThere = (await stat(resolve(io.directory, path)).catch(() => null))?.isFile() === true
  if (!isThere || (await earlierExport(path, io)) !== null) return
  throw new UsageError(`${path} is there, and no export wrote it. Name another folder for --out.`)
}

/** Files of an earlier export that stay, now that its manifest is gone. */
export async function tellOfOrphans(
  before: Earlier | null,
  { files }: Manifest,
  target: (name: string) => string,
  io: CommandIo,
): Promise<void> {
  if (before === null) return
  const written = new Set(files.map(({ name }) => target(name)))
  const left: string[] = []
  for (const shown of new Set(before.files.map(({ name }) => target(name)))) {
    const isLeft = !written.has(shown) && (await stat(resolve(io.directory, shown)).catch(() => null))?.isFile()
    if (isLeft) left.push(shown)
  }
  if (left.length === 0) return
  const names = firstOf(left, ', ', (more) => counted(more, 'more file'))
  createTerminal(io.stderr, io.env).line(
    `${names} ${left.length === 1 ? 'is' : 'are'} of an earlier export as ${before.as}, of which the manifest no longer tells.`,
    2,
  )
}
