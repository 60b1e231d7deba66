/** What an API key may do: everything, one catalogue, or single endpoints. */

/** A known key without its secret: `id` is the first 8 hex digits of its SHA-256 digest. */
export type Key = { readonly id: string; readonly permissions: readonly string[] }

/**
 * What a request wants. `path` is relative to the service and decoded; `catalogue` is the id of the catalogue that the
 * resource belongs to, if any.
 */
export type Action = {
  readonly method: string
  readonly path: string
  readonly catalogue?: string | undefined
}

/** Whether one of the key's permissions covers the action: `*`, a catalogue id, or `METHOD /path/pattern`. */
export function may(key: Key, action: Action): boolean {
  return key.permissions.some((permission) => covers(permission, action))
}

/** Whether a text is a permission that `may` understands. */
export const isPermission = (text: string): boolean =>
  text === '*' || catalogueId.test(text) || endpoint.test(text)

const catalogueId = /^[A-Za-z0-9_~-]{1,255}$/
const endpoint = /^(\*|[A-Za-z]+) +(\/\S*)$/

function covers(permission: string, action: Action): boolean {
  if (permission === '*') return true
  const [, method, pattern] = endpoint.exec(permission) ?? []
  if (method === undefined || pattern === undefined) return permission === action.catalogue
  return (
    methodCovers(method.toUpperCase(), action.method.toUpperCase()) &&
    matchesPath(pattern, action.path)
  )
}

const methodCovers = (allowed: string, asked: string): boolean =>
  allowed === '*' || allowed === asked || (allowed === 'GET' && asked === 'HEAD')

/**
 * Whether a path fits a pattern segment by segment: `{name}` or `*` stands for exactly one segment that is not empty, a
 * final `**` for any rest, none included. A trailing slash on either side means nothing.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = segments(pattern)
  const given = segments(path)
  const rest = wanted.indexOf('**')
  const fixed = rest < 0 ? wanted : wanted.slice(0, rest)
  if (rest < 0 ? given.length !== fixed.length : given.length < fixed.length) return false
  return fixed.every((want, at) => (isWild(want) ? given[at] !== '' : want === given[at]))
}

const isWild = (segment: string): boolean => segment === '*' || /^\{[^{}]+\}$/.test(segment)

const segments = (path: string): readonly string[] => {
  const parts = path.split('/').slice(1)
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}
