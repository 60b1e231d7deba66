/** Turns marks on resources of the profile's own types into index changes. */

import type { IndexChange } from '../../search-index/search-index.ts'
import type { ResourceType } from '../../profile/fields.ts'
import { fromLines } from '../../rdf/lines.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Pending } from '../loop/queue.ts'
import type { GatherDeps } from './records.ts'

const factsQuery = loadQuery('resource-facts')

type Facts = { readonly hash?: string; readonly catalogue?: string }

type Wanted = Pending & { readonly id: string; readonly type: ResourceType }

/** The changes for resources of declared types. What the profile does not declare any more is in no index. */
export async function resourceChanges(
  deps: GatherDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const wanted = batch.flatMap((pending): Wanted[] => {
    const named = deps.names.typedIdOf(pending.resource)
    const type = deps.profile.resources.find(({ id }) => id === named?.type)
    return named && type ? [{ ...pending, id: named.id, type }] : []
  })
  if (wanted.length === 0) return []
  const iris = wanted.map(({ resource }) => resource)
  const [texts, facts] = await Promise.all([
    deps.store.readAll(iris, {}, signal),
    factsOf(deps, iris, signal),
  ])
  const gathered = []
  for (const one of wanted) {
    const text = texts.get(one.resource)
    const { hash = '', catalogue } = facts.get(one.resource) ?? {}
    const context = catalogue === undefined ? undefined : await deps.contexts.get(catalogue, signal)
    const graph = text === undefined ? undefined : graphOf(fromLines(text))
    gathered.push({ ...one, graph, hash, context })
  }
  const graphs = gathered.flatMap(({ graph, context }): (Graph | undefined)[] => [
    graph,
    context?.graph,
  ])
  await deps.stored.prepare(graphs, signal)
  return gathered.map(({ id, type, resource, version, graph, hash, context }): IndexChange => {
    const isHomeless = type.inCatalogue && (!context || context.hidden)
    if (!graph || isHomeless) return { remove: { index: `resource_${type.id}`, id, version } }
    const input = { id, iri: resource, version, hash, graph }
    return deps.told(
      deps.builder.resource(type, context ? { ...input, catalogue: context } : input),
    )
  })
}

async function factsOf(
  { store, names }: GatherDeps,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Facts>> {
  const resource = iris.map((iri) => namedNode(iri))
  const facts = new Map<string, Facts>()
  for (const row of await store.select(bind(factsQuery, { resource }), signal)) {
    const { resource: about, property, value } = row
    if (!about || !value) continue
    const name = property?.value.split('#').at(-1)
    const catalogue = names.idOf('catalogue', value.value)
    const known = facts.get(about.value) ?? {}
    if (name === 'hash') facts.set(about.value, { ...known, hash: value.value })
    else if (name === 'catalogue' && catalogue !== undefined)
      facts.set(about.value, { ...known, catalogue })
  }
  return facts
}
