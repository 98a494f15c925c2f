import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../cli/package-root.ts'
import { findSample } from '../../cli/server/sample.ts'
import { LINUX_ICON } from '../../electron/window.ts'
import { isWorkspace } from '../../electron/workspace.ts'
import { realHost } from '../electron/real-electron.ts'

interface Job {
  readonly uses?: string
  readonly needs?: string | readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[]
}

const root = packageRoot()
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const builder = parse(read('electron-builder.yml'))
const manifest = JSON.parse(read('package.json'))

describe('the configuration of the desktop packages', () => {
  it('packs what the program runs on, and nothing that is not there', () => {
    const folders = (builder.files as string[])
      .filter((path) => !path.startsWith('!'))
      .map((path) => path.split('/*')[0])
    expect(folders).toContain(manifest.main.split('/').slice(0, 2).join('/'))
    for (const folder of folders) expect(existsSync(join(root, folder as string)), folder).toBe(true)
  })

  it('carries no file that is not there, but for what `npm run licences` writes', () => {
    const extra = (builder.extraResources as { from: string }[]).map(({ from }) => from)
    const made = extra.filter((path) => path.startsWith('dist/'))
    for (const path of made) expect(read('scripts/licences.mjs')).toContain(path)
    const kept = [...extra.filter((path) => !made.includes(path)), builder.nsis.license]
    expect(kept.length).toBeGreaterThan(1)
    for (const path of kept) expect(existsSync(join(root, path)), path).toBe(true)
  })

  it('turns every fuse to the safe side', () => {
    expect(builder.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
      resetAdHocDarwinSignature: true,
    })
    expect(builder.asar).toBe(true)
  })

  it('claims an extension of its own and none of other programs', () => {
    expect(builder.fileAssociations.map(({ ext }: { ext: string }) => ext)).toEqual(['rollout-workspace'])
    expect(isWorkspace(`run.${builder.fileAssociations[0].ext}`)).toBe(true)
  })

  const sizeOf = (...path: string[]) => {
    const png = readFileSync(join(root, builder.directories.buildResources, ...path))
    return [png.readUInt32BE(16), png.readUInt32BE(20)]
  }

  it('has an icon that is large enough for every system', () => {
    expect(sizeOf(builder.icon)).toEqual([1024, 1024])
  })

  it('has icons of the sizes that a Linux desktop looks for, which end at 512, and packs the one that a window brings along', () => {
    const icons = readdirSync(join(root, builder.directories.buildResources, builder.linux.icon))
    const sizes = icons.map((icon) => sizeOf(builder.linux.icon, icon))
    expect(icons).toEqual(sizes.map(([width, height]) => `${width}x${height}.png`))
    expect(sizes.map(([width]) => width).toSorted((a = 0, b = 0) => a - b)).toEqual([16, 24, 32, 48, 64, 128, 256, 512])
    expect(builder.files).toContain(LINUX_ICON)
    expect(existsSync(join(root, LINUX_ICON))).toBe(true)
  })

  it('packs nothing that the desktop app does not use: neither the command line nor samples that no page offers', async () => {
    const packed = (builder.files as string[]).filter((path) => !path.startsWith('!'))
    expect(packed.filter((path) => path.startsWith('dist/cli'))).toEqual([])
    const sample = await findSample(join(root, 'samples'))
    expect(packed.filter((path) => path.startsWith('samples/'))).toEqual([`samples/${sample?.name}`])
  })

  it('is known to a Linux desktop by the name of its entry', () => {
    expect(builder.extraMetadata.desktopName).toBe(`${manifest.name}.desktop`)
  })

  it.each(['ci.yml', 'release.yml'])('is used by a workflow that names only scripts that there are: %s', (name) => {
    const text = read(join('.github', 'workflows', name))
    const jobs = Object.values(parse(text).jobs as Record<string, Job>)
    for (const { uses } of jobs) if (uses !== undefined) expect(existsSync(join(root, uses)), uses).toBe(true)
    const names = Object.keys(parse(text).jobs)
    for (const { needs = [] } of jobs) for (const job of [needs].flat()) expect(names).toContain(job)
    const commands = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []))
    for (const script of commands.flatMap((run) => /^npm run (\S+)/.exec(run)?.[1] ?? [])) {
      expect(Object.keys(manifest.scripts)).toContain(script)
    }
    for (const path of commands.flatMap((run) => /(?:bash|node) (?!\S*node_modules|-)(\S+)/.exec(run)?.[1] ?? [])) {
      expect(existsSync(join(root, path)), path).toBe(true)
    }
  })

  it.each([
    'ci.yml',
    'release.yml',
  ])('is used by a workflow of actions that nobody can change behind their tag: %s', (name) => {
    const jobs = Object.values(parse(read(join('.github', 'workflows', name))).jobs as Record<string, Job>)
    const actions = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []))
    expect(actions.length).toBeGreaterThan(2)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
  })

  it('is released with no more rights than each job needs, and under the version that its tag names', () => {
    const { jobs, permissions } = parse(read(join('.github', 'workflows', 'release.yml')))
    expect(permissions).toEqual({ contents: 'read' })
    const more = Object.entries<Job>(jobs).filter(([, job]) => job.permissions !== undefined)
    expect(more.map(([name, job]) => [name, job.permissions])).toEqual([
      ['app', { contents: 'write' }],
      ['package', { contents: 'read', 'id-token': 'write' }],
    ])
    const compare =
      (jobs as Record<string, Job>).audit?.steps?.find(({ run }) => run?.startsWith('test "v$('))?.run ?? ''
    const ends = (tag: string) => {
      const env = { ...process.env, GITHUB_REF_NAME: tag }
      return spawnSync('bash', ['-c', compare], { cwd: root, env }).status
    }
    expect(ends(`v${manifest.version}`)).toBe(0)
    expect(ends('v999.0.0')).toBe(1)
  })

  it('runs the scenarios in a real Electron, and fails where there is none', () => {
    const { desktop } = parse(read(join('.github', 'workflows', 'ci.yml'))).jobs as Record<string, Job>
    expect(desktop?.env).toEqual({ REAL_ELECTRON: 'required' })
    vi.stubEnv('DISPLAY', '')
    vi.stubEnv('WAYLAND_DISPLAY', '')
    const { missing } = realHost()
    vi.stubEnv('REAL_ELECTRON', 'required')
    if (missing === null) expect(realHost().missing).toBeNull()
    else expect(realHost).toThrow(`A real Electron is required: ${missing}`)
    vi.unstubAllEnvs()
  })

  it('is packed by what is locked: a release fetches no package whose bytes are not known', () => {
    const jobs = parse(read(join('.github', 'workflows', 'release.yml'))).jobs as Record<string, Job>
    const commands = Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []))
    expect(commands.filter((run) => /\bnpx\b|\bnpm (?:exec|install|i)\b/.test(run))).toEqual([])
    expect(commands).toContain('npm ci --prefix packaging --ignore-scripts')
    const { devDependencies } = JSON.parse(read(join('packaging', 'package.json')))
    const { packages } = JSON.parse(read(join('packaging', 'package-lock.json')))
    expect(packages['node_modules/electron-builder'].version).toBe(devDependencies['electron-builder'])
    for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(packages)) {
      if (path !== '') expect(integrity, path).toMatch(/^sha512-/)
    }
  })

  it('is published only after an audit that the registry answered', () => {
    const jobs = parse(read(join('.github', 'workflows', 'release.yml'))).jobs as Record<string, Job>
    const runs = (name: string, command: string) =>
      jobs[name]?.steps?.some(({ run }) => run?.includes(command)) === true
    const needed = (name: string): readonly string[] =>
      [jobs[name]?.needs ?? []].flat().flatMap((need) => [need, ...needed(need)])
    const publishing = Object.keys(jobs).filter((name) => runs(name, 'publish'))
    expect(publishing).toEqual(['app', 'package'])
    for (const name of publishing) {
      expect(
        needed(name).some((need) => runs(need, 'npm run audit -- --required')),
        name,
      ).toBe(true)
    }
  })
})
