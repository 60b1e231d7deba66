/** Platform ids, derived from the original ids of publishers. */
import { hash } from 'node:crypto'

const maxLength = 255

/**
 * Normalises an original id: NFKD, `%` removed, each run of characters outside `[A-Za-z0-9_]` becomes one `-`, lower case; `''`
 * if nothing is left. Ids longer than 255 characters are cut and end in `-` and 12 hex digits of the SHA-256 of the original id.
 */
export function platformId(originalId: string): string {
  const id = originalId
    .normalize('NFKD')
    .replaceAll('%', '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .toLowerCase()
  if (id.length <= maxLength) return id
  return `${id.slice(0, maxLength - 13)}-${hash('sha256', originalId, 'hex').slice(0, 12)}`
}

/** Regular expression of ids without anchors, for contracts. */
export const idForm = '[A-Za-z0-9_~-]{1,255}'

const idPattern = new RegExp(`^${idForm}$`)

/** Whether a text may be used as an id in a path. */
export const isId = (text: string): boolean => idPattern.test(text)
