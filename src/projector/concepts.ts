/** The concept cache of a process: bundled tables, replaced by stored vocabularies of the same scheme. */

import type { Bundled } from './vocabulary/bundled.ts'
import { schemes, type Concept } from './vocabulary/concept.ts'
import { formatsOf, type Formats } from './vocabulary/formats.ts'
import { licencesOf, type Licences } from './vocabulary/licences.ts'
import { overlay, type Overlay } from './vocabulary/overlay.ts'
import { spellings } from './vocabulary/spellings.ts'
import { once, preferred, tableOf, type Table } from './vocabulary/table.ts'

export { loadBundled } from './vocabulary/bundled.ts'

export type ConceptCache = {
  /** By IRI: exact, then with http and https exchanged, then without a trailing `/`. */
  readonly find: (iri: string) => Concept | undefined
  /** The same in one vocabulary. */
  readonly within: (scheme: string, iri: string) => Concept | undefined
  /** By code, any case; current concepts before deprecated ones. */
  readonly byCode: (scheme: string, code: string) => Concept | undefined
  /** Countries and languages by two-letter code in lower case. */
  readonly byAlpha2: (scheme: string, code: string) => Concept | undefined
  readonly licenceByIri: Licences['byIri']
  readonly licenceByText: Licences['byText']
  readonly formatByText: Formats['byText']
  readonly formatByMediaType: Formats['byMediaType']
  /** Whether IANA has registered the media type; in lower case. */
  readonly isMediaType: (type: string) => boolean
  /** None of a large vocabulary. */
  readonly concepts: (scheme: string) => readonly Concept[]
  /** The concepts that the product ships. */
  readonly bundled: (scheme: string) => readonly Concept[]
  /** A stored concept with what official tables do not say and the bundled concept of that IRI does. */
  readonly completed: (concept: Concept) => Concept
  /** Grows with every replacement. */
  readonly revision: () => number
  /** A stored vocabulary takes the place of the bundled one; `undefined` brings that back. */
  readonly replace: (scheme: string, concepts: readonly Concept[] | undefined) => void
  /**
   * The same for a vocabulary that memory does not hold: only its concepts that were learnt are found, and only by IRI (no
   * codes, no exact matches).
   */
  readonly replaceLarge: (scheme: string) => void
  readonly large: () => ReadonlyMap<string, Overlay>
}

const fuller = <T>(own: readonly T[], known: readonly T[]) => (own.length > 0 ? own : known)

const completed = (concept: Concept, known: Concept | undefined): Concept =>
  known
    ? {
        ...concept,
        extensions: { ...known.extensions, ...concept.extensions },
        exactMatch: fuller(concept.exactMatch, known.exactMatch),
        mediaTypes: fuller(concept.mediaTypes, known.mediaTypes),
        endings: fuller(concept.endings, known.endings),
        machineReadable: concept.machineReadable || known.machineReadable,
        nonProprietary: concept.nonProprietary || known.nonProprietary,
      }
    : concept

type Lookup = (iri: string) => Concept | undefined

type Lookups = {
  /** By IRI: tables before parts of large vocabularies. */
  readonly finders: () => readonly Lookup[]
  readonly licences: () => Licences
  readonly formats: () => Formats
}

function lookupsOf(
  tables: ReadonlyMap<string, Table>,
  large: ReadonlyMap<string, Overlay>,
): Lookups {
  const of = (scheme: string) => tables.get(scheme)?.concepts ?? []
  const every = () => [...tables.values()].flatMap(({ concepts }) => concepts)
  return {
    finders: once(() => {
      const all = new Map(every().map((concept) => [concept.iri, concept]))
      return [(iri: string) => all.get(iri), ...[...large.values()].map(({ get }) => get)]
    }),
    licences: once(() => {
      const matching = every().filter(
        ({ exactMatch, scheme }) => exactMatch.length > 0 && scheme !== schemes.licence,
      )
      return licencesOf(of(schemes.licence), preferred(matching))
    }),
    formats: once(() => formatsOf(of(schemes.fileType))),
  }
}

/** The first spelling of an IRI that one of the lookups knows. */
function spelled(iri: string, lookups: readonly Lookup[]): Concept | undefined {
  for (const spelling of spellings(iri)) {
    for (const lookup of lookups) {
      const found = lookup(spelling)
      if (found) return found
    }
  }
  return undefined
}

/** The tables in use; their common lookups are made anew after a change. */
function shelf(bundled: Bundled) {
  const tables = new Map<string, Table>()
  for (const [scheme, concepts] of bundled.tables) tables.set(scheme, tableOf(concepts))
  const large = new Map<string, Overlay>()
  let lookups = lookupsOf(tables, large)
  let revision = 0
  const put = (scheme: string, table: Table | undefined, part?: Overlay) => {
    large.delete(scheme)
    if (part) large.set(scheme, part)
    if (table) tables.set(scheme, table)
    else tables.delete(scheme)
    lookups = lookupsOf(tables, large)
    revision += 1
  }
  return { tables, large, put, lookups: () => lookups, revision: () => revision }
}

/** A cache over the bundled tables; changes of stored vocabularies come in through `replace`. */
export function conceptCache(bundled: Bundled): ConceptCache {
  const { tables, large, put, lookups, revision } = shelf(bundled)
  const built = new Map([...bundled.tables.values()].flat().map((one) => [one.iri, one]))
  const complete = (concept: Concept) => completed(concept, built.get(concept.iri))
  return {
    find: (iri) => {
      const finders = lookups().finders()
      // Nearly all records write IRIs as the vocabulary does.
      return finders[0]?.(iri) ?? spelled(iri, finders)
    },
    within: (scheme, iri) => {
      const lookup = tables.get(scheme)?.byIri ?? large.get(scheme)?.get
      return lookup && spelled(iri, [lookup])
    },
    byCode: (scheme, code) => tables.get(scheme)?.byCode(code),
    byAlpha2: (scheme, code) => tables.get(scheme)?.byAlpha2(code),
    licenceByIri: (iri) => lookups().licences().byIri(iri),
    licenceByText: (text) => lookups().licences().byText(text),
    formatByText: (text) => lookups().formats().byText(text),
    formatByMediaType: (type) => lookups().formats().byMediaType(type),
    isMediaType: (type) => bundled.mediaTypes.has(type),
    concepts: (scheme) => tables.get(scheme)?.concepts ?? [],
    bundled: (scheme) => bundled.tables.get(scheme) ?? [],
    completed: complete,
    revision,
    replace: (scheme, concepts) => {
      const replacement = concepts?.map(complete) ?? bundled.tables.get(scheme)
      put(scheme, replacement && tableOf(replacement))
    },
    replaceLarge: (scheme) => put(scheme, undefined, overlay()),
    large: () => large,
  }
}
