/** In-memory cache of the concepts that mappings look up: bundled tables, replaced by stored vocabularies of the same scheme. */

import {
  type Authorities,
  createAuthorities,
  type VocabularyFiles,
} from '../vocabularies/authorities.ts'
import {
  type ConceptTable,
  mapKeepingFirst,
  lazy,
  currentFirst,
  iriKey,
  iriVariants,
  createConceptTable,
} from '../vocabularies/concept-table.ts'
import { type Concept, schemes } from '../vocabularies/concept.ts'
import { type FormatLookup, formatLookup } from '../vocabularies/formats.ts'
import { type LicenceLookup, licenceLookup } from '../vocabularies/licences.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'

/** Concepts by IRI, code and two-letter code, for mappings, which are synchronous. */
export class ConceptCache {
  readonly #bundled: VocabularyFiles
  /** Bundled concepts by IRI. */
  readonly #bundledByIri: ReadonlyMap<string, Concept>
  readonly #tables: Map<string, ConceptTable>
  readonly #large = new Map<string, RegisteredConcepts>()
  #lookups: ReturnType<typeof lookupsOf>
  #revision = 0

  constructor(bundled: VocabularyFiles) {
    this.#bundled = bundled
    this.#bundledByIri = new Map(
      [...bundled.tables.values()].flat().map((concept) => [concept.iri, concept]),
    )
    this.#tables = new Map(
      [...bundled.tables].map(([scheme, concepts]) => [scheme, createConceptTable(concepts)]),
    )
    this.#lookups = lookupsOf(this.#tables, this.#large, this.#bundled)
  }

  /**
   * Finds a concept by IRI: exact, then with http and https exchanged, then without a trailing `/`, then by `iriKey` (in any
   * case, with or without `www.`), which does not find those of large vocabularies.
   */
  find(iri: string): Concept | undefined {
    const finders = this.#lookups.finders()
    // Nearly all records spell IRIs as the vocabulary does.
    return (
      finders[0]?.(iri) ?? findBySpelling(iri, finders) ?? this.#lookups.byIriKey().get(iriKey(iri))
    )
  }

  /** Finds a concept of one vocabulary by IRI, in the spellings of `iriVariants`. */
  findInScheme(scheme: string, iri: string): Concept | undefined {
    const lookup = this.#tables.get(scheme)?.byIri ?? this.#large.get(scheme)?.get
    return lookup && findBySpelling(iri, [lookup])
  }

  /** Finds a concept by code, in any case; current concepts before deprecated ones. */
  byCode(scheme: string, code: string): Concept | undefined {
    return this.#tables.get(scheme)?.byCode(code)
  }

  /** Finds a country or language by its two-letter code in lower case. */
  byAlpha2(scheme: string, code: string): Concept | undefined {
    return this.#tables.get(scheme)?.byAlpha2(code)
  }

  /** Tables in use, in the form that the lookups of `vocabularies/` expect. */
  get authorities(): Authorities {
    return this.#lookups.authorities()
  }

  /** Lookup of licences by name or IRI. */
  get licences(): LicenceLookup {
    return this.#lookups.licences()
  }

  /** Lookup of file formats by name or media type. */
  get formats(): FormatLookup {
    return this.#lookups.formats()
  }

  /** Lists the concepts of a scheme; empty for a large vocabulary and an unknown scheme. */
  concepts(scheme: string): readonly Concept[] {
    return this.#tables.get(scheme)?.concepts ?? []
  }

  /** Lists the bundled concepts of a scheme. */
  bundled(scheme: string): readonly Concept[] {
    return this.#bundled.tables.get(scheme) ?? []
  }

  /** Returns a stored concept, completed with facts of the bundled concept with the same IRI. */
  withBundledFacts(concept: Concept): Concept {
    return addMissingFacts(concept, this.#bundledByIri.get(concept.iri))
  }

  /** Counter that grows with every replacement. */
  get revision(): number {
    return this.#revision
  }

  /** Registered concepts of the vocabularies that do not fit into memory, by scheme. */
  get largeVocabularies(): ReadonlyMap<string, RegisteredConcepts> {
    return this.#large
  }

  /** Replaces the vocabulary of a scheme by a stored one; `undefined` brings the bundled one back, if there is one. */
  replace(scheme: string, concepts: readonly Concept[] | undefined): void {
    this.#large.delete(scheme)
    const newConcepts =
      concepts?.map((concept) => this.withBundledFacts(concept)) ?? this.#bundled.tables.get(scheme)
    this.#put(scheme, newConcepts && createConceptTable(newConcepts))
  }

  /**
   * Replaces the vocabulary by one that does not fit into memory: only its registered concepts are found, and only by IRI (no
   * codes, no exact matches).
   */
  replaceLarge(scheme: string): void {
    this.#large.set(scheme, new RegisteredConcepts())
    this.#put(scheme, undefined)
  }

  #put(scheme: string, table: ConceptTable | undefined): void {
    if (table) this.#tables.set(scheme, table)
    else this.#tables.delete(scheme)
    this.#lookups = lookupsOf(this.#tables, this.#large, this.#bundled)
    this.#revision += 1
  }
}

