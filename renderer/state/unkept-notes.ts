/**
 * Texts of notes that were typed and neither kept nor given up, by rollout and note: neither a dialog that is closed by mistake nor a
 * reload loses them. Each window has its own.
 */
const PREFIX = 'rollout-inspector.unkept-note.'

/** Where the window has no storage they last until it is left. */
const here = new Map<string, string>()

export function unkeptNote(name: string): string | undefined {
  return here.get(name) ?? stored((storage) => storage.getItem(`${PREFIX}${name}`)) ?? undefined
}

export function keepUnkeptNote(name: string, text: string): void {
  here.set(name, text)
  stored((storage) => storage.setItem(`${PREFIX}${name}`, text))
}

export function forgetUnkeptNote(name: string): void {
  here.delete(name)
  stored((storage) => storage.removeItem(`${PREFIX}${name}`))
}

/** Null where the browser gives no storage, or has no room in it. */
function stored<T>(work: (storage: Storage) => T): T | null {
  try {
    return work(globalThis.sessionStorage)
  } catch {
    return null
  }
}
