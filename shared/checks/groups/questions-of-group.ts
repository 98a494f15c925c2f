import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/**
 * How many questions the members of a group were asked, as far as expected answers tell: prompts that several members have, each with one answer of its
 * own. Prompts that differ on purpose (roles, dates, shuffled examples) go with one answer, and of a prompt that one member has nothing repeats it.
 */
export function questionsOf({ members }: GroupView, promptOf: (member: TrajectoryFacts) => string | null): number {
  const asked = new Map<string, { answer: number; members: number }>()
  for (const member of members) {
    const { expectedAnswer: answer } = member
    const prompt = promptOf(member)
    if (answer === undefined || prompt === null) continue
    const known = asked.get(prompt)
    if (known === undefined) asked.set(prompt, { answer, members: 1 })
    // An answer that differs from rollout to rollout is no answer to the prompt.
    else if (known.answer !== answer) return 0
    else known.members++
  }
  const answers = new Set<number>()
  for (const { answer, members } of asked.values()) if (members > 1) answers.add(answer)
  return answers.size
}
