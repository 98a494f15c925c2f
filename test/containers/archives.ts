import { crc32, deflateRawSync } from 'node:zlib'

type Files = Readonly<Record<string, Uint8Array | string>>

function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

/** A zip archive. `stored` leaves its entries as they are. */
export function zipped(files: Files, stored = false): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const plain = Buffer.from(bytesOf(content))
    const data = stored ? plain : deflateRawSync(plain)
    const title = Buffer.from(name)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(0x800, 2)
    shared.writeUInt16LE(stored ? 0 : 8, 4)
    shared.writeUInt32LE(crc32(plain), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(plain.length, 18)
    shared.writeUInt16LE(title.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), shared, title, data)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, rest, title)
    at += 30 + title.length + data.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...parts, listed, end]))
}

/** 512 bytes that describe the file behind them. */
export function tarHeader(name: string, size: number, kind: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name.slice(0, 100), 0)
  header.write('0000644\0'.repeat(1), 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(kind, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** A tar archive; names of more than 100 letters in the way of GNU, those that begin with `pax/` in the way of POSIX. */
export function tarred(files: Files): Uint8Array {
  const parts: Buffer[] = []
  const add = (name: string, content: Uint8Array, kind: string) => {
    parts.push(tarHeader(name, content.length, kind), Buffer.from(content), Buffer.alloc(-content.length & 511))
  }
  for (const [name, content] of Object.entries(files)) {
    if (name.startsWith('pax/')) {
      const field = ` path=${name}\n`
      const bytes = Buffer.byteLength(field)
      const length = bytes + String(bytes + 2).length
      add('header', bytesOf(`${length}${field}`), 'x')
    } else if (name.length > 100) add('././@LongLink', bytesOf(`${name}\0`), 'L')
    if (name.endsWith('/')) parts.push(tarHeader(name, 0, '5'))
    else add(name, bytesOf(content), '0')
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1024)]))
}
