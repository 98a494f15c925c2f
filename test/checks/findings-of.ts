import type { Trajectory } from '../../shared/model/trajectory.ts'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { type SearchChanges, searchRows } from '../fixtures/checks/fixture.ts'
import { type Conversation, type RecordOptions, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

/** What stands in a trajectory instead of what its row says. */
export type Edit = (trajectory: Trajectory, row: Conversation, index: number) => Partial<Trajectory>

type Rows = (tokenizer: Tokenizer) => Conversation[]

/** The findings of one code over rows, each trajectory edited before it is looked at. */
export async function findingsOf(code: string, family: BundledTokenizerId, rows: Rows, edit?: Edit) {
  return (await resultOf(code, family, rows, edit)).findings
}

/** What one check says of rows, each trajectory edited before it is looked at. */
export async function resultOf(code: string, family: BundledTokenizerId, rows: Rows, edit: Edit = () => ({})) {
  const tokenizer = await testTokenizer(family)
  const trajectories = rows(tokenizer).map((row, record) => {
    const trajectory = trajectoryOf(row, { source: 0, record, part: 0 })
    return { ...trajectory, ...edit(trajectory, row, record) }
  })
  return auditTrajectories(trajectories, tokenizer).byCode.get(code)!
}

/** One rollout that searches once, with these changes. */
export const search = (changes: SearchChanges = {}, options: RecordOptions = {}) => searchRows(changes, options, 1)
