/** `/resources` as another name of `/datasets`: an alias is the same route under another path, not a second one. */

const alias = /^(\/catalogues\/[^/]+)?\/resources(?=\/|$)/
const twin = /^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/

/** The path that a path is an alias of, or the path itself. */
export const twinOf = (path: string): string => path.replace(alias, '$1/datasets')

/** The alias of a path, if it has one. */
export const aliasOf = (path: string): string | undefined =>
  twin.test(path) ? path.replace(twin, '$1/resources') : undefined

/** A permission for an alias is one for its twin. */
export function twinOfPermission(permission: string): string {
  const [method, path, ...rest] = permission.split(/ +/)
  return method === undefined || path === undefined || rest.length > 0
    ? permission
    : `${method} ${twinOf(path)}`
}

/** Whether the address of a list, or of a POST to it, is that of an alias. */
export const cameByAlias = (url: string): boolean => /\/resources\/?$/.test(new URL(url).pathname)
