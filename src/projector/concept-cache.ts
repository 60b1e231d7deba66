/** The concept cache of a process: bundled tables, replaced by stored vocabularies of the same scheme. */

import {
  once,
  preferred,
  spellings,
  type ConceptTable,
  tableOf,
} from '../vocabularies/concept-table.ts'
import { type Concept, schemes } from '../vocabularies/concept.ts'
import { type FormatLookup, formatLookup } from '../vocabularies/formats.ts'
import { type LicenceLookup, licenceLookup } from '../vocabularies/licences.ts'
import type { Bundled } from '../vocabularies/authorities.ts'

export type ConceptCache = {
  /** By IRI: exact, then with http and https exchanged, then without a trailing `/`. */
  readonly find: (iri: string) => Concept | undefined
  /** The same in one vocabulary. */
  readonly within: (scheme: string, iri: string) => Concept | undefined
  /** By code, any case; current concepts before deprecated ones. */
  readonly byCode: (scheme: string, code: string) => Concept | undefined
  /** Countries and languages by two-letter code in lower case. */
  readonly byAlpha2: (scheme: string, code: string) => Concept | undefined
  readonly licenceByIri: LicenceLookup['byIri']
  readonly licenceByText: LicenceLookup['byText']
  readonly formatByText: FormatLookup['byText']
  readonly formatByMediaType: FormatLookup['byMediaType']
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

/** Common lookups over all tables in use, each made when it is first needed. */
function lookupsOf(tables: ReadonlyMap<string, ConceptTable>, large: ReadonlyMap<string, Overlay>) {
  const of = (scheme: string) => tables.get(scheme)?.concepts ?? []
  const every = () => [...tables.values()].flatMap(({ concepts }) => concepts)
  return {
    /** By IRI: tables before parts of large vocabularies. */
    finders: once((): readonly Lookup[] => {
      const all = new Map(every().map((concept) => [concept.iri, concept]))
      return [(iri) => all.get(iri), ...[...large.values()].map(({ get }) => get)]
    }),
    licences: once(() => {
      const matching = every().filter(
        ({ exactMatch, scheme }) => exactMatch.length > 0 && scheme !== schemes.licence,
      )
      return licenceLookup(of(schemes.licence), preferred(matching))
    }),
    formats: once(() => formatLookup(of(schemes.fileType))),
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

/** A cache over the bundled tables; changes of stored vocabularies come in through `replace`. */
export function conceptCache(bundled: Bundled): ConceptCache {
  const tables = new Map([...bundled.tables].map(([scheme, all]) => [scheme, tableOf(all)]))
  const large = new Map<string, Overlay>()
  let lookups = lookupsOf(tables, large)
  let revision = 0
  const put = (scheme: string, table: ConceptTable | undefined, part?: Overlay) => {
    large.delete(scheme)
    if (part) large.set(scheme, part)
    if (table) tables.set(scheme, table)
    else tables.delete(scheme)
    lookups = lookupsOf(tables, large)
    revision += 1
  }
  const built = new Map([...bundled.tables.values()].flat().map((one) => [one.iri, one]))
  const complete = (concept: Concept) => completed(concept, built.get(concept.iri))
  return {
    find: (iri) => {
      const finders = lookups.finders()
      // Nearly all records write IRIs as the vocabulary does.
      return finders[0]?.(iri) ?? spelled(iri, finders)
    },
    within: (scheme, iri) => {
      const lookup = tables.get(scheme)?.byIri ?? large.get(scheme)?.get
      return lookup && spelled(iri, [lookup])
    },
    byCode: (scheme, code) => tables.get(scheme)?.byCode(code),
    byAlpha2: (scheme, code) => tables.get(scheme)?.byAlpha2(code),
    licenceByIri: (iri) => lookups.licences().byIri(iri),
    licenceByText: (text) => lookups.licences().byText(text),
    formatByText: (text) => lookups.formats().byText(text),
    formatByMediaType: (type) => lookups.formats().byMediaType(type),
    isMediaType: (type) => bundled.mediaTypes.has(type),
    concepts: (scheme) => tables.get(scheme)?.concepts ?? [],
    bundled: (scheme) => bundled.tables.get(scheme) ?? [],
    completed: complete,
    revision: () => revision,
    replace: (scheme, concepts) => {
      const replacement = concepts?.map(complete) ?? bundled.tables.get(scheme)
      put(scheme, replacement && tableOf(replacement))
    },
    replaceLarge: (scheme) => put(scheme, undefined, overlay()),
    large: () => large,
  }
}

// The part of a large vocabulary that records asked for lately; the rest stays in the store.

/** IRIs remembered, known and unknown ones; a batch of records asks for some thousand. */
const most = 50_000

type Overlay = {
  readonly get: (iri: string) => Concept | undefined
  /** Which of these nobody has asked for lately. */
  readonly unasked: (iris: Iterable<string>) => readonly string[]
  /** What the store said: every IRI that was asked for is known or known to be none. */
  readonly learn: (asked: readonly string[], found: readonly Concept[]) => void
}

function overlay(): Overlay {
  const known = new Map<string, Concept | undefined>()
  const put = (iri: string, concept: Concept | undefined) => {
    known.delete(iri)
    known.set(iri, concept)
  }
  return {
    get: (iri) => known.get(iri),
    unasked: (iris) => {
      const unasked: string[] = []
      for (const iri of iris) {
        if (known.has(iri)) put(iri, known.get(iri))
        else unasked.push(iri)
      }
      return unasked
    },
    learn: (asked, found) => {
      const concepts = new Map(found.map((concept) => [concept.iri, concept]))
      for (const iri of asked) put(iri, concepts.get(iri))
      for (const iri of known.keys()) {
        if (known.size <= most) return
        known.delete(iri)
      }
    },
  }
}
