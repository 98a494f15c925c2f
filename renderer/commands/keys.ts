/** A key as written in the command table: `j`, `J` (with shift), `Enter`, `Mod+k`. `Mod` is ⌘ on a Mac, Ctrl elsewhere. */
export type Key = string

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> &
  Partial<Pick<KeyboardEvent, 'getModifierState'>>

/** Whether a key press is this key. Letters are compared as typed, so that every keyboard layout works; Caps Lock is no shift. */
export function matches(key: Key, event: Pressed, mac = isMac): boolean {
  const mod = mac ? event.metaKey : event.ctrlKey
  const otherMod = mac ? event.ctrlKey : event.metaKey
  if (otherMod || event.altKey) return false
  const wantsMod = key.startsWith('Mod+')
  if (wantsMod !== mod) return false
  const name = wantsMod ? key.slice('Mod+'.length) : key
  if (name.startsWith('Shift+')) return event.shiftKey && event.key === name.slice('Shift+'.length)
  if (name.length > 1 && event.shiftKey) return false
  return typed(event) === name
}

/** A letter is large with shift alone: Caps Lock turns both around, and a Mac leaves it small while ⌘ is held. */
function typed(event: Pressed): string {
  const { key } = event
  if (!/^[a-z]$/i.test(key)) return key
  if (event.shiftKey) return key.toUpperCase()
  return event.getModifierState?.('CapsLock') ? key.toLowerCase() : key
}

const GLYPHS: Readonly<Record<string, string>> = {
  Enter: '↵',
  Escape: 'Esc',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** The key as it is drawn in menus: `⌘K`, `Ctrl K`, `⇧J`. */
export function drawKey(key: Key, mac = isMac): string {
  let name = key
  let before = ''
  if (name.startsWith('Mod+')) {
    before += mac ? '⌘' : 'Ctrl '
    name = name.slice('Mod+'.length)
    if (/^[A-Z]$/.test(name)) before += '⇧'
    name = name.toUpperCase()
  }
  if (name.startsWith('Shift+')) {
    before += '⇧'
    name = name.slice('Shift+'.length)
  }
  if (/^[A-Z]$/.test(name) && before === '') return `⇧${name}`
  return before + (GLYPHS[name] ?? name)
}

const NOT_TYPED = ['checkbox', 'radio', 'button', 'range']

/** Whether the press belongs to what is being typed. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  if (target instanceof HTMLInputElement) return !NOT_TYPED.includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}
