import { say } from '../state/view.ts'

/** Copies a text and says so, or what to do where the browser does not let it. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(said)
  } catch {
    say('The browser did not allow copying; click into the page and try again')
  }
}
