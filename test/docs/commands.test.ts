import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'

const root = packageRoot()
const main = join(root, 'dist', 'cli', 'main.js')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** Command lines in blocks that are marked `sh run`. What stands after `# exit` is the code that the line should end with. */
function commandsOf(page: string): { command: string; exit: number | null }[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```sh run\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => {
        const exit = /#\s*exit (\d+)/.exec(line)?.[1]
        return { command: line.replace(/\s+#.*$/, ''), exit: exit === undefined ? null : Number(exit) }
      }),
  )
}

/** Commands that cannot be run as they stand: what they need is not there, or they never end. Recipes of at-scale.md have a test of their own. */
const NOT_RUN = [
  /^npm start\b/,
  /^npm (test|run (bench|screenshots|samples|docs|licences))\b/,
  /^npm run inspect -- path\/to\//,
  /^npx vitest\b/,
  /^npm ci --prefix packaging\b/,
  /^node packaging\//,
  /--follow\b/,
  /^sbatch /,
  /\b(PART|reports)\b/,
]

/** Command lines of a page that stand in no block that is run. */
function shownAlone(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replace(/^```sh run\n[\s\S]*?^```/gm, '')
  const blocks = [...text.matchAll(/^```sh.*\n([\s\S]*?)^```|^( {4}.*)$/gm)].map(
    ([, block, line]) => block ?? line ?? '',
  )
  return blocks
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => /^(rollout-inspector|npm|npx|node|sbatch) /.test(line))
}

const runnable = pages.filter((page) => commandsOf(page).length > 0)

describe.skipIf(!existsSync(main))('the commands of the documentation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-docs-'))
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, COLUMNS: '100' }

  beforeAll(() => {
    cpSync(join(root, 'samples'), join(folder, 'samples'), { recursive: true, filter: (path) => !path.endsWith('.ts') })
    mkdirSync(join(folder, 'bin'))
    mkdirSync(join(folder, 'scripts'))
    const script = (name: string, text: string) => {
      writeFileSync(join(folder, 'bin', name), text)
      chmodSync(join(folder, 'bin', name), 0o755)
    }
    // The commands are there as they are once installed, and as they are in a clone.
    script('rollout-inspector', `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
    script(
      'npm',
      '#!/bin/sh\nshift\n[ "$1" = --silent ] && shift\ncommand=$1\nshift\n[ "$1" = -- ] && shift\nexec rollout-inspector "$command" "$@"\n',
    )
    writeFileSync(join(folder, 'scripts', 'cli.mjs'), `import ${JSON.stringify(`file://${main}`)}\n`)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are there', () => {
    expect(runnable).toContain(join('docs', 'guide.md'))
  })

  it.each(pages)('of %s are run, but for those that cannot be', (page) => {
    expect(shownAlone(page).filter((line) => !NOT_RUN.some((known) => known.test(line)))).toEqual([])
  })

  it.each(runnable)('of %s do what they say', (page) => {
    for (const { command, exit } of commandsOf(page)) {
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
      // 1 is an answer as well: there are findings.
      expect(exit === null ? [0, 1] : [exit], `${command}\n${stderr}`).toContain(status)
    }
  }, 600_000)
})
