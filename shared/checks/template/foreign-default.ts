import { roleKind } from '../../model/roles.ts'
import { QWEN25_DEFAULT_SYSTEM } from '../../tokens/default-systems.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { ownSystemText } from '../texts/own-system-text.ts'
import { systemText } from '../texts/system-text.ts'

/**
 * Whether a row begins with the default system text of another family's template: its messages have no system message, and the template of its own tokenizer
 * would not write that text. Any other text may be that of a program which keeps it out of the messages.
 */
export function hasForeignDefault({ trajectory, tokenizer, segmentation, ids }: TrajectoryView): boolean {
  // The messages of a rollout are those of its main branch; another may have a prompt of its own.
  if (trajectory.branch !== null || trajectory.place.part > 0) return false
  const { messages } = trajectory
  if (messages === null || messages.length === 0 || segmentation === null || tokenizer === null) return false
  if (messages.some(({ role }) => roleKind(role) === 'system')) return false
  const template = learnedTemplateOf(tokenizer)
  if (template === null || ownSystemText(template.defaultSystem ?? '').own === QWEN25_DEFAULT_SYSTEM) return false
  const system = systemText(tokenizer.table, ids, segmentation)
  return system !== null && ownSystemText(system.text).own === QWEN25_DEFAULT_SYSTEM
}
