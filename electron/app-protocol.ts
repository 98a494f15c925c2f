import type { CustomScheme, Protocol } from 'electron'
import { plainResponse } from '../cli/server/file-response.ts'
import type { Site } from '../cli/server/site.ts'

export const SCHEME = 'rollout-inspector'

/** Where the page lives. People's flags are kept under this origin: it must never change. */
export const APP_ORIGIN = `${SCHEME}://app`

/** To be registered before the application is ready. */
export const APP_SCHEME: CustomScheme = {
  scheme: SCHEME,
  // What was compiled of the page's scripts is kept for the next start, as Chromium does for a site.
  privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true },
}

/** Answers the scheme with the site. Another host of the scheme is nothing. */
export function handleAppScheme(protocol: Protocol, site: Site): void {
  protocol.handle(SCHEME, async (request) => {
    const { protocol: scheme, host } = new URL(request.url)
    if (`${scheme}//${host}` !== APP_ORIGIN) return plainResponse(404, 'There is nothing at this address.')
    return site(request)
  })
}
