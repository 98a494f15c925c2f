/** A plain Chromium knows no application scheme: `scheme://host/…` is `https://host.scheme.invalid/…` there. */
export function toBrowser(url: string): string {
  const { protocol, host, pathname, search, hash } = new URL(url)
  return `https://${host}.${protocol.slice(0, -1)}.invalid${pathname === '' ? '/' : pathname}${search}${hash}`
}

/** The way back; addresses that are not mapped stay as they are. */
export function fromBrowser(url: string, scheme: string): string {
  const suffix = `.${scheme}.invalid`
  const { protocol, host, pathname, search, hash } = new URL(url)
  if (protocol !== 'https:' || !host.endsWith(suffix)) return url
  return `${scheme}://${host.slice(0, -suffix.length)}${pathname}${search}${hash}`
}
