import type { Command } from '../../commands/command.ts'

export const COMPARE_COMMANDS: readonly Command[] = []
