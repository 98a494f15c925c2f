import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request exactly as given, path and headers, as no well-behaved client would; body as latin-1. */
export function rawRequest(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<RawAnswer> {
  const all: Record<string, string> = { host: `127.0.0.1:${port}`, connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', fail)
    socket.on('close', () => {
      const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
      const [first = '', ...fields] = head.split('\r\n')
      const pairs = fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 2),
      ])
      done({ status: Number(first.split(' ')[1]), headers: Object.fromEntries(pairs), body: rest.join('\r\n\r\n') })
    })
  })
}
