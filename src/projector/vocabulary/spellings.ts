/** The IRIs that mean one concept: records write http or https, with and without a slash at the end. */

const isWeb = (iri: string) => /^https?:/.test(iri)

const otherScheme = (iri: string) =>
  iri.startsWith('http:') ? `https:${iri.slice(5)}` : `http:${iri.slice(6)}`

/** IRIs under which a concept may be known when a record writes `iri`, the nearest first. */
export function* spellings(iri: string): Generator<string> {
  yield iri
  if (!isWeb(iri)) return
  yield otherScheme(iri)
  if (!iri.endsWith('/')) return
  yield iri.slice(0, -1)
  yield otherScheme(iri.slice(0, -1))
}

/** The other way round: what records may write for a concept. */
export function mentionsOf(iri: string): readonly string[] {
  if (!isWeb(iri)) return [iri]
  const both = [iri, otherScheme(iri)]
  return [...both, ...both.map((one) => `${one}/`)]
}
