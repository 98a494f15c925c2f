import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, sep } from 'node:path'
import * as z from 'zod'
import { cannotOpen } from '../cli/files.ts'
import type { ServedFiles } from '../cli/server/served-files.ts'
import { issueWords } from '../shared/model/schema-issue.ts'
import type { OpenedFile, OpenedFiles, SaveResult } from './bridge.ts'
import type { WorkspaceFile } from './ipc-contract.ts'
import type { SaveDialogs, Savings } from './save-files.ts'

const EXTENSION = '.rollout-workspace'
const FORMAT = 'rollout-inspector.workspace/1'
const MOST_FILES = 10_000
/** Enough for that many long paths; anything larger is no workspace. */
const MOST_BYTES = 16 * 1024 * 1024
/** Files that are gone are named one by one up to here. */
const MOST_NAMED = 5

const plainText = z
  .string()
  .max(4096)
  .regex(/^\P{Cc}+$/u)

/** What a `.rollout-workspace` holds: which files were open, as absolute paths, and the page's address from its `#` on. */
const WORKSPACE = z.object({
  format: z.literal(FORMAT),
  files: z
    .array(z.object({ path: plainText, name: plainText }))
    .min(1)
    .max(MOST_FILES),
  address: z
    .string()
    .max(65_536)
    .regex(/^(#.*)?$/),
})

export type Workspace = z.infer<typeof WORKSPACE>

export function isWorkspace(path: string): boolean {
  return path.toLowerCase().endsWith(EXTENSION)
}

/** Opens the files that a workspace names. Whatever is wrong with it, or gone of it, is a sentence. */
export async function openWorkspace(path: string, served: ServedFiles): Promise<OpenedFiles> {
  const workspace = await readWorkspace(path)
  if (typeof workspace === 'string') return { files: [], problems: [workspace] }
  const files: OpenedFile[] = []
  const problems: string[] = []
  for (const file of workspace.files) {
    const opened = await openOne(file, served)
    if (typeof opened === 'string') problems.push(opened)
    else files.push(opened)
  }
  return { files, problems: shortened(problems, basename(path)), address: workspace.address }
}

interface SavesWorkspaces {
  readonly served: ServedFiles
  readonly savings: Savings
  readonly dialogs: SaveDialogs
  /** Is given the path that the workspace was written to. */
  remember(path: string): void
}

/** Asks where the workspace goes, and writes it. */
export async function saveWorkspace(
  given: readonly WorkspaceFile[],
  address: string,
  { served, savings, dialogs, remember }: SavesWorkspaces,
): Promise<SaveResult> {
  const files: { path: string; name: string }[] = []
  for (const { name, url, path } of given) {
    const known = path ?? (await served.pathOf((url ?? '').replace(/^.*\/file\//, '')))
    if (known === null) {
      return { kind: 'failed', message: `${name} is no file of yours, so that a workspace cannot name it.` }
    }
    files.push({ path: known, name })
  }
  const checked = WORKSPACE.safeParse({ format: FORMAT, files, address })
  if (!checked.success) return { kind: 'failed', message: `This cannot be kept: ${firstIssue(checked.error)}.` }
  let target = ''
  const bytes = new TextEncoder().encode(`${JSON.stringify(checked.data, null, 2)}\n`)
  const first = basename(checked.data.files[0]?.path ?? '').replace(/(\.[a-z0-9]+)+$/i, '')
  const saved = await savings.save(
    { name: `${first || 'run'}${EXTENSION}`, bytes },
    {
      ...dialogs,
      async file(suggestedName) {
        const chosen = await dialogs.file(suggestedName)
        if (chosen === null) return null
        target = isWorkspace(chosen) ? chosen : `${chosen}${EXTENSION}`
        // The dialog asked about the name without its ending, at most.
        if (target !== chosen && existsSync(target) && !(await dialogs.replace([basename(target)]))) return null
        return target
      },
    },
  )
  if (saved.kind === 'saved') remember(target)
  return saved
}

/** The workspace, or a sentence why it is none. */
async function readWorkspace(path: string): Promise<Workspace | string> {
  const name = basename(path)
  let text: string
  try {
    const info = await stat(path)
    if (!info.isFile()) return `${name} is no file. Open a workspace that was saved here.`
    if (info.size > MOST_BYTES)
      return `${name} is ${info.size} bytes long, which no workspace is. Open the run's files.`
    text = await readFile(path, 'utf8')
  } catch (error) {
    return `${name} ${cannotOpen(error)}`
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `${name} is no JSON, so it is no workspace, or only a part of one. Open the run's files and save it again.`
  }
  const format = (value as { format?: unknown } | null)?.format
  if (typeof format === 'string' && format !== FORMAT && /^rollout-inspector\.workspace\/\d+$/.test(format)) {
    return `${name} was saved by a newer version (${format}; this one reads ${FORMAT}). Update the application.`
  }
  const checked = WORKSPACE.safeParse(value)
  return checked.success ? checked.data : `${name} cannot be opened as a workspace: ${firstIssue(checked.error)}.`
}

async function openOne(file: { path: string; name: string }, served: ServedFiles): Promise<OpenedFile | string> {
  const name = basename(file.path)
  // Merely to look at such a path sends the person's credentials to the computer that it names.
  if (/^[\\/]{2}/.test(file.path)) {
    return `${name} lies on another computer, where a workspace may not lead. Open it from the File menu.`
  }
  if (!isAbsolute(file.path)) {
    return `${name} is not named by a whole path of this computer; was the workspace saved on another? Open the file itself.`
  }
  try {
    const info = await stat(file.path)
    return info.isFile() ? served.add(file.path, file.name, info.size) : `${placed(file.path)} is no longer a file.`
  } catch (error) {
    return `${placed(file.path)} ${cannotOpen(error)}`
  }
}

/** A name with the last folders above it: enough to know which file is meant. */
function placed(path: string): string {
  return `${basename(path)} (in ${dirname(path).split(sep).slice(-2).join(sep)})`
}

function shortened(problems: readonly string[], workspace: string): readonly string[] {
  const more = problems.length - MOST_NAMED
  if (more <= 1) return problems
  return [...problems.slice(0, MOST_NAMED), `${more} more files that ${workspace} names could not be opened.`]
}

function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues
  return first === undefined
    ? 'it has another shape'
    : `at ${first.path.join('.') || 'its top'}: ${issueWords(first.message)}`
}
