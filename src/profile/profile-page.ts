/** JSON of the active profile, which `GET /profile` of the repository and of the search service answer. */

import type { Field, Profile, ResourceType, Shape } from './profile.ts'

/**
 * JSON of a field. `field` is its dotted name for filters, facets and `includes`; `path` is one predicate or an array of
 * alternatives, absent when the platform fills the field; without `maxCount` there may be any number of values.
 */
function fieldJson(field: Field, prefix = ''): Readonly<Record<string, unknown>> {
  const { name, title, mapping, paths, required, single, description, link, children } = field
  const [path, ...alternatives] = paths
  const dotted = prefix + name
  return {
    name,
    field: dotted,
    title,
    ...(path !== undefined && { path: alternatives.length > 0 ? paths : path }),
    mappingClass: mapping,
    required,
    single,
    minCount: required ? 1 : 0,
    ...(single && { maxCount: 1 }),
    description,
    link,
    ...(children.length > 0 && { fields: children.map((child) => fieldJson(child, `${dotted}.`)) }),
  }
}

/** JSON of the fields of a shape, with the class whose resources it describes. */
const fieldsJson = ({ targetClass, fields }: Shape) => ({
  targetClass,
  fields: fields.map((field) => fieldJson(field)),
})

/** Compiled shape of a core entry. */
const shapeOf = (profile: Profile, id: string): Shape =>
  id === 'dataset' ? profile.dataset : profile.catalogue

/** JSON of a custom resource type, with the keys of the entry file. */
function typeJson({ shape, search, ...type }: ResourceType) {
  const { facetSize, window, facets } = search
  const searchSettings = { max_agg_size: facetSize, max_result_window: window, facets }
  return { ...type, searchSettings, ...fieldsJson(shape) }
}

/** JSON of a profile. With `Accept: text/turtle` the answer is `profile.shapes` instead. */
export function profilePage(profile: Profile): Readonly<Record<string, unknown>> {
  const { enabled, id, version, profileVersion, title, description, maker, versionInfo } = profile
  const { concept } = profile
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
      ...fieldsJson(shapeOf(profile, entry.id)),
    })),
    resources: profile.resources.map(typeJson),
    concept: {
      name: concept.name,
      description: concept.description,
      shapeUri: concept.iri,
      ...fieldsJson(concept),
    },
  }
}
