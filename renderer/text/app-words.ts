/** What the command line takes as a switch, by the button or command that does it here. */
const HERE = [
  [/ \(--against[^()]*\)/g, ': “Compare…”'],
  [/ \(--dataset[^()]*\)/g, ': “Dataset…”'],
] as const

/** A sentence of the engine, which names switches of the command line, as it is said in the app. */
export function inApp(sentence: string): string {
  return HERE.reduce((text, [flag, here]) => text.replace(flag, here), sentence)
}
