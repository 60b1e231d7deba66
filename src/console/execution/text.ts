/** Text that a terminal shows and does not obey. */

import { Failure } from '../../errors.ts'

// oxlint-disable-next-line no-control-regex -- they are what must not reach a terminal
const active = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Everything but line ends and tabs that moves a cursor, colours or turns text is written out. */
export const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(active, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What a reader may be told of an error; undefined for what only the log may hold. */
export function failureText(error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined
  const complaints = error.errors
    .filter(({ detail }) => detail !== error.detail)
    .slice(0, 10)
    .map(({ parameter, pointer, detail }) => {
      const place = pointer ?? parameter
      return place === undefined ? detail : `${place}: ${detail}`
    })
  return [error.detail, ...complaints].join('; ')
}
