import { CONFIDENCES, type Confidence, PRIORITIES, type Priority, type Status } from '../model.ts'

/** A status as a page says it; null where it says none, or all of them as a template does. */
export interface StatedStatus {
  readonly status: Status | null
  readonly note: string
}

const STATUS_WORDS: readonly (readonly [RegExp, Status])[] = [
  [/\bpartial(?:ly)?\b(?:\s+(?:in)?validated\b)?/gi, 'partial'],
  [/\b(?:invalidated|ruled out|refuted|rejected|disproved)\b/gi, 'invalidated'],
  [/\b(?:validated|confirmed)\b/gi, 'validated'],
  [/\b(?:inconclusive|unclear)\b/gi, 'inconclusive'],
  [/\b(?:testing|in progress|under investigation|investigating)\b/gi, 'testing'],
  [/\b(?:pending|untested|not (?:yet )?tested)\b/gi, 'pending'],
]

const STATUS_SIGNS: Readonly<Record<Status, string>> = {
  pending: '⏳',
  testing: '🧪',
  partial: '🟡',
  inconclusive: '🤔',
  validated: '✅',
  invalidated: '❌',
}

/** Signs in use, as they are and as they look once UTF-8 was read as Windows-1252 or Latin-1. */
const SIGNS: readonly (readonly [string, Status])[] = (
  [
    ...Object.entries(STATUS_SIGNS),
    ['pending', '🆕'],
    ['testing', '🔄'],
    ['validated', '✔'],
    ['validated', '✓'],
    ['invalidated', '✗'],
    ['invalidated', '✘'],
  ] as readonly [Status, string][]
).flatMap(([status, sign]): [string, Status][] => {
  const bytes = new TextEncoder().encode(sign)
  return [
    [sign, status],
    [new TextDecoder('windows-1252').decode(bytes), status],
    [String.fromCharCode(...bytes), status],
  ]
})

/** A status is a few words; what is longer is a text of its own. */
const LONGEST_STATUS = 300

/** Reads `✅ **Partially validated** - beta 0 fixes gradients`: by words first, by a sign where there are none. */
export function readStatus(raw: string): StatedStatus {
  const plain = raw
    .slice(0, LONGEST_STATUS)
    .replace(/\*\*|__|`/g, '')
    .trim()
  if (isPlaceholder(plain) || /^[-–—]?$/.test(plain)) return { status: null, note: '' }
  const [, head = plain, rest = ''] = /^(.*?)\s*(?:\s[-–—]\s|:\s|\()\s*(.*)$/s.exec(plain) ?? []
  const stated = statusesIn(head)
  if (stated.size > 1) return { status: null, note: '' }
  const [only] = stated
  if (only !== undefined) return { status: only, note: rest.replace(/\)$/, '').trim() }
  const anywhere = statusesIn(plain)
  if (anywhere.size === 1) return { status: [...anywhere][0] as Status, note: withoutSigns(plain) }
  const sign = SIGNS.find(([each]) => plain.startsWith(each))
  const words = withoutSigns(plain)
  if (anywhere.size > 1) return { status: null, note: '' }
  return { status: sign?.[1] ?? null, note: words }
}

function statusesIn(text: string): Set<Status> {
  let left = text
  const found = new Set<Status>()
  for (const [words, status] of STATUS_WORDS) {
    const without = left.replace(words, '')
    if (without !== left) found.add(status)
    left = without
  }
  return found
}

function withoutSigns(text: string): string {
  // What a mis-decoded sign leaves is no word either.
  const [, sign = ''] = /^(\S+)\s/.exec(text) ?? []
  return sign !== '' && !/[\p{L}\p{N}]/u.test(sign.replace(/[\u00c0-\u024f]/g, ''))
    ? text.slice(sign.length).trim()
    : text
}

/** A status, and the words beside it where they are new; else each place keeps its own. */
export interface NewStatus {
  readonly status: Status
  readonly note: string | null
}

/** What a place says once the status has changed. */
export function rewriteStatus({ status, note }: NewStatus, before: string): string {
  return writeStatus(status, note ?? readStatus(before).note, before)
}

/** The status in the manner of what stood there: capitals, bold, a sign in front. */
export function writeStatus(status: Status, note: string, before: string): string {
  const word = status.charAt(0).toUpperCase() + status.slice(1)
  // What stands behind a dash is a note, in a manner of its own.
  const letters = (before.split(/\s[-–—]\s|\(/)[0] ?? '').replace(/[^A-Za-z]/g, '')
  const capital = letters.length > 1 && letters === letters.toUpperCase()
  const bold = before.includes('**')
  const hasSign = [...before.replace(/[–—’“”]/g, '')].some((character) => character > '\u007f')
  const said = capital ? word.toUpperCase() : word
  return [hasSign ? STATUS_SIGNS[status] : '', bold ? `**${said}**` : said, note === '' ? '' : `- ${note}`]
    .filter((part) => part !== '')
    .join(' ')
}

/** Null where it is none of the words, or several. */
export function readPriority(raw: string): Priority | null {
  const plain = raw
    .replace(/[^A-Za-z\s-]/g, ' ')
    .trim()
    .toLowerCase()
  if (isPlaceholder(raw.trim()) || /\//.test(raw)) return null
  if (/^med(?:ium)?[\s-]+low\b/.test(plain)) return 'medium-low'
  const word = plain.split(/\s+/)[0] ?? ''
  if (word === 'med') return 'medium'
  return PRIORITIES.find((each) => each === word) ?? null
}

export function writePriority(priority: Priority, before: string): string {
  return inManner(priority, before)
}

export function readConfidence(raw: string): Confidence | null {
  if (/\//.test(raw)) return null
  const word = /[A-Za-z]+/.exec(raw)?.[0]?.toLowerCase() ?? ''
  return CONFIDENCES.find((each) => each === word || (each === 'medium' && word === 'med')) ?? null
}

export function writeConfidence(confidence: Confidence | null, before: string): string {
  return confidence === null ? '-' : inManner(confidence, before)
}

function inManner(word: string, before: string): string {
  const letters = before.replace(/[^A-Za-z]/g, '')
  if (letters.length > 1 && letters === letters.toUpperCase()) return word.toUpperCase()
  return /^[^A-Za-z]*[a-z]/.test(before) ? word : word.charAt(0).toUpperCase() + word.slice(1)
}

/** Whether a template's text was left as it came: every line in it is `[what to write here]`, a label or a bullet without more. */
export function isPlaceholder(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.length > 0 &&
    lines.every((line) => {
      const said = line
        .replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, '')
        .replace(/^\[[ xX]\]\s*/, '')
        .replace(/^\*\*[^*]+(?::\*\*|\*\*:)\s*/, '')
        .trim()
      return said === '' || /^\[[^\]]*\]$/.test(said)
    })
  )
}
