/** Names of the pages beside the hypotheses, from the folder's root. */
export const README = /^readme\.md$/i
export const PROBLEM = /^00[-_].*\.md$/i
export const EXPERIMENTS = /^01[-_].*\.md$/i

/** Whether these names are a debugging notebook: hypotheses by number, with a README, a problem or a log beside them. */
export function isNotebookFolder(paths: readonly string[]): boolean {
  return notebookRoot(paths) !== null
}

/** The folder inside the given one that holds the notebook, `''` or with a slash behind it; null where there is none. */
export function notebookRoot(paths: readonly string[]): string | null {
  const roots = new Set(paths.map((path) => /^(.*?)hypotheses\/h\d{1,3}[-_.][^/]*md$/i.exec(path)?.[1]))
  const inOrder = [...roots].filter((root) => root !== undefined).sort((a, b) => a.length - b.length)
  const beside = (root: string) => (path: string) => {
    if (!path.startsWith(root)) return false
    const name = path.slice(root.length)
    return README.test(name) || PROBLEM.test(name) || EXPERIMENTS.test(name)
  }
  return inOrder.find((root) => paths.some(beside(root))) ?? null
}
