import type { Command } from '../../commands/command.ts'

export const LAB_COMMANDS: readonly Command[] = []
