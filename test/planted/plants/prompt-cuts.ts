import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { turnsBy } from '../rollout.ts'

export const LONG_QUESTION =
  'Look the answer up in the documents, read all of what you find, and say where you have it from before you answer this question of a person who knows nothing of the matter and wants to learn it.'

/** Of the prompt, something is gone. */
export const PROMPT_CUT_PLANTS: readonly Plant[] = [
  {
    code: 'C01',
    title: 'the prompt was cut on the left, within its first turn',
    needs: [],
    rollout: (rollout) => {
      const [system] = turnsBy(rollout, 'system')
      const first = rollout.tokens.findIndex(({ part }) => part !== 'padding')
      if (system === undefined) return null
      const cut = system.contentStart + 7 - first
      rollout.tokens.splice(first, cut)
      rollout.promptLength -= cut
      return []
    },
    alongside: { A05: 'the prompts of its group differ', T09: 'the system texts of its group differ' },
  },
  {
    code: 'C01',
    title: 'the row was cut on the left, within the first answer',
    needs: ['mask', 'groups'],
    // Its groups are told by their prompts.
    notIn: ['nemo-rl'],
    // A length of nothing behind padding on the left reads as one of as many tokens.
    plan: { padding: 'none' },
    // A dump of such rows alone may hold what follows a prompt that nobody stored.
    patterns: ['sporadic'],
    rollout: (rollout) => {
      const [answer, next] = turnsBy(rollout, 'assistant')
      const first = rollout.tokens.findIndex(({ part }) => part !== 'padding')
      if (answer === undefined || next === undefined || answer.contentEnd - answer.contentStart < 12) return null
      rollout.tokens.splice(first, ((answer.contentStart + answer.contentEnd) >> 1) - first)
      rollout.promptLength = first
      return []
    },
    alongside: { A05: 'the prompts of its group differ', T09: 'the system texts of its group differ' },
  },
  {
    code: 'C02',
    title: 'the end of the question is gone, and its turn is not closed',
    needs: [],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      if (user === undefined) return null
      const start = user.contentEnd - 6
      rollout.tokens.splice(start, user.end - start)
      rollout.promptLength -= user.end - start
      return []
    },
    alongside: { T05: 'a header stands where a turn is open' },
  },
  {
    code: 'C02',
    title: 'the end of the question and the generation prompt behind it are gone, and the answer follows',
    needs: ['mask'],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      const [first] = turnsBy(rollout, 'assistant')
      if (user === undefined || first === undefined) return null
      const start = user.contentEnd - 6
      rollout.tokens.splice(start, first.contentStart - start)
      rollout.promptLength -= first.contentStart - start
      return []
    },
  },
  {
    code: 'C02',
    title: 'the middle of the schemas and the beginning of the question behind them are gone',
    families: ['llama3'],
    needs: ['messages', 'tools'],
    // The question stands in one turn with the schemas, and has a tail to be known by.
    plan: {
      groups: 2,
      change: (conversation) => ({ ...conversation, user: `${LONG_QUESTION} ${conversation.user}` }),
    },
    patterns: ['systematic'],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      if (user === undefined) return null
      const [start, end] = [user.contentStart + 60, user.contentEnd - 40]
      rollout.tokens.splice(start, end - start)
      rollout.promptLength -= end - start
      return []
    },
  },
  {
    code: 'C02',
    title: 'the middle of a schema is gone, in a turn that is closed',
    families: ['qwen2.5', 'qwen3'],
    needs: ['messages', 'tools'],
    rollout: (rollout) => {
      const [system] = turnsBy(rollout, 'system')
      const schema = system === undefined ? null : findText(rollout, contentOf(system), /"parameters"/)
      if (schema === null) return null
      rollout.tokens.splice(schema.end + 4, 24)
      rollout.promptLength -= 24
      return []
    },
    alongside: { T09: 'what is left of its system text is another one than that of the others' },
  },
  {
    code: 'C02',
    title: 'the middle of a schema is gone, before a question that is whole',
    families: ['llama3'],
    needs: ['messages', 'tools'],
    rollout: (rollout) => {
      const [user] = turnsBy(rollout, 'user')
      const schema = user === undefined ? null : findText(rollout, contentOf(user), /"parameters"/)
      if (schema === null) return null
      rollout.tokens.splice(schema.end + 4, 24)
      rollout.promptLength -= 24
      return []
    },
  },
]
