import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { windowPreferences } from './security.ts'

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
    // The page's own grounds, so that a resize does not flash.
    backgroundColor: dark ? '#14161a' : '#fbfbfa',
    webPreferences: windowPreferences(preload),
  }
}
