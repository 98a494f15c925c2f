const [START, USER, ASSISTANT, END, NEWLINE] = [151644, 872, 77091, 151645, 198]
/** “Hello” and “ world” of Qwen2.5. */
const [HELLO, WORLD] = [9707, 1879]

/** A rollout of two tokens of reply, the end of its turn trained or not. */
export function helloWorld(index: number, trainsEnd: boolean) {
  const ids = [START, USER, NEWLINE, HELLO, END, NEWLINE, START, ASSISTANT, NEWLINE, HELLO, WORLD, END, NEWLINE]
  const mask = ids.map((_, at) => (at === 9 || at === 10 || (at === 11 && trainsEnd) ? 1 : 0))
  return { id: `r${index}`, input_ids: ids, loss_mask: mask, reward: index % 2, group_id: `q${index >> 2}` }
}
