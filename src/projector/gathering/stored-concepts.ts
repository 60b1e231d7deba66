/** Keeps the concept cache up with the vocabularies in the store. */

import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import type { Graph } from '../../rdf/read.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { spellings } from '../../vocabularies/concept-table.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { ConceptLookup } from '../building/enrichment.ts'
import type { ConceptCache } from '../concept-cache.ts'
import { conceptsIn, describedConcepts } from './stored-vocabulary.ts'

const vocabularies = loadQuery('vocabularies')

/** More vocabularies than this are not looked up by mappings. */
const most = 10_000
/** A concept in all languages takes about 5 KB. */
const usualRoom: Room = { one: 50_000, all: 100_000 }
/** IRIs looked up in one query. */
const page = 500

/** Concepts as they come in, until there are too many of them. */
type Collecting = {
  add(concepts: readonly Concept[]): boolean
  readonly found: () => readonly Concept[] | undefined
}

export type StoredConcepts = {
  /** For the concepts of a vocabulary; takes in as many as there is room for. */
  collecting(scheme: string): Collecting
  /** The present state of a vocabulary; `undefined` = more concepts than memory holds. */
  replace(vocabulary: string, scheme: string, concepts: readonly Concept[] | undefined): void
  /** The vocabulary is gone; a bundled table comes back. */
  forget(vocabulary: string): void
  /** Reads all stored vocabularies; to be called once before the first projection. */
  load(signal?: AbortSignal): Promise<void>
  /** Looks up in large vocabularies what a batch of records may mention, because mappings do not wait. */
  prepare(graphs: Iterable<Graph | undefined>, signal: AbortSignal): Promise<void>
  /** An indexed concept of a stored vocabulary; one that is not stored is named once in the log. */
  readonly lookup: ConceptLookup
}

/** Concepts of one vocabulary, and of all together, that memory holds. */
type Room = { readonly one: number; readonly all: number }

type Deps = {
  readonly store: GraphStore
  readonly names: Names
  readonly concepts: ConceptCache
  readonly log: Log
  readonly room?: Room
}

export function storedConcepts(deps: Deps): StoredConcepts {
  const { store, names, concepts } = deps
  const { one, all } = deps.room ?? usualRoom
  const schemes = new Map<string, string>()
  const sizes = new Map<string, number>()

  const room = (scheme: string) => {
    const others = [...sizes].reduce((sum, [one, size]) => sum + (one === scheme ? 0 : size), 0)
    return Math.min(one, all - others)
  }
  const drop = (scheme: string | undefined) => {
    if (scheme === undefined) return
    sizes.delete(scheme)
    concepts.replace(scheme, undefined)
  }
  const replace: StoredConcepts['replace'] = (vocabulary, scheme, found) => {
    const before = schemes.get(vocabulary)
    if (before !== scheme) drop(before)
    schemes.set(vocabulary, scheme)
    sizes.set(scheme, found?.length ?? 0)
    if (found) concepts.replace(scheme, found)
    else concepts.replaceLarge(scheme)
  }
  const collecting: StoredConcepts['collecting'] = (scheme) => collection(room(scheme))

  const load: StoredConcepts['load'] = async (signal) => {
    const rows = await store.select(paged(bind(vocabularies, {}), { limit: most }), signal)
    for (const { resource, scheme } of rows) {
      const id = names.idOf('vocabulary', resource?.value ?? '')
      if (id === undefined || !scheme) continue
      const collected = collecting(scheme.value)
      for await (const batch of conceptsIn(store, scheme.value, signal))
        if (!collected.add(batch)) break
      replace(id, scheme.value, collected.found())
    }
    if (schemes.size > 0) deps.log.info({ vocabularies: schemes.size }, 'concepts.loaded')
  }

  return {
    collecting,
    replace,
    load,
    forget: (vocabulary) => {
      drop(schemes.get(vocabulary))
      schemes.delete(vocabulary)
    },
    prepare: (graphs, signal) => prepare(deps, graphs, signal),
    lookup: lookupIn(deps, schemes),
  }
}

function collection(room: number): Collecting {
  const all: Concept[] = []
  let isFull = false
  return {
    add: (concepts) => {
      isFull ||= all.length + concepts.length > room
      if (isFull) all.length = 0
      else all.push(...concepts)
      return !isFull
    },
    found: () => (isFull ? undefined : all),
  }
}

function lookupIn({ concepts, log }: Deps, schemes: ReadonlyMap<string, string>): ConceptLookup {
  const absent = new Set<string>()
  return (vocabulary, iri) => {
    const scheme = schemes.get(vocabulary)
    if (scheme === undefined) {
      if (!absent.has(vocabulary)) log.warn({ vocabulary }, 'enrichment.vocabularyAbsent')
      absent.add(vocabulary)
      return undefined
    }
    const concept = concepts.within(scheme, iri)
    return concept && Object.keys(concept.prefLabel).length > 0 ? concept : undefined
  }
}

async function prepare(
  { store, concepts }: Deps,
  graphs: Iterable<Graph | undefined>,
  signal: AbortSignal,
): Promise<void> {
  if (concepts.large().size === 0) return
  const wanted = new Set<string>()
  for (const iri of irisIn(graphs)) for (const spelling of spellings(iri)) wanted.add(spelling)
  for (const [scheme, part] of concepts.large()) {
    const unasked = part.unasked(wanted)
    for (let at = 0; at < unasked.length; at += page) {
      const asked = unasked.slice(at, at + page)
      const found = await describedConcepts(store, { scheme, iris: asked }, signal)
      part.learn(
        asked,
        found.map((concept) => concepts.completed(concept)),
      )
    }
  }
}

// The IRIs that graphs mention: what records may have to be looked up for.

/** Literals count where they spell an IRI out: mappings take them for one. */
function irisIn(graphs: Iterable<Graph | undefined>): ReadonlySet<string> {
  const iris = new Set<string>()
  for (const graph of new Set(graphs)) {
    for (const { object } of graph?.quads() ?? []) {
      if (object.termType === 'NamedNode') iris.add(object.value)
      else if (object.termType === 'Literal' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(object.value))
        iris.add(object.value)
    }
  }
  return iris
}
