/** Platform ids: the normal form of the id that a publisher gave. */
import { hash } from 'node:crypto'

const longest = 255

/**
 * Normal form: NFKD, `%` removed, each run of characters outside `[A-Za-z0-9_]` one `-`, lower case. `''` when nothing
 * is left. A longer one than 255 is cut and ends in `-` and 12 hex digits of the SHA-256 of the whole original id.
 */
export function platformId(originalId: string): string {
  const id = originalId
    .normalize('NFKD')
    .replaceAll('%', '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .toLowerCase()
  if (id.length <= longest) return id
  return `${id.slice(0, longest - 13)}-${hash('sha256', originalId, 'hex').slice(0, 12)}`
}

/** Form of an id as a regular expression without anchors, for contracts. */
export const idForm = '[A-Za-z0-9_~-]{1,255}'

const id = new RegExp(`^${idForm}$`)

/** Whether a text may stand in a path as an id. */
export const isId = (text: string): boolean => id.test(text)
