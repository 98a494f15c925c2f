import { spawnSync } from 'node:child_process'
import { announce, main, root } from './setup.mjs'

// Asks the registry whether a locked package has a known vulnerability. All of them are asked for, those that only build or test
// included. A registry that does not answer is said, and is no failure: the answer would be about the world, not about this commit.
// With `--required`, before a release, it is one: what nobody was asked about is not sent out.
const required = process.argv.includes('--required')

await main(() => {
  const script = process.env.npm_execpath
  const asked = ['audit', '--json']
  const { stdout } = script?.endsWith('.js')
    ? spawnSync(process.execPath, [script, ...asked], { cwd: root, encoding: 'utf8' })
    : spawnSync('npm', asked, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' })
  const answer = answerOf(stdout)
  const counts = answer.metadata?.vulnerabilities
  if (counts === undefined) {
    announce(`Not audited: the npm registry did not answer (${answer.message ?? 'npm said nothing'}).`)
    if (required) return 1
    if (process.env.GITHUB_ACTIONS === 'true') process.stdout.write('::warning::npm audit could not be asked\n')
    return 0
  }
  for (const { name, severity, range } of Object.values(answer.vulnerabilities ?? {})) {
    announce(`${name} ${range}: ${severity}. \`npm audit\` tells more.`)
  }
  announce(`npm audit: ${counts.total} of ${answer.metadata.dependencies.total} packages have a known vulnerability`)
  return counts.total > 0 ? 1 : 0
})

function answerOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
