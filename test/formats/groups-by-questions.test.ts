import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { grouping } from '../../shared/checks/grouping/group-views.ts'
import { groupsText } from '../../shared/exports/phrases.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { audited, qwen, turnsOf } from '../session/dumps.ts'

/** Rows of NeMo-RL, which name no group: these many rollouts of each question, one after the other. */
async function rows(sizes: readonly number[]): Promise<string> {
  const tokenizer = await qwen()
  return written(sizes, (question, attempt) => {
    const answer = { text: `It rises in the hills, says attempt ${attempt}.` }
    const { record } = conversation(tokenizer, turnsOf(tokenizer, question, { answer }), {})
    return { ids: record.input_ids ?? [], mask: record.loss_mask ?? [] }
  })
}

/** Rows behind one opening: what they ask stands in the system text. */
async function rowsThatBegin(questionOf: (question: number, attempt: number) => string, sizes: readonly number[]) {
  const tokenizer = await qwen()
  return written(sizes, (question, attempt) => {
    const { record } = conversation(tokenizer, [
      system(questionOf(question, attempt)),
      user('Begin.'),
      assistant(`It rises in the hills, says attempt ${attempt}.`),
    ])
    return { ids: record.input_ids ?? [], mask: record.loss_mask ?? [] }
  })
}

/** Rows behind an assistant turn that the mask leaves out; nothing says how long a prompt is. */
async function rowsBehind(
  example: (attempt: number) => string,
  next: (question: number, attempt: number) => string,
): Promise<string> {
  const tokenizer = await qwen()
  return written([4, 4, 4, 4], (question, attempt) => {
    const { record } = conversation(tokenizer, [
      user('Where does the Isk rise?'),
      assistant(example(attempt), { train: false }),
      user(next(question, attempt)),
      assistant(`Heard ${attempt} times: it rises in the hills.`),
    ])
    return { ids: record.input_ids ?? [], mask: record.loss_mask ?? [] }
  })
}

/** The same of a base model, which no template asks. */
async function plainRows(sizes: readonly number[]): Promise<string> {
  const tokenizer = await qwen()
  return written(sizes, (question, attempt) => {
    const asked = tokenizer.encode(`Question: how much is ${question} and 17?\nAnswer:`)
    const answered = tokenizer.encode(` Attempt ${attempt} says ${question + 17}.`)
    return { ids: [...asked, ...answered], mask: [...asked.map(() => 0), ...answered.map(() => 1)] }
  })
}

function written(
  sizes: readonly number[],
  sequenceOf: (question: number, attempt: number) => { readonly ids: number[]; readonly mask: number[] },
): string {
  const rows = sizes.flatMap((size, question) =>
    Array.from({ length: size }, (_, member) => {
      const { ids, mask } = sequenceOf(question, member)
      return {
        token_ids: [ids],
        token_loss_mask: [mask],
        sample_loss_mask: [1],
        input_lengths: [ids.length],
        advantages: [ids.map(() => (member % 2) - 0.5)],
        rewards: [member % 2],
      }
    }),
  )
  return rows.map((row, idx) => `${JSON.stringify({ ...row, idx })}\n`).join('')
}

