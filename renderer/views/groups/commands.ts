import type { Command } from '../../commands/command.ts'

export const GROUP_COMMANDS: readonly Command[] = []
