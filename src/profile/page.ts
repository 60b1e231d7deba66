/** The active profile as `GET /profile` shows it. */

import type { Field, Profile, Shape } from './fields.ts'

type ShownField = {
  readonly name: string
  /** One predicate, or several that are read alike; absent when the platform fills the field. */
  readonly path?: string | readonly string[]
  readonly mappingClass: string
  readonly required: boolean
  readonly single: boolean
  readonly description?: string
  readonly fields?: readonly ShownField[]
}

function shown(field: Field): ShownField {
  const [path, ...more] = field.paths
  return {
    name: field.name,
    ...(path !== undefined && { path: more.length > 0 ? field.paths : path }),
    mappingClass: field.mapping,
    required: field.required,
    single: field.single,
    ...(field.description !== undefined && { description: field.description }),
    ...(field.children.length > 0 && { fields: field.children.map(shown) }),
  }
}

const shapeOf = (profile: Profile, id: string): Shape =>
  id === 'dataset' ? profile.dataset : profile.catalogue

/** JSON of the answer; with `Accept: text/turtle` the answer is `profile.shapes` instead. */
export function profilePage(profile: Profile): Readonly<Record<string, unknown>> {
  const { enabled, id, version, profileVersion, title, description, maker, versionInfo } = profile
  return {
    enabled,
    id,
    version,
    profileVersion,
    title,
    description,
    maker,
    versionInfo,
    builtIn: profile.builtIn,
    hash: profile.hash,
    core: profile.entries.map((entry) => ({
      ...entry,
      fields: shapeOf(profile, entry.id).fields.map(shown),
    })),
  }
}
