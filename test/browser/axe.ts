import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[] }[]
}

/** What axe-core holds against what is on screen: rule and first place. Needs a window with `bypassCSP`. Without `rules` all of them are asked. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe)
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then((result) => result.violations)`,
  )) as Violation[]
  return found.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`)
}
