/** Paths of pages, without the first slash: for the links of the portal, redirects, feeds, the sitemap and reports. */

const plurals: Readonly<Record<string, string>> = { dataset: 'datasets', catalogue: 'catalogues' }

/** Path of a page below the root of the platform: `en/datasets/{id}`. Ids are percent-encoded here. */
export const pagePath = (language: string, ...segments: readonly string[]): string =>
  [language, ...segments.map((segment) => encodeURIComponent(segment))].join('/')

/** Path of the page about a record of a kind: `dataset`, `catalogue`, or `resource_{type}` of a type that the profile adds. */
export const recordPath = (kind: string, id: string, language: string): string =>
  kind.startsWith('resource_')
    ? pagePath(language, 'resources', kind.slice('resource_'.length), id)
    : pagePath(language, plurals[kind] ?? kind, id)

/** Fields of the search form with their values, in their order; a field may occur several times. */
export type FormEntries = readonly (readonly [name: string, value: string])[]

/**
 * Path of the page of hits with the fields of the search form as parameters; `segments` lead to another page or file of the same
 * search.
 */
export function searchPath(language: string, query: FormEntries, ...segments: readonly string[]) {
  const parameters = new URLSearchParams()
  for (const [name, value] of query) parameters.append(name, value)
  const path = pagePath(language, ...(segments.length > 0 ? segments : ['datasets']))
  return parameters.size > 0 ? `${path}?${parameters.toString()}` : path
}
