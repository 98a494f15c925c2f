import { join } from 'node:path'
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { packageRoot } from '../cli/package-root.ts'
import { windowPreferences } from './security.ts'

/** A Linux window brings its icon along: no desktop entry has one for a checkout or an AppImage. Other systems take the program's. */
export const LINUX_ICON = 'electron/icons/linux/256x256.png'

/** How the one window is made. Shown when its page has been painted, so that nobody sees it blank. */
export function windowOptions(
  preload: string,
  dark: boolean,
  bounds: Partial<Rectangle>,
): BrowserWindowConstructorOptions {
  return {
    title: 'Rollout Inspector',
    width: 1440,
    height: 920,
    ...bounds,
    minWidth: 720,
    minHeight: 480,
    show: false,
    ...(process.platform === 'linux' ? { icon: join(packageRoot(), LINUX_ICON) } : {}),
    // The page's own grounds, so that a resize does not flash.
    backgroundColor: dark ? '#14161a' : '#fbfbfa',
    webPreferences: windowPreferences(preload),
  }
}
