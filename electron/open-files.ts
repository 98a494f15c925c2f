import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openForPage } from '../cli/server/opening.ts'
import type { ServedFiles } from '../cli/server/served-files.ts'
import type { OpenedFiles } from './bridge.ts'
import { isLink, placeOfLink } from './links.ts'
import { isWorkspace, openWorkspace } from './workspace.ts'

/**
 * The files named on a command line: what is no switch, after the program and, when not packaged, the application's
 * folder. Switches may stand before that folder. File managers of Linux name files by their addresses (`%U` of a desktop entry).
 */
export function pathsFromArguments(argv: readonly string[], packaged: boolean): string[] {
  const words = argv.slice(1).filter((argument) => argument !== '' && !argument.startsWith('-'))
  return (packaged ? words : words.slice(1)).map(pathOf)
}

function pathOf(word: string): string {
  if (!/^file:\/\//i.test(word)) return word
  try {
    return fileURLToPath(word)
  } catch {
    // On another computer, or no address after all: that there is no such file is said where it is opened.
    return word
  }
}

export interface OpenFilesParts {
  readonly served: ServedFiles
  /** Tells the page. */
  readonly send: (opened: OpenedFiles) => void
  /** Called with each absolute path that was opened. */
  readonly remember: (path: string) => void
}

/**
 * Opens what comes from outside the page: arguments, a second start, the operating system, the menu. Until the page
 * says that it listens, paths wait.
 */
export class OpenFiles {
  private waiting: { paths: readonly string[]; directory: string }[] = []
  private pageListens = false

  constructor(private readonly parts: OpenFilesParts) {}

  /** Opens paths for the page now, or once it listens. Relative ones are meant from `directory`. */
  async fromOutside(paths: readonly string[], directory: string): Promise<void> {
    if (paths.length === 0) return
    if (this.pageListens) this.parts.send(await this.open(paths, directory))
    else this.waiting.push({ paths, directory })
  }

  /** The page listens from now on; gives what waited. */
  async pageReady(): Promise<OpenedFiles> {
    this.pageListens = true
    const waiting = this.waiting
    this.waiting = []
    const opened = await Promise.all(waiting.map(({ paths, directory }) => this.open(paths, directory)))
    return together(opened)
  }

  /** The page is being loaded (again): it does not listen yet. */
  pageGone(): void {
    this.pageListens = false
  }

  /** Opens paths, and links of the page, and remembers paths that gave files. Sentences about the others name them without their folders. */
  async open(paths: readonly string[], directory: string): Promise<OpenedFiles> {
    const { served, remember } = this.parts
    const links = paths.filter(isLink).map(openLink)
    const absolute = paths.filter((path) => !isLink(path)).map((path) => resolve(directory, path))
    const plain = absolute.filter((path) => !isWorkspace(path))
    const { gave, ...opened } = await openForPage(plain, directory, served)
    const all: OpenedFiles[] = [opened]
    const isOpen = new Set(gave)
    for (const path of absolute.filter(isWorkspace)) {
      const workspace = await openWorkspace(path, served)
      if (workspace.files.length > 0) isOpen.add(path)
      all.push(workspace)
    }
    for (const path of absolute) if (isOpen.has(path)) remember(path)
    return together([...all, ...links])
  }
}

function openLink(word: string): OpenedFiles {
  const link = placeOfLink(word)
  const problem = 'That link points to no place of Rollout Inspector. Copy it again where it was made.'
  return link === null ? { files: [], problems: [problem] } : { files: [], problems: [], link }
}

function together(opened: readonly OpenedFiles[]): OpenedFiles {
  const files = opened.flatMap((one) => one.files)
  const problems = opened.flatMap((one) => one.problems)
  const address = opened.find((one) => one.address !== undefined)?.address
  const link = opened.find((one) => one.link !== undefined)?.link
  return { files, problems, ...(address === undefined ? {} : { address }), ...(link === undefined ? {} : { link }) }
}
