/**
 * Text from a dump, made safe to print: control characters, escape sequences, direction overrides, invisible and
 * unpaired characters become visible signs that do nothing. Ordinary text in any script stays as it is.
 */
export function visibleText(text: string): string {
  return text.replace(ACTIVE, sign)
}

/**
 * C0, DEL and C1 controls; soft hyphen; Arabic letter mark; Mongolian vowel separator; zero width space, direction marks
 * and overrides, line separators; direction isolates and invisible operators; byte order mark; interlinear marks; tags;
 * unpaired surrogates. The joiners U+200C and U+200D stay: scripts and emoji need them, and they do nothing else.
 */
const ACTIVE = new RegExp(
  [
    '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]',
    '[\\u{e0000}-\\u{e007f}]',
    '[\\ud800-\\udfff]',
  ].join('|'),
  'gu',
)

function sign(character: string): string {
  const code = character.codePointAt(0)!
  // Control pictures: U+2400 stands for NUL, U+241B for ESC, U+2421 for DEL.
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, '0')}\u203a`
}
