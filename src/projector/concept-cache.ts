/** The concept cache of a process: bundled tables, replaced by stored vocabularies of the same scheme. */

import type { Bundled } from '../vocabularies/authorities.ts'
import {
  type ConceptTable,
  once,
  preferred,
  spellings,
  tableOf,
} from '../vocabularies/concept-table.ts'
import { type Concept, schemes } from '../vocabularies/concept.ts'
import { type FormatLookup, formatLookup } from '../vocabularies/formats.ts'
import { type LicenceLookup, licenceLookup } from '../vocabularies/licences.ts'

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
  readonly large: () => ReadonlyMap<string, LearntConcepts>
}

/** A cache over the bundled tables; changes of stored vocabularies come in through `replace`. */
export function conceptCache(bundled: Bundled): ConceptCache {
  const tables = new Map([...bundled.tables].map(([scheme, all]) => [scheme, tableOf(all)]))
  const large = new Map<string, LearntConcepts>()
  const shipped = new Map([...bundled.tables.values()].flat().map((one) => [one.iri, one]))
  const complete = (concept: Concept) => completed(concept, shipped.get(concept.iri))
  let lookups = lookupsOf(tables, large)
  let revision = 0
  const put = (scheme: string, table: ConceptTable | undefined) => {
    if (table) tables.set(scheme, table)
    else tables.delete(scheme)
    lookups = lookupsOf(tables, large)
    revision += 1
  }
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
      large.delete(scheme)
      put(scheme, replacement && tableOf(replacement))
    },
    replaceLarge: (scheme) => {
      large.set(scheme, new LearntConcepts())
      put(scheme, undefined)
    },
    large: () => large,
  }
}

function completed(concept: Concept, known: Concept | undefined): Concept {
  if (!known) return concept
  const fuller = <T>(own: readonly T[], shipped: readonly T[]) => (own.length > 0 ? own : shipped)
  return {
    ...concept,
    extensions: { ...known.extensions, ...concept.extensions },
    exactMatch: fuller(concept.exactMatch, known.exactMatch),
    mediaTypes: fuller(concept.mediaTypes, known.mediaTypes),
    endings: fuller(concept.endings, known.endings),
    machineReadable: concept.machineReadable || known.machineReadable,
    nonProprietary: concept.nonProprietary || known.nonProprietary,
  }
}

type Lookup = (iri: string) => Concept | undefined

/** Common lookups over all tables in use, each made when it is first needed. */
function lookupsOf(
  tables: ReadonlyMap<string, ConceptTable>,
  large: ReadonlyMap<string, LearntConcepts>,
) {
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
  for (const spelling of spellings(iri))
    for (const lookup of lookups) {
      const concept = lookup(spelling)
      if (concept) return concept
    }
  return undefined
}

/** IRIs remembered, known and unknown ones; a batch of records asks for some thousand. */
const mostLearnt = 50_000

/** The part of a large vocabulary that records asked for lately; the rest stays in the store. */
class LearntConcepts {
  readonly #concepts = new Map<string, Concept | undefined>()

  readonly get = (iri: string): Concept | undefined => this.#concepts.get(iri)

  /** Which of these nobody has asked for lately. */
  unasked(iris: Iterable<string>): readonly string[] {
    return [...iris].filter((iri) => {
      const isAsked = this.#concepts.has(iri)
      if (isAsked) this.#put(iri, this.#concepts.get(iri))
      return !isAsked
    })
  }

  /** What the store said: every IRI that was asked for is known or known to be none. */
  learn(asked: readonly string[], concepts: readonly Concept[]): void {
    const byIri = new Map(concepts.map((concept) => [concept.iri, concept]))
    for (const iri of asked) this.#put(iri, byIri.get(iri))
    for (const iri of this.#concepts.keys()) {
      if (this.#concepts.size <= mostLearnt) return
      this.#concepts.delete(iri)
    }
  }

  /** The last ones asked for stay longest. */
  #put(iri: string, concept: Concept | undefined): void {
    this.#concepts.delete(iri)
    this.#concepts.set(iri, concept)
  }
}
