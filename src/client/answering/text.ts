/** The text of a body by its charset, its XML declaration, or UTF-8. */

/** Invalid bytes become U+FFFD; a byte order mark wins and is dropped. */
export function textOf(bytes: Uint8Array, contentType: string | null): string {
  const marked = marks.find(({ mark }) => mark.every((byte, place) => bytes[place] === byte))
  const charset = marked?.charset ?? charsetOf(contentType) ?? declared(bytes)
  return decodedAs(charset ?? 'utf-8', bytes)
}

const marks = [
  { charset: 'utf-8', mark: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16be', mark: [0xfe, 0xff] },
  { charset: 'utf-16le', mark: [0xff, 0xfe] },
] as const

const charsetOf = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1]

/** The encoding of an XML declaration, which is ASCII in every encoding that can say it in one byte per character. */
function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  if (!head.startsWith('<?xml')) return undefined
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]{1,40})["']/.exec(head)?.[1]
}

function decodedAs(charset: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
