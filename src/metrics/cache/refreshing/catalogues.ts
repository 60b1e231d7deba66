/** The catalogues of the store, those apart that say of themselves that they are hidden. */

import { dct } from '../../../rdf/namespaces.ts'
import { fromLines } from '../../../rdf/lines.ts'
import type { Names } from '../../../rdf/names.ts'
import { graphOf, type Graph } from '../../../rdf/read.ts'
import { literal, namedNode } from '../../../rdf/terms.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import { localName } from '../../words/terms.ts'
import type { CatalogueFigures } from '../figures.ts'
import { countryOf } from './places.ts'
import { languagesOf, textsOf } from './texts.ts'

const queries = { all: loadQuery('catalogue-ids'), members: loadQuery('member-ids') }

export type Source = {
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly names: Names
}

/** Ids of all catalogues, ascending. */
export async function catalogueIds(
  { store, names }: Source,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const prefix = literal(names.catalogue(''))
  return packed(await store.select(bind(queries.all, { prefix }), signal))
}

/** Ids of the datasets of a catalogue, ascending. */
export async function memberIds(
  { store, names }: Source,
  catalogue: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const values = {
    catalogue: namedNode(names.catalogue(catalogue)),
    prefix: literal(names.dataset('')),
  }
  return packed(await store.select(bind(queries.members, values), signal))
}

const packed = (rows: Awaited<ReturnType<GraphStore['select']>>): readonly string[] =>
  [...new Set(rows.flatMap((row) => row['ids']?.value.split(' ') ?? []))]
    .filter((id) => id !== '')
    .sort()

/** What catalogues say of themselves; those that are absent are no keys, hidden ones are `hidden`. */
export async function catalogueFacts(
  { store, names }: Source,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CatalogueFigures | 'hidden'>> {
  const texts = await store.readAll(ids.map(names.catalogue), { links: false }, signal)
  const found = new Map<string, CatalogueFigures | 'hidden'>()
  for (const id of ids) {
    const iri = names.catalogue(id)
    const text = texts.get(iri)
    if (text !== undefined) found.set(id, factsOf(id, iri, graphOf(fromLines(text))))
  }
  return found
}

const atOnce = 100

/** The same of however many. */
export async function allFacts(source: Source, ids: readonly string[], signal: AbortSignal) {
  const facts = new Map<string, CatalogueFigures | 'hidden'>()
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = await catalogueFacts(source, ids.slice(at, at + atOnce), signal)
    for (const [id, one] of some) facts.set(id, one)
  }
  return facts
}

function factsOf(id: string, iri: string, graph: Graph): CatalogueFigures | 'hidden' {
  if (isHidden(graph, iri)) return 'hidden'
  const of = (name: string) => graph.objects(iri, dct(name))
  const places = of('spatial').filter(({ termType }) => termType === 'NamedNode')
  return {
    id,
    titles: textsOf(of('title')),
    descriptions: textsOf(of('description')),
    languages: languagesOf(of('language')),
    country: countryOf(places.map(({ value }) => value)),
    type: typeOf(of('type').map(({ value }) => value.trim())),
  }
}

/** A property with the local name `visibility`, in any namespace, that says `hidden`: as search takes it. */
function isHidden(graph: Graph, iri: string): boolean {
  return [...graph.predicates(iri)]
    .filter((predicate) => localName(predicate) === 'visibility')
    .flatMap((predicate) => graph.objects(iri, predicate))
    .some((term) =>
      term.termType === 'Literal' ? term.value === 'hidden' : localName(term.value) === 'hidden',
    )
}

/** `dcat-ap` before all others, because it decides what is measured. */
function typeOf(values: readonly string[]): string | null {
  const types = values.map((value) =>
    /^[a-z][a-z0-9+.-]*:/i.test(value) ? localName(value) : value,
  )
  return types.find((type) => type.toLowerCase() === 'dcat-ap') ?? types[0] ?? null
}
