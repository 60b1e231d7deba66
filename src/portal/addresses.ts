/** Addresses of pages: feeds, sitemap, reports and every link of the portal take them from here. */

const plurals: Readonly<Record<string, string>> = { dataset: 'datasets', catalogue: 'catalogues' }

/** Path of a page below the root of the platform, without its first slash; ids are encoded once. */
export const pagePath = (language: string, ...steps: readonly string[]): string =>
  [language, ...steps.map((step) => encodeURIComponent(step))].join('/')

/** Path of the page about a record of a kind: `dataset`, `catalogue`, or `resource_{type}` of a type that the profile adds. */
export const recordPath = (kind: string, id: string, language: string): string =>
  kind.startsWith('resource_')
    ? pagePath(language, 'resources', kind.slice('resource_'.length), id)
    : pagePath(language, plurals[kind] ?? kind, id)

/** What a search is about, as its form sends it: a parameter may stand there several times. */
export type FormEntries = readonly (readonly [name: string, value: string])[]

/** Path of a search with its parameters, or of what else is made of the same search. */
export function searchPath(language: string, query: FormEntries, ...steps: readonly string[]) {
  const parameters = new URLSearchParams()
  for (const [name, value] of query) parameters.append(name, value)
  const path = pagePath(language, ...(steps.length > 0 ? steps : ['datasets']))
  return parameters.size > 0 ? `${path}?${parameters.toString()}` : path
}
