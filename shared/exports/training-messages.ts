import { roleKind } from '../model/roles.ts'
import type { Message } from '../model/trajectory.ts'
import { argumentsObject, chatMessage } from './chat-message.ts'

/**
 * Messages as trainers render them through a chat template: calls with their arguments as an object, turns of the model and of the user under
 * the names that templates know (Transformers, "Chat templates"). Other roles keep their names, which mean other things to other templates.
 */
export class TrainingMessages {
  /** By its name in the source, that of each role which was written under another. */
  private readonly renamed = new Map<string, string>()

  of(messages: readonly Message[]): Record<string, unknown>[] {
    return messages.map((message) => ({ ...chatMessage(message, argumentsObject), role: this.roleOf(message) }))
  }

  private roleOf({ role }: Message): string {
    const kind = roleKind(role)
    if ((kind !== 'assistant' && kind !== 'user') || kind === role) return role
    this.renamed.set(role, kind)
    return kind
  }

  /** Which names were others. */
  notes(): string[] {
    if (this.renamed.size === 0) return []
    const names = [...this.renamed].map(([role, written]) => `${role} as ${written}`)
    return [`Roles under the names that chat templates know: ${names.join(', ')}.`]
  }
}
