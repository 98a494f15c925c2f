import { roleKind } from '../model/roles.ts'
import { type FrameLookup, Mark } from './frame-lookup.ts'
import { readHarmonyHeader } from './harmony.ts'
import { bytesOf } from './table.ts'
import { decodeSpan } from './text.ts'
import type { TokenTable } from './tokenizer.ts'

export interface Header {
  /** As spelt, trimmed; empty where there is none to read. */
  readonly role: string
  /** Index after the header's last token. */
  readonly end: number
  /** The sequence did not end inside the header. */
  readonly complete: boolean
}

/** No role name is longer; a start token that is followed by text without a header is no reason to read on. */
const MOST_ROLE_TOKENS = 16

function markAt({ marks }: FrameLookup, ids: Int32Array, at: number): number {
  return marks[ids[at] as number] ?? 0
}

/**
 * The header whose start token is at `start`. ChatML: the role goes up to the first token that begins with a newline, and
 * that token is the header's last even where a newline of the content is merged into it; of a known role that text follows
 * without one, the role. Llama: up to `<|end_header_id|>`, then two newlines.
 */
export function readHeader(lookup: FrameLookup, ids: Int32Array, start: number, limit: number): Header {
  if (lookup.frame.style === 'learned') return readOpener(lookup, ids, start, limit)
  if (lookup.frame.style === 'harmony') return readHarmonyHeader(lookup, ids, start, limit)
  const chatml = lookup.frame.style === 'chatml'
  const closing = chatml ? Mark.newline : Mark.headerEnd
  const last = Math.min(limit, start + 1 + MOST_ROLE_TOKENS)
  let at = start + 1
  while (at < last && !(markAt(lookup, ids, at) & (closing | Mark.turnStart | Mark.turnEnd))) at++
  if (chatml && at > start + 2 && isRoleAndText(lookup, ids, start + 1, at))
    return { role: roleText(lookup, ids, start + 1, start + 2), end: start + 2, complete: true }
  if (at === limit) return { role: roleText(lookup, ids, start + 1, at), end: at, complete: false }
  if (at === last) return { role: '', end: start + 1, complete: true }
  const role = roleText(lookup, ids, start + 1, at)
  if (!(markAt(lookup, ids, at) & closing)) return { role, end: at, complete: true }
  return { role, end: chatml ? at + 1 : afterNewlines(lookup, ids, at + 1, limit), complete: true }
}

/** A token that spells a known role, and no name that goes on with it: the newline behind it is gone, and the next one is the text's. */
function isRoleAndText(lookup: FrameLookup, ids: Int32Array, role: number, end: number): boolean {
  if (roleKind(roleText(lookup, ids, role, role + 1)) === 'other') return false
  const rest = decodeSpan(lookup.table, ids, role + 1, end)
  return !/^(?:\s|[\w.-]*$|[\w.-]+=)/.test(rest)
}

/** The opener of a learned frame that stands at `start`; without one the start token alone is a header, of nobody. */
function readOpener({ frame, table }: FrameLookup, ids: Int32Array, start: number, limit: number): Header {
  for (const { role, id, rest } of frame.openers ?? []) {
    if (ids[start] !== id) continue
    const end = openerEnd(table, rest, ids, start + 1, limit)
    if (end >= 0) return { role, end, complete: true }
  }
  return { role: '', end: start + 1, complete: start + 1 < limit }
}

/**
 * Index after the token in which the rest of an opener ends, -1 where the bytes are others. Only newlines of the content may
 * be merged into that token; vocabularies that spell spaces may begin the first word with one.
 */
function openerEnd(table: TokenTable, rest: Uint8Array, ids: Int32Array, from: number, limit: number): number {
  let matched = 0
  let at = from
  for (; matched < rest.length && at < limit; at++) {
    const bytes = bytesOf(table, ids[at] as number)
    if (bytes.length === 0) return -1
    for (let i = at === from && bytes[0] === SPACE && rest[0] !== SPACE ? 1 : 0; i < bytes.length; i++) {
      if (bytes[i] !== (matched < rest.length ? rest[matched] : NEWLINE)) return -1
      matched++
    }
  }
  return matched >= rest.length ? at : -1
}

const SPACE = 0x20
const NEWLINE = 0x0a

/** Llama writes two newlines after the role, in one token or in two; the token may hold newlines of the content. */
function afterNewlines({ frame }: FrameLookup, ids: Int32Array, from: number, limit: number): number {
  let newlines = 0
  let at = from
  while (at < limit && newlines < 2) {
    const count = frame.newlines.get(ids[at] as number)
    if (count === undefined) break
    newlines += count
    at++
  }
  return at
}

/** What is left of a header whose start token is not there: a role that is known, and what closes it. Null where none is. */
export function readBareHeader(lookup: FrameLookup, ids: Int32Array, start: number, limit: number): Header | null {
  if (lookup.frame.style === 'harmony') return null
  const chatml = lookup.frame.style === 'chatml'
  const closing = chatml ? Mark.newline : Mark.headerEnd
  const last = Math.min(limit, start + 4)
  let at = start
  while (at < last && !(markAt(lookup, ids, at) & closing)) at++
  if (at === last) return null
  const role = roleText(lookup, ids, start, at)
  const known = role === '' ? !chatml : roleKind(role) !== 'other'
  if (!known) return null
  return { role, end: chatml ? at + 1 : afterNewlines(lookup, ids, at + 1, limit), complete: true }
}

/** Nearly every role is one token, and a dump has few. */
function roleText({ table, roles }: FrameLookup, ids: Int32Array, start: number, end: number): string {
  if (end - start !== 1) return decodeSpan(table, ids, start, end).trim()
  const id = ids[start] as number
  let role = roles.get(id)
  if (role === undefined) {
    role = decodeSpan(table, ids, start, end).trim()
    if (roles.size < MOST_ROLES) roles.set(id, role)
  }
  return role
}

/** Far more than a dump without damage has. */
const MOST_ROLES = 256
