/** Distributions as resources of their own inside the graph of their dataset: read, add, replace, remove. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { graphOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Mark } from '../../store/marks.ts'
import { identifierOf, storedTwin } from '../content/distribution-iris.ts'
import type { Outcome, WritingDeps } from '../deps.ts'
import { editDataset, type DatasetPlace } from '../writing/dataset-edit.ts'
import type { DatasetPut } from '../writing/dataset-plan.ts'
import { describe, descriptionHash, withoutOwn } from './description.ts'
import { received } from './received.ts'

const graphsOf = loadQuery('distribution-datasets')

type DistributionPut = Pick<DatasetPut, 'body' | 'precondition'> & {
  readonly dataset: DatasetPlace
  /** Id of the distribution. */
  readonly id: string
}

export type Distributions = {
  /** Ids of the datasets whose graph holds the distribution; more than one only when direct writers made it so. */
  datasetsOf(id: string, signal: AbortSignal): Promise<readonly string[]>
  /** What describes it, skolemised, and the hash of that; `undefined` when the dataset has no such distribution. */
  read(
    dataset: string,
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly lines: string; readonly hash: string } | undefined>
  /** Fails with `already-exists`, `missing-class`, `ambiguous-subject`, `invalid-content` and as an edit does. */
  create(request: Omit<DistributionPut, 'id'>, signal: AbortSignal): Promise<Outcome>
  /** Keeps the IRI, and the identifiers when the body has none; fails like `create` and with `unknown-distribution`. */
  replace(request: DistributionPut, signal: AbortSignal): Promise<Outcome>
  remove(request: Omit<DistributionPut, 'body'>, signal: AbortSignal): Promise<Mark>
}

export const unknownDistribution = (id: string) =>
  new Failure('unknown-distribution', `there is no distribution "${id}"`)

export function distributions(deps: WritingDeps): Distributions {
  const { store, names } = deps

  const datasetsOf: Distributions['datasetsOf'] = async (id, signal) => {
    const distribution = namedNode(names.distribution(id))
    const rows = await store.select(bind(graphsOf, { distribution }), signal)
    return rows.flatMap((row) => names.idOf('dataset', row['dataset']?.value ?? '') ?? []).sort()
  }

  const read: Distributions['read'] = async (dataset, id, signal) => {
    const text = await store.read(names.dataset(dataset), {}, signal)
    const iri = names.distribution(id)
    const quads = fromLines(text ?? '')
    if (!isThere(quads, iri)) return undefined
    const description = describe(graphOf(quads), iri, names)
    return { lines: toLines(description), hash: await descriptionHash(description, names) }
  }

  return {
    datasetsOf,
    read,
    create: (request, signal) => create(deps, request, signal),
    replace: (request, signal) => replace(deps, request, signal),
    remove: (request, signal) => remove(deps, request, signal),
  }
}

const isThere = (graph: readonly Quad[], iri: string): boolean =>
  graph.some(
    ({ subject, predicate, object }) =>
      subject.value === iri ||
      (object.value === iri && predicate.value === dcat('distribution').value),
  )

const linkOf = (dataset: string, distribution: string): Quad =>
  quad(namedNode(dataset), dcat('distribution'), namedNode(distribution))

/** Blank nodes get names under the distribution, so that they never meet those of another one. */
async function ground(
  { names, canonical }: WritingDeps,
  quads: readonly Quad[],
  iri: string,
): Promise<Quad[]> {
  const { labels } = await canonicalise(quads, canonical)
  return skolemise(quads, { genid: names.genid(iri), labels })
}

async function create(
  deps: WritingDeps,
  request: Omit<DistributionPut, 'id'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { names } = deps
  const iri = names.distribution(deps.uuid())
  const place = { iri, dataset: names.dataset(request.dataset.id) }
  const { quads, keys } = received(await request.body.parse(iri), place, names)
  const added = await ground(deps, [...quads, ...identifierOf(keys, iri)], iri)
  const edit = async (graph: readonly Quad[]) => {
    const twin = storedTwin(keys, graph)
    if (twin !== undefined) throw alreadyExists(twin)
    request.precondition(undefined)
    const after = [...graph, linkOf(names.dataset(request.dataset.id), iri), ...added]
    return { graph: after, result: await hashIn(deps, after, iri) }
  }
  const { result: hash, ...written } = await editDataset(deps, request.dataset, edit, signal)
  const { catalogue } = request.dataset
  return { kind: 'created', iri, catalogue, hash, modified: undefined, ...written }
}

async function replace(
  deps: WritingDeps,
  request: DistributionPut,
  signal: AbortSignal,
): Promise<Outcome> {
  const { names } = deps
  const iri = names.distribution(request.id)
  const place = { iri, dataset: names.dataset(request.dataset.id) }
  const { quads, keys } = received(await request.body.parse(iri), place, names)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash } = await stored(deps, graph, request)
    request.precondition(hash)
    const known = description.filter(
      (q) => q.subject.value === iri && q.predicate.value === dct('identifier').value,
    )
    const identifiers = known.length > 0 ? known : identifierOf(keys, iri)
    const sent = keys.identifiers.length > 0 ? quads : [...quads, ...identifiers]
    const after = [...withoutOwn(graph, iri, description), ...(await ground(deps, sent, iri))]
    const next = await hashIn(deps, after, iri)
    return next === hash ? { result: hash } : { graph: after, result: next }
  }
  const { result: hash, ...written } = await editDataset(deps, request.dataset, edit, signal)
  const kind = written.mark ? 'updated' : 'unchanged'
  const { catalogue } = request.dataset
  return { kind, iri, catalogue, hash, modified: undefined, ...written }
}

async function remove(
  deps: WritingDeps,
  request: Omit<DistributionPut, 'body'>,
  signal: AbortSignal,
): Promise<Mark> {
  const iri = deps.names.distribution(request.id)
  const edit = async (graph: readonly Quad[]) => {
    const { description, hash } = await stored(deps, graph, request)
    request.precondition(hash)
    const isLink = ({ predicate, object }: Quad) =>
      object.value === iri && predicate.value === dcat('distribution').value
    const rest = withoutOwn(graph, iri, description).filter((q) => !isLink(q))
    return { graph: rest, result: undefined }
  }
  const { mark } = await editDataset(deps, request.dataset, edit, signal)
  if (!mark) throw new Error('a removal is a change')
  return mark
}

/** What the graph says of the distribution under the lock; fails when it has gone meanwhile. */
async function stored(
  { names }: WritingDeps,
  graph: readonly Quad[],
  { id }: Pick<DistributionPut, 'id'>,
) {
  const iri = names.distribution(id)
  if (!isThere(graph, iri)) throw unknownDistribution(id)
  const description = describe(graphOf(graph), iri, names)
  return { description, hash: await descriptionHash(description, names) }
}

const hashIn = ({ names }: WritingDeps, graph: readonly Quad[], iri: string): Promise<string> =>
  descriptionHash(describe(graphOf(graph), iri, names), names)

const alreadyExists = (iri: string) =>
  new Failure('already-exists', `the dataset has this distribution already: ${iri}`)
