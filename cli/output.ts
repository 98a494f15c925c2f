import { access, constants, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type CommandIo, UsageError } from './io.ts'
import { cannotWrite, writeWhole } from './whole-file.ts'

/** Whether two paths are one file, by whatever link: the second that is written would take the place of the first. A device takes both. */
export async function isSameFile(one: string, other: string, io: CommandIo): Promise<boolean> {
  const [first, second] = [resolve(io.directory, one), resolve(io.directory, other)]
  const isDevice = (await stat(first).catch(() => null))?.isFile() === false
  const real = (path: string) => realpath(path).catch(() => path)
  return !isDevice && (first === second || (await real(first)) === (await real(second)))
}

/** Writes a text to a path, or to standard output for `-`. */
export async function writeOutput(path: string, text: string, inputs: readonly string[], io: CommandIo): Promise<void> {
  if (path === '-') {
    io.stdout.write(text)
    return
  }
  const absolute = await outputPath(path, inputs, io)
  try {
    await writeWhole(absolute, text)
  } catch (error) {
    throw new UsageError(`${path} could not be written: ${cannotWrite(error)}. Nothing of it was kept.`)
  }
}

/**
 * Finds out before hours are spent on an audit that its outcome would have no place: one file, or several that may be put into a
 * folder. Throws `UsageError`.
 */
export async function refuseUnwritable(path: string, what: 'file' | 'files', io: CommandIo): Promise<void> {
  if (path === '-') return
  const wanted = resolve(io.directory, path)
  const fail = (why: string) => new UsageError(`${path} could not be written: ${why}.`)
  const isFolder = (await stat(wanted).catch(() => null))?.isDirectory() === true
  if (isFolder && what === 'file') throw fail('it is a folder')
  // A file may be open to a person whose folder is not.
  if (!isFolder && (await isWritable(wanted))) return
  let there = isFolder ? wanted : dirname(wanted)
  let info = await stat(there).catch(() => null)
  while (info === null && dirname(there) !== there) {
    there = dirname(there)
    info = await stat(there).catch(() => null)
  }
  if (info?.isDirectory() === false) throw fail(`${there} is no folder`)
  await access(there, constants.W_OK).catch((error: unknown) => {
    throw fail(cannotWrite(error))
  })
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** The absolute path of an output, its folder made. Throws `UsageError` rather than overwrite what is being read. */
export async function outputPath(path: string, inputs: readonly string[], io: CommandIo): Promise<string> {
  const wanted = resolve(io.directory, path)
  try {
    await makeFolder(dirname(wanted))
  } catch (error) {
    throw new UsageError(`${path} could not be written: ${cannotWrite(error)}.`)
  }
  await refuseInput(wanted, path, inputs)
  return wanted
}

/** A folder with those above it. Node's own recursion never ends where a folder that is there refuses to hold another (`/proc`). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if ((await stat(path).catch(() => null))?.isDirectory()) return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path || (await stat(above).catch(() => null)) !== null) throw error
    await makeFolder(above)
    await mkdir(path)
  }
}

/** A link to an input is the input: compared by where the files really are. */
async function refuseInput(wanted: string, shown: string, inputs: readonly string[]): Promise<void> {
  const real = await realpath(wanted).catch(() => null)
  for (const input of inputs) {
    if (wanted === input || (real !== null && real === (await realpath(input).catch(() => null)))) {
      throw new UsageError(`${shown} is one of the files that are read. Name another file to write.`)
    }
  }
}