function addMissingFacts(concept: Concept, bundled: Concept | undefined): Concept {
  if (!bundled) return concept
  const fuller = <T>(stored: readonly T[], fallback: readonly T[]) =>
    stored.length > 0 ? stored : fallback
  return {
    ...concept,
    extensions: { ...bundled.extensions, ...concept.extensions },
    exactMatch: fuller(concept.exactMatch, bundled.exactMatch),
    mediaTypes: fuller(concept.mediaTypes, bundled.mediaTypes),
    endings: fuller(concept.endings, bundled.endings),
    machineReadable: concept.machineReadable || bundled.machineReadable,
    nonProprietary: concept.nonProprietary || bundled.nonProprietary,
  }
}

type Lookup = (iri: string) => Concept | undefined

/** Creates common lookups over all tables in use, each on first use. */
function lookupsOf(
  tables: ReadonlyMap<string, ConceptTable>,
  large: ReadonlyMap<string, RegisteredConcepts>,
  bundled: VocabularyFiles,
) {
  const conceptsOf = (scheme: string) => tables.get(scheme)?.concepts ?? []
  const listAll = () => [...tables.values()].flatMap(({ concepts }) => concepts)
  return {
    /** Lookups by IRI: tables before registered concepts of large vocabularies. */
    finders: lazy((): readonly Lookup[] => {
      const byIri = new Map(listAll().map((concept) => [concept.iri, concept]))
      return [(iri) => byIri.get(iri), ...[...large.values()].map(({ get }) => get)]
    }),
    byIriKey: lazy(() =>
      mapKeepingFirst(currentFirst(listAll()).map((concept) => [iriKey(concept.iri), concept])),
    ),
    authorities: lazy((): Authorities =>
      createAuthorities({ tables, mediaTypes: bundled.mediaTypes }),
    ),
    licences: lazy(() => {
      const withExactMatch = listAll().filter(
        ({ exactMatch, scheme }) => exactMatch.length > 0 && scheme !== schemes.licence,
      )
      return licenceLookup(conceptsOf(schemes.licence), currentFirst(withExactMatch))
    }),
    formats: lazy(() => formatLookup(conceptsOf(schemes.fileType))),
  }
}

/** Returns the first concept that a lookup finds for one of the spellings of an IRI. */
function findBySpelling(iri: string, lookups: readonly Lookup[]): Concept | undefined {
  for (const spelling of iriVariants(iri))
    for (const lookup of lookups) {
      const concept = lookup(spelling)
      if (concept) return concept
    }
  return undefined
}

/** Maximum number of cached IRIs, found or not; a batch of records looks up some thousand. */
const maxRegistered = 50_000

/** Recently used concepts of a large vocabulary; the others stay in the store. */
class RegisteredConcepts {
  /** Concepts by IRI; `null` where the store has no such concept. */
  readonly #concepts = new BoundedCache<Concept | null>('concepts', maxRegistered)

  readonly get = (iri: string): Concept | undefined => this.#concepts.peek(iri) ?? undefined

  /** Returns the IRIs that are not in the cache. */
  unregistered(iris: Iterable<string>): readonly string[] {
    return [...iris].filter((iri) => this.#concepts.get(iri) === undefined)
  }

  /** Records the result of a query to the store: IRIs without a concept are cached as missing. */
  register(iris: readonly string[], concepts: readonly Concept[]): void {
    const byIri = new Map(concepts.map((concept) => [concept.iri, concept]))
    for (const iri of iris) this.#concepts.set(iri, byIri.get(iri) ?? null)
  }
}
