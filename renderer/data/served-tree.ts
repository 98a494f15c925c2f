import type { OpenedFile } from '../../electron/bridge.ts'

/** A folder of what is served, with all that lies in it. */
export interface ServedBranch {
  /** Its own name, or those of several where each but the last holds nothing but the next: `runs/steps`. */
  readonly name: string
  /** How the names of its files begin: `runs/steps/`, of all that is served nothing. */
  readonly folder: string
  readonly branches: readonly ServedBranch[]
  /** Those that lie in it itself. */
  readonly files: readonly OpenedFile[]
  /** Those of its folders as well, in the order given. */
  readonly all: readonly OpenedFile[]
}

/** Files, named by their place, as a tree of folders. `found` is what a person looks for in names; case counts for nothing. */
export function servedTree(name: string, files: readonly OpenedFile[], found = ''): ServedBranch {
  const wanted = found.trim().toLowerCase()
  return branchOf(
    name,
    '',
    files.filter((file) => file.name.toLowerCase().includes(wanted)),
  )
}

function branchOf(name: string, folder: string, all: readonly OpenedFile[]): ServedBranch {
  const own: OpenedFile[] = []
  const inside = new Map<string, OpenedFile[]>()
  for (const file of all) {
    const end = file.name.indexOf('/', folder.length)
    if (end === -1) own.push(file)
    else {
      const child = file.name.slice(folder.length, end)
      const known = inside.get(child)
      if (known === undefined) inside.set(child, [file])
      else known.push(file)
    }
  }
  const branches = [...inside].map(([child, files]) => branchOf(child, `${folder}${child}/`, files))
  const [only] = branches
  if (folder !== '' && own.length === 0 && branches.length === 1 && only !== undefined)
    return { ...only, name: `${name}/${only.name}` }
  return { name, folder, branches, files: own, all }
}
