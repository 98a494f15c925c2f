import type { Session, WebContents, WebPreferences } from 'electron'

/** What a window of ours may do: run our page in a sandbox, with the preload's few verbs and nothing of Node. */
export function windowPreferences(preload: string): WebPreferences {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  }
}

/** Pages elsewhere that the page may ask to see; they open in the person's browser, never here. */
const EXTERNAL = ['https://github.com', 'https://arxiv.org', 'https://huggingface.co']

/** Keeps a window on our page: no other address in it or in a frame of it, no other window, no webview. */
export function guardContents(contents: WebContents, origin: string, openExternal: (url: string) => void): void {
  const stay = (event: { preventDefault(): void }, url: string) => {
    if (!isOurs(url, origin)) event.preventDefault()
  }
  contents.on('will-navigate', (event) => stay(event, event.url))
  contents.on('will-frame-navigate', (event) => stay(event, event.url))
  contents.on('will-redirect', (event) => stay(event, event.url))
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url)) openExternal(url)
    return { action: 'deny' }
  })
}

/** Denies every permission but putting text on the clipboard, every download (exports go through the save dialog), and every request that does not go to our own scheme: the application works offline. */
export function guardSession(session: Session, origin: string): void {
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isGranted(permission, requestingUrl, origin)),
  )
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isGranted(permission, requestingOrigin, origin),
  )
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
  session.webRequest.onBeforeRequest((details, answer) => answer({ cancel: !mayBeRequested(details.url, origin) }))
}

/** Copying is the one thing the page may do outside itself; reading what others copied is not. */
export function isGranted(permission: string, requestedBy: string, origin: string): boolean {
  return permission === 'clipboard-sanitized-write' && isOurs(requestedBy, origin)
}

/** True for an address of our page's origin. */
export function isOurs(url: string, origin: string): boolean {
  return url === origin || url.startsWith(`${origin}/`)
}

/** `data:` and `blob:` stay inside the page; the developer tools load their own. */
export function mayBeRequested(url: string, origin: string): boolean {
  return isOurs(url, origin) || /^(data|devtools):/.test(url) || url.startsWith(`blob:${origin}/`)
}

/** True for https addresses of the few sites that the page links to. */
export function mayOpenOutside(url: string): boolean {
  try {
    const { origin, username, password } = new URL(url)
    return EXTERNAL.includes(origin) && username === '' && password === ''
  } catch {
    return false
  }
}
