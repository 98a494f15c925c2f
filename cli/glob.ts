import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, normalize, resolve } from 'node:path'
import { inNaturalOrder } from '../shared/model/natural-order.ts'

/** Whether a path is meant as a pattern, when no file has it as its name. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** What a pattern matched, by its absolute path. */
export interface Match {
  readonly path: string
  readonly isFolder: boolean
}

/**
 * Files and folders that match a pattern of `*`, `?`, `[a-z]`, `{a,b}` and `**` (files at any depth), in natural order. Hidden files and folders
 * match only a segment that starts with a dot. For shells that hand patterns on (Windows, quoted arguments).
 *
 * @param directory what a relative pattern is meant from; its own name may look like a pattern
 */
export async function expandGlob(pattern: string, directory: string): Promise<Match[]> {
  const found = new Map<string, Match>()
  const tidy = normalize(pattern).replaceAll('\\', '/').replace(/\/$/, '')
  for (const alternative of expandBraces(tidy)) {
    const segments = alternative.split('/')
    const fixed = segments.findIndex(isGlob)
    const folder = segments.slice(0, fixed).map((segment) => `${segment}/`)
    await match(resolve(directory, folder.join('')), segments.slice(fixed), found)
  }
  const slashed = ({ path }: Match) => path.replaceAll('\\', '/')
  return [...found.values()].sort((a, b) => inNaturalOrder(slashed(a), slashed(b)))
}

async function match(folder: string, segments: readonly string[], found: Map<string, Match>): Promise<void> {
  const [segment, ...rest] = segments as [string, ...string[]]
  if (segment === '**') {
    // Zero folders, or one and the same again.
    if (rest.length > 0) await match(folder, rest, found)
    for (const entry of await entries(folder)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(folder, entry.name)
      // A folder that a link leads to may hold this one.
      if (entry.isDirectory()) await match(path, segments, found)
      else if (rest.length === 0 && (await kindOf(entry, path)) === 'file') found.set(path, { path, isFolder: false })
    }
    return
  }
  const expression = segmentExpression(segment)
  if (expression === null) return
  for (const entry of await entries(folder)) {
    if (entry.name.startsWith('.') && !segment.startsWith('.')) continue
    if (!expression.test(entry.name)) continue
    const path = join(folder, entry.name)
    const kind = await kindOf(entry, path)
    if (rest.length > 0 && kind === 'folder') await match(path, rest, found)
    // What a link leads to may match by its own name.
    if (rest.length === 0 && (kind !== 'folder' || entry.isDirectory()))
      found.set(path, { path, isFolder: kind === 'folder' })
  }
}

/** What an entry is, or what it leads to where it is a link. */
async function kindOf(entry: Dirent, path: string): Promise<'file' | 'folder' | 'other'> {
  const known = entry.isFile() || entry.isDirectory() ? entry : await stat(path).catch(() => null)
  return known?.isDirectory() ? 'folder' : known?.isFile() ? 'file' : 'other'
}

async function entries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // A folder that cannot be listed matches nothing; that nothing matched is told by the caller.
    return []
  }
}

/** Null for a segment that no name fits: a range that ends before it begins. */
function segmentExpression(segment: string): RegExp | null {
  let source = ''
  for (let i = 0; i < segment.length; i++) {
    const character = segment[i]!
    const close = character === '[' ? segment.indexOf(']', i + 2) : -1
    if (character === '*') source += '.*'
    else if (character === '?') source += '.'
    else if (close > 0) {
      const set = segment.slice(i + 1, close)
      const negated = set.startsWith('!') || set.startsWith('^')
      source += `[${negated ? '^' : ''}${(negated ? set.slice(1) : set).replace(/[\\\][]/g, '\\$&')}]`
      i = close
    } else source += character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  }
  try {
    return new RegExp(`^${source}$`, 'su')
  } catch {
    return null
  }
}

function expandBraces(pattern: string): string[] {
  const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern)
  if (found === null) return [pattern]
  const [, before, choices, after] = found as unknown as [string, string, string, string]
  return choices.split(',').flatMap((choice) => expandBraces(before + choice + after))
}
