import { CHECKS } from '../../shared/checks/registry.ts'
import { checkPage } from '../../shared/exports/check-page.ts'
import { indexMarkdown, pageMarkdown } from '../../shared/exports/check-page-text.ts'

/** The files of docs/checks, by name. */
export function documentationPages(): Map<string, string> {
  const pages = CHECKS.flatMap(({ code }) => checkPage(code) ?? [])
  return new Map([
    ['README.md', indexMarkdown(pages)],
    ...pages.map((page): [string, string] => [`${page.code}.md`, pageMarkdown(page)]),
  ])
}
