/** The names of CKAN for what is called otherwise here. */

/** Facets and fields of a package → ours. */
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

/** A name that CKAN has no other word for is the same here. */
export const fieldOf = (name: string): string => fields.get(name) ?? name

/** What is the same in every package, so that a restriction to it lets all or none pass. */
export const constants: ReadonlyMap<string, string> = new Map([
  ['type', 'dataset'],
  ['dataset_type', 'dataset'],
  ['state', 'active'],
  ['private', 'false'],
  ['capacity', 'public'],
])
