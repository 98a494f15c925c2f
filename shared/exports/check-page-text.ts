import { type CheckPage, type PageSection, sharedThresholds } from './check-page.ts'

/** A page as Markdown, under a heading of the first level. */
export function pageMarkdown({ code, title, facts, sections }: CheckPage): string {
  return [
    `# ${code} ${markdown(title)}`,
    '',
    ...facts.map(({ term, value }) => `- ${term}: ${markdown(value)}`),
    ...sections.flatMap(({ heading, items, shared }) => [
      '',
      `## ${heading}`,
      '',
      ...(shared ? [inShort(code, items, (name) => `\`${name}\``)] : items.map(itemMarkdown)),
    ]),
    '',
  ].join('\n')
}

function itemMarkdown({ name, text }: PageSection['items'][number]): string {
  return name === null ? markdown(text) : `- \`${name}\`: ${markdown(text)}`
}

/** What all pages have, where many of them are shown. */
function inShort(code: string, items: PageSection['items'], spelt: (name: string) => string): string {
  const names = items.flatMap(({ name }) => (name === null ? [] : [spelt(name)]))
  return `As for every check, by ${names.slice(0, -1).join(', ')} and ${names.at(-1)}, which \`rollout-inspector checks ${code}\` explains.`
}

/** All pages in one table, each code a link to its page. */
export function indexMarkdown(pages: readonly CheckPage[]): string {
  const shared = sharedThresholds()
  return [
    '# What is checked',
    '',
    'One page for each fault code. `rollout-inspector checks CODE` prints the same, and so does the app wherever a code is named.',
    'The pages are written by `npm run docs` from the checks themselves.',
    '',
    '| code | fault | severity | needs | hypotheses |',
    '|---|---|---|---|---|',
    ...pages.map(
      ({ code, title, severity, needs, hypotheses }) =>
        `| [${code}](${code}.md) | ${cell(title)} | ${severity} | ${needs.join(', ')} | ${hypotheses.join(', ')} |`,
    ),
    '',
    `## ${shared.heading}`,
    '',
    'By the same thresholds for every check:',
    '',
    ...shared.items.map(itemMarkdown),
    '',
  ].join('\n')
}

/** The same without markup, for places that show none. */
export function pageText({ code, facts, sections }: CheckPage): string {
  return [
    ...facts.map(({ term, value }) => `${term}: ${value}`),
    ...sections.flatMap(({ heading, items, shared }) => [
      '',
      `${heading}:`,
      ...(shared
        ? [inShort(code, items, (name) => name)]
        : items.map(({ name, text }) => (name === null ? text : `${name}: ${text}`))),
    ]),
  ].join('\n')
}

/** Our own words: only what Markdown would take for markup is kept from it, but for a word between backticks, which is code. */
function markdown(text: string): string {
  return text
    .replace(/(`[\w-]+`)|[\\`*[\]]/g, (mark, code?: string) => code ?? `\\${mark}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
}

function cell(text: string): string {
  return markdown(text).replaceAll('|', '\\|')
}
