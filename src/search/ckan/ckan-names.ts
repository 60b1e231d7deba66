/** Names of CKAN and their equivalents in this platform. */

/** Names of facets and fields of a package → names of this platform. */
const fields: ReadonlyMap<string, string> = new Map([
  ['organization', 'catalog'],
  ['owner_org', 'catalog'],
  ['tags', 'keywords'],
  ['groups', 'categories'],
  ['res_format', 'format'],
  ['license_id', 'license'],
  ['author', 'publisher'],
  ['metadata_modified', 'catalog_record.modified'],
  ['metadata_created', 'catalog_record.issued'],
  ['name', 'id'],
  ['notes', 'description'],
  ['title_string', 'title'],
])

/** Returns the name in this platform; unchanged when CKAN uses the same one. */
export const platformField = (name: string): string => fields.get(name) ?? name

/** Fields with the same value in every package: a filter on one matches all packages or none. */
export const constantFields: ReadonlyMap<string, string> = new Map([
  ['type', 'dataset'],
  ['dataset_type', 'dataset'],
  ['state', 'active'],
  ['private', 'false'],
  ['capacity', 'public'],
])
