import { roleKind } from '../model/roles.ts'
import type { Message } from '../model/trajectory.ts'
import { argumentsObject, chatMessage } from './chat-message.ts'

/** Names of tool replies that the templates of some models know, which mean other things to others. */
const KNOWN_REPLIES: readonly string[] = ['tool', 'ipython', 'function', 'observation']

/** Who speaks under them answers a tool call, or is the other side of a game or a dialogue. */
const ENVIRONMENTS: readonly string[] = ['environment', 'env']

/**
 * Messages as trainers render them through a chat template: calls with their arguments as an object, turns under the names that templates know
 * (Transformers, "Chat templates"). Qwen's leaves out a turn under another name, and others refuse it. Names that only some templates know stay.
 */
export class TrainingMessages {
  /** By its name in the source, those of each role which was written under others. */
  private readonly renamed = new Map<string, Set<string>>()

  of(messages: readonly Message[]): Record<string, unknown>[] {
    let answersCall = false
    return messages.map((message) => {
      const { role, toolCalls, toolCallId } = message
      if (roleKind(role) === 'assistant') answersCall = (toolCalls?.length ?? 0) > 0
      return { ...chatMessage(message, argumentsObject), role: this.roleOf(role, answersCall || toolCallId != null) }
    })
  }

  private roleOf(role: string, answersCall: boolean): string {
    const written = nameOf(role, answersCall)
    if (written === role) return role
    const names = this.renamed.get(role)
    if (names === undefined) this.renamed.set(role, new Set([written]))
    else names.add(written)
    return written
  }

  /** Which names were others. */
  notes(): string[] {
    if (this.renamed.size === 0) return []
    const names = [...this.renamed].map(([role, written]) => `${role} as ${[...written].join(' and ')}`)
    return [`Roles under the names that chat templates know: ${names.join(', ')}.`]
  }
}

function nameOf(role: string, answersCall: boolean): string {
  const kind = roleKind(role)
  if (kind === 'assistant' || kind === 'user') return kind
  if (kind !== 'tool' || KNOWN_REPLIES.includes(role)) return role
  return ENVIRONMENTS.includes(role.toLowerCase()) && !answersCall ? 'user' : 'tool'
}
