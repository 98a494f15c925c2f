import type { Trajectory } from '../model/trajectory.ts'

/** Whether the record tells something that holds of one rollout, not of several in a row: one prompt, one set of messages, one reward. */
export function isOneRollout(row: Trajectory): boolean {
  const { messages, documents, answer, promptLength, reward, rewards, advantage, finishReason, isTruncated } = row
  const told = [messages, documents, answer, promptLength, reward, rewards, advantage, finishReason, isTruncated]
  return told.some((each) => each !== null)
}
