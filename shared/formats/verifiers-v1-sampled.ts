import type { Numbers } from './fields.ts'
import { numbersOf } from './fields.ts'
import { UNKNOWN } from './sequence.ts'
import type { GraphNode } from './verifiers-v1-graph.ts'

/** A message of a branch, where its tokens lie there, and what its own mask marks of them. */
export interface PlacedNode {
  readonly node: GraphNode
  readonly at: number
  /** Of the length of its ids: 1, 0, or 255 where its mask is too short. */
  readonly marks: Uint8Array
  /** An earlier branch trains it: here it is context, and was not written. */
  readonly shared: boolean
}

/**
 * How many of its last tokens the model sampled, by what stands beside the mask; null where nothing does. A reply is the generation prompt and
 * behind it all that was sampled, to its last token (verifiers/v1/graph.py, `_commit_turn`): its body, and as many as it has logprobs where the
 * mask marks fewer.
 */
export function sampledTail({ node, marks }: Pick<PlacedNode, 'node' | 'marks'>): number | null {
  if (!node.sampled) return null
  const body = numbersOf(node.object.is_content ?? null)
  const bodyTail = body?.length === marks.length ? tailOfBody(body, marks) : 0
  if (bodyTail > 0) return bodyTail
  const scored = numbersOf(node.object.logprobs ?? null)?.length ?? 0
  return scored > marksOf(marks) && scored <= marks.length ? scored : null
}

/** Number of tokens from where the body begins, 0 where it is in pieces; the end token may be no part of it, though it was sampled as the mask says. */
function tailOfBody(body: Numbers, marks: Uint8Array): number {
  const last = marks.length - 1
  const end = body[last] === 0 && marks[last] === 1 ? last : marks.length
  let start = end
  while (start > 0 && body[start - 1] === 1) start--
  for (let i = 0; i < start; i++) if (body[i] !== 0) return 0
  return start === end ? 0 : marks.length - start
}

function marksOf(marks: Uint8Array): number {
  let marked = 0
  for (const mark of marks) if (mark === 1) marked++
  return marked
}

/**
 * Who wrote each token of a branch: 1 the model, 0 somebody else, 255 not told. The trace says of each message who wrote it, which holds where
 * its mask says otherwise. Within a reply all was sampled from the first marked token on, but for those with which it begins that have an exact 0.0 for a
 * logprob: of these the mask alone speaks, and what a framework put there has no other number. Where the mask contradicts the trace, or there is but one
 * reply to tell it by, a mask that begins late is not told from what stands before a reply.
 */
export function sampledFlags(members: readonly PlacedNode[], length: number): Uint8Array {
  const flags = new Uint8Array(length).fill(UNKNOWN)
  const marked = members.filter(({ node, marks }) => node.sampled && marks.includes(1))
  const prompts = marked.map(generationPrompt)
  const isTold = marked.length > 1 && !contradictsTrace(members)
  for (const member of members) {
    const { node, at, marks, shared } = member
    const own = flags.subarray(at, at + marks.length)
    if (shared || node.object.sampled === false) own.fill(0)
    else if (node.sampled) placeReply(own, member, prompts, isTold)
    else own.set(marks)
  }
  return flags
}

/**
 * The masks of a branch cannot be what the trace says they are: they mark what the environment wrote, leave out the end of a reply, or begin
 * behind generation prompts that are not alike.
 */
export function contradictsTrace(members: readonly PlacedNode[]): boolean {
  const marked = members.filter((member) => member.marks.includes(1) && sampledTail(member) === null)
  const isOff = ({ node, marks }: PlacedNode) =>
    node.object.sampled === false || (node.sampled && marks.includes(0, marks.indexOf(1)))
  return marked.some(isOff) || !areAlike(marked.filter(({ node }) => node.sampled).map(generationPrompt))
}

function generationPrompt({ node, marks }: PlacedNode): Int32Array {
  return node.ids.subarray(0, marks.indexOf(1))
}

function placeReply(own: Uint8Array, member: PlacedNode, prompts: readonly Int32Array[], isTold: boolean): void {
  const { node, marks } = member
  const tail = sampledTail(member)
  const first = marks.indexOf(1)
  if (tail !== null) own.fill(0).fill(1, own.length - tail)
  else if (first >= 0) {
    if (isTold) own.fill(0, 0, first)
    own.fill(1, first).fill(UNKNOWN, first, first + leadingZeros(node, marks))
  } else {
    const prompt = prompts.find((each) => beginsWith(node.ids, each))
    if (prompt !== undefined) own.fill(0, 0, prompt.length).fill(1, prompt.length)
    // It says something, so the last of its tokens was sampled; which others are the template's is not told.
    else if (saysSomething(node)) own.fill(1, own.length - 1)
  }
}

/** How many of the marked tokens that a reply begins with have the logprob 0.0; 0 where all have, or its logprobs do not fit. */
function leadingZeros({ object }: GraphNode, marks: Uint8Array): number {
  const logprobs = numbersOf(object.logprobs ?? null)
  if (logprobs === null || logprobs.length !== marksOf(marks)) return 0
  let zeros = 0
  while (zeros < logprobs.length && logprobs[zeros] === 0) zeros++
  return zeros < logprobs.length ? zeros : 0
}

/** Each ends as the longest does: only the newline behind the turn before may be another message's. */
function areAlike(prompts: readonly Int32Array[]): boolean {
  const longest = prompts.reduce((most, each) => (each.length > most.length ? each : most), new Int32Array())
  return prompts.every((each) => {
    const from = longest.length - each.length
    return each.every((id, i) => longest[from + i] === id)
  })
}

function beginsWith(ids: Int32Array, start: Int32Array): boolean {
  return start.length > 0 && start.length <= ids.length && start.every((id, i) => ids[i] === id)
}

function saysSomething({ message }: GraphNode): boolean {
  return Boolean(message?.content) || Boolean(message?.reasoning) || (message?.toolCalls?.length ?? 0) > 0
}