describe('rows that come by order, without a size of groups', () => {
  it('are in groups as large as questions are repeated, and the report says that it rests on no more', async () => {
    const report = (await audited(await rows([4, 4, 4, 4]))).report()
    expect(report.totals).toMatchObject({ trajectories: 16, groups: 4, group_size_by_questions: 4 })
    expect(groupsText(report)).toBe('4 groups (nothing names them: 4 rollouts in a row answer one question)')
    expect(report.checks.find(({ code }) => code === 'A04')?.status).toBe('pass')
  })

  it('are in none where questions do not tell, and in those that are given without a word', async () => {
    const uneven = (await audited(await rows([4, 3, 4, 2]))).report()
    expect(uneven.totals.groups).toBe(0)
    expect(uneven.checks.find(({ code }) => code === 'A04')?.status).toBe('not-checkable')
    const given = (await audited(await rows([4, 4, 4, 4]), { groupSize: 2 })).report()
    expect(given.totals.groups).toBe(8)
    expect(given.totals).not.toHaveProperty('group_size_by_questions')
  })

  it('are told by whole prompts where the first words of all users are the same', async () => {
    const groupsOf = async (questionOf: (question: number, attempt: number) => string, sizes = [4, 4, 4, 4]) =>
      (await audited(await rowsThatBegin(questionOf, sizes))).report().totals.groups
    expect(await groupsOf((question) => `Play game ${question}.`)).toBe(4)
    // A clock in each prompt, and one prompt for all.
    expect(await groupsOf((question, attempt) => `Play game ${question}. It is ${question}:0${attempt}.`)).toBe(0)
    expect(await groupsOf(() => 'Play the game.')).toBe(0)
    expect(await groupsOf((question) => `Play game ${question}.`, [4, 3, 4, 2])).toBe(0)
  })

  it('are told by whole prompts behind one example, and never by what was said before later calls', async () => {
    const tokenizer = await qwen()
    const row = (river: string, member: number, example: string) => {
      const { record } = conversation(tokenizer, [
        user('Where does the Isk rise?'),
        assistant(example, { train: false }),
        user(`Where does the ${river} rise?`),
        assistant(`Heard ${member} times: the ${river} rises in the hills.`),
      ])
      const prompt = (record.loss_mask as number[]).indexOf(1)
      return { input_ids: record.input_ids, loss_mask: record.loss_mask, prompt_length: prompt, reward: member % 2 }
    }
    const rivers = ['Arn', 'Teal', 'Lode', 'Wick']
    const all = (exampleOf: (member: number) => string) =>
      rivers.flatMap((river) => [0, 1, 2, 3].map((member) => row(river, member, exampleOf(member))))
    const facts = async (exampleOf: (member: number) => string) =>
      (
        await audited(
          all(exampleOf)
            .map((each) => `${JSON.stringify(each)}\n`)
            .join(''),
        )
      ).facts
    const sizeOf = (told: readonly TrajectoryFacts[]) =>
      atOnce(grouping(told, { groupSize: null, groupsByOrder: true })).groups.length
    expect(sizeOf(await facts(() => 'In the north.'))).toBe(4)
    expect(sizeOf(await facts((member) => `I went there ${member} times.`))).toBe(0)
  })

  it('are told by what goes on behind an example that only the mask tells, and by no turn that it may leave out', async () => {
    const groupsOf = async (...shape: Parameters<typeof rowsBehind>) =>
      (await audited(await rowsBehind(...shape))).report().totals.groups
    const asked = (question: number) => `Where does river ${question} rise?`
    expect(await groupsOf(() => 'In the north.', asked)).toBe(4)
    expect(await groupsOf((attempt) => `I went there ${attempt} times.`, asked)).toBe(0)
    expect(
      await groupsOf(
        () => 'In the north.',
        () => 'And the Arn?',
      ),
    ).toBe(0)
    expect(
      await groupsOf(
        () => 'In the north.',
        (question, attempt) => `You see ${attempt} rats in ${question}.`,
      ),
    ).toBe(0)
  })

  it('are told so where a stored length was taken for that of an earlier turn, as padding may have it', async () => {
    const { facts } = await audited(
      await rowsBehind(
        () => 'In the north.',
        (question) => `Where does river ${question} rise?`,
      ),
    )
    const told = facts.map((row, at) =>
      at % 4 === 1 ? { ...row, promptHash: 'of less' } : { ...row, promptHash: `${at >> 2}` },
    )
    expect(atOnce(grouping(told, { groupSize: null, groupsByOrder: true })).groups.length).toBe(4)
  })

  it('are told by all that stands before the first trained token where no template frames a question', async () => {
    const report = (await audited(await plainRows([4, 4, 4, 4]))).report()
    expect(report.totals).toMatchObject({ trajectories: 16, groups: 4, group_size_by_questions: 4 })
    expect((await audited(await plainRows([4, 3, 4, 2]))).report().totals.groups).toBe(0)
  })
})
