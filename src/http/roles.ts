/** Roles of keys and people in catalogues, as permissions such as `publisher:rivers`. */

/** Roles, each of which includes those before it. */
const roles = ['reader', 'publisher', 'steward', 'administrator'] as const

/**
 * Permission of a key or a person in a catalogue. `reader`: see drafts, versions, runs and findings. `publisher`: write drafts, and
 * publish where no review is asked. `steward`: review, and write the catalogue and all in it. `administrator`: everything.
 */
export type Role = (typeof roles)[number]

/** Role in one catalogue, or in all of them where `catalogue` is `*`. */
type Grant = { readonly role: Role; readonly catalogue: string }

const roleInCatalogue = /^(reader|publisher|steward):(\*|[A-Za-z0-9_~-]{1,255})$/
const catalogueId = /^[A-Za-z0-9_~-]{1,255}$/

/**
 * Returns what a permission grants: `*` is an administrator, `{role}:{catalogue}` that role, the id of a catalogue alone its
 * steward. `undefined` for `METHOD /path` and for other texts.
 */
export function grantOf(permission: string): Grant | undefined {
  if (permission === '*') return { role: 'administrator', catalogue: '*' }
  const [, name, catalogue] = roleInCatalogue.exec(permission) ?? []
  const role = roles.find((one) => one === name)
  if (role && catalogue !== undefined) return { role, catalogue }
  return catalogueId.test(permission) ? { role: 'steward', catalogue: permission } : undefined
}

/** Whether permissions grant a role, or one that includes it, in a catalogue; without a catalogue only `*` does. */
export const hasRole = (
  permissions: readonly string[],
  role: Role,
  catalogue: string | undefined,
): boolean =>
  permissions.some((permission) => {
    const grant = grantOf(permission)
    if (!grant || roles.indexOf(grant.role) < roles.indexOf(role)) return false
    return grant.role === 'administrator' || (catalogue !== undefined && isIn(grant, catalogue))
  })

const isIn = (grant: Grant, catalogue: string): boolean =>
  grant.catalogue === '*' || grant.catalogue === catalogue

/** Ids of the catalogues in which permissions grant a role, or one that includes it; `*` where they grant it in all. */
export function cataloguesOf(permissions: readonly string[], role: Role): readonly string[] | '*' {
  const granted = permissions
    .flatMap((permission) => grantOf(permission) ?? [])
    .filter((grant) => roles.indexOf(grant.role) >= roles.indexOf(role))
    .map(({ catalogue }) => catalogue)
  return granted.includes('*') ? '*' : [...new Set(granted)]
}

/** Greatest role that permissions grant in a catalogue; `undefined` without one. */
export const roleIn = (
  permissions: readonly string[],
  catalogue: string | undefined,
): Role | undefined => roles.findLast((role) => hasRole(permissions, role, catalogue))

/** Greatest role among permissions, with the catalogues in which they grant just this one; `undefined` without one. */
export function mainGrant(permissions: readonly string[]) {
  const grants = permissions.flatMap((permission) => grantOf(permission) ?? [])
  const role = roles.findLast((one) => grants.some((grant) => grant.role === one))
  return (
    role && {
      role,
      catalogues: grants.filter((grant) => grant.role === role).map(({ catalogue }) => catalogue),
    }
  )
}
