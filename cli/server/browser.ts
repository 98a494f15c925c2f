import { spawn } from 'node:child_process'

/** Opens the person's browser where there is one and a screen to show it on. Silent when it cannot: the address is printed. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const opener = openerOf(process.platform, env)
  if (opener === null) return
  const [command, ...parameters] = opener
  const child = spawn(command, [...parameters, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

/** The command that opens an address, by platform; null without a screen. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] | null {
  if (platform === 'darwin') return ['open']
  // The first quoted argument of `start` is a window's title.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}
