/** The concept cache of a process: bundled tables, replaced by stored vocabularies of the same scheme. */

import { type Authorities, authoritiesOf, type Bundled } from '../vocabularies/authorities.ts'
import {
  type ConceptTable,
  firstWins,
  once,
  preferred,
  similarIri,
  spellings,
  tableOf,
} from '../vocabularies/concept-table.ts'
import { type Concept, schemes } from '../vocabularies/concept.ts'
import { type FormatLookup, formatLookup } from '../vocabularies/formats.ts'
import { type LicenceLookup, licenceLookup } from '../vocabularies/licences.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'

/** Concepts by IRI, code and two-letter code, for mappings, which do not wait. */
export class ConceptCache {
  readonly #bundled: Bundled
  /** Bundled concepts by IRI. */
  readonly #shipped: ReadonlyMap<string, Concept>
  readonly #tables: Map<string, ConceptTable>
  readonly #large = new Map<string, RegisteredConcepts>()
  #lookups: ReturnType<typeof lookupsOf>
  #revision = 0

  constructor(bundled: Bundled) {
    this.#bundled = bundled
    this.#shipped = new Map([...bundled.tables.values()].flat().map((one) => [one.iri, one]))
    this.#tables = new Map([...bundled.tables].map(([scheme, all]) => [scheme, tableOf(all)]))
    this.#lookups = lookupsOf(this.#tables, this.#large, this.#bundled)
  }

  /** By IRI: exact, then with http and https exchanged, then without a trailing `/`, then in any case. */
  find(iri: string): Concept | undefined {
    const finders = this.#lookups.finders()
    // Nearly all records write IRIs as the vocabulary does.
    return (
      finders[0]?.(iri) ?? spelled(iri, finders) ?? this.#lookups.similar().get(similarIri(iri))
    )
  }

  /** The same in one vocabulary. */
  within(scheme: string, iri: string): Concept | undefined {
    const lookup = this.#tables.get(scheme)?.byIri ?? this.#large.get(scheme)?.get
    return lookup && spelled(iri, [lookup])
  }

  /** By code, any case; current concepts before deprecated ones. */
  byCode(scheme: string, code: string): Concept | undefined {
    return this.#tables.get(scheme)?.byCode(code)
  }

  /** Countries and languages by two-letter code in lower case. */
  byAlpha2(scheme: string, code: string): Concept | undefined {
    return this.#tables.get(scheme)?.byAlpha2(code)
  }

  /** The tables in use, as the lookups of `vocabularies/` ask for them. */
  get authorities(): Authorities {
    return this.#lookups.authorities()
  }

  get licences(): LicenceLookup {
    return this.#lookups.licences()
  }

  get formats(): FormatLookup {
    return this.#lookups.formats()
  }

  /** None of a large vocabulary. */
  concepts(scheme: string): readonly Concept[] {
    return this.#tables.get(scheme)?.concepts ?? []
  }

  /** The concepts that the product ships. */
  bundled(scheme: string): readonly Concept[] {
    return this.#bundled.tables.get(scheme) ?? []
  }

  /** A stored concept with what official tables do not say and the bundled concept of that IRI does. */
  withBundledFacts(concept: Concept): Concept {
    return completed(concept, this.#shipped.get(concept.iri))
  }

  /** Grows with every replacement. */
  get revision(): number {
    return this.#revision
  }

  get large(): ReadonlyMap<string, RegisteredConcepts> {
    return this.#large
  }

  /** A stored vocabulary takes the place of the bundled one; `undefined` brings that back. */
  replace(scheme: string, concepts: readonly Concept[] | undefined): void {
    this.#large.delete(scheme)
    const all =
      concepts?.map((one) => this.withBundledFacts(one)) ?? this.#bundled.tables.get(scheme)
    this.#put(scheme, all && tableOf(all))
  }

  /**
   * The same for a vocabulary that memory does not hold: only its concepts that were learnt are found, and only by IRI (no
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
  large: ReadonlyMap<string, RegisteredConcepts>,
  bundled: Bundled,
) {
  const of = (scheme: string) => tables.get(scheme)?.concepts ?? []
  const every = () => [...tables.values()].flatMap(({ concepts }) => concepts)
  return {
    /** By IRI: tables before parts of large vocabularies. */
    finders: once((): readonly Lookup[] => {
      const all = new Map(every().map((concept) => [concept.iri, concept]))
      return [(iri) => all.get(iri), ...[...large.values()].map(({ get }) => get)]
    }),
    similar: once(() => firstWins(preferred(every()).map((one) => [similarIri(one.iri), one]))),
    authorities: once((): Authorities => authoritiesOf({ tables, mediaTypes: bundled.mediaTypes })),
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
const maxLearnt = 50_000

/** The part of a large vocabulary that records asked for lately; the rest stays in the store. */
class RegisteredConcepts {
  /** `null` where the store has no such concept. */
  readonly #concepts = new BoundedCache<Concept | null>('concepts', maxLearnt)

  readonly get = (iri: string): Concept | undefined => this.#concepts.peek(iri) ?? undefined

  /** Which of these nobody has asked for lately. */
  unregistered(iris: Iterable<string>): readonly string[] {
    return [...iris].filter((iri) => this.#concepts.get(iri) === undefined)
  }

  /** What the store said: every IRI that was asked for is known or known to be none. */
  register(asked: readonly string[], concepts: readonly Concept[]): void {
    const byIri = new Map(concepts.map((concept) => [concept.iri, concept]))
    for (const iri of asked) this.#concepts.set(iri, byIri.get(iri) ?? null)
  }
}
