import type { Command } from '../../commands/command.ts'

export const NOTEBOOK_COMMANDS: readonly Command[] = []
