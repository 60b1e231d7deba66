/** Restores addresses that earlier versions renamed: access URLs, pages and the like that are IRIs of the platform. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { fromLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct, foaf, prov, vcard } from '../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { RepositoryContext } from './context.ts'
import { editDataset } from './writing/dataset-writer.ts'
import { findById, type LocatedDataset } from './writing/find-datasets.ts'

const damagedQuery = loadQuery('renamed-addresses')

/** Predicates whose objects are addresses at the source. */
const predicates = [
  dcat('accessURL'),
  dcat('downloadURL'),
  dcat('landingPage'),
  dcat('endpointURL'),
  dcat('endpointDescription'),
  foaf('page'),
  foaf('homepage'),
  vcard('hasURL'),
  prov('used'),
]
const isAddress = new Set(predicates.map(({ value }) => value))

/** Graphs that are looked for at once. */
const page = 1000

/** A sentence for every address that is restored or cannot be, then how many they are. With `dryRun` nothing is written. */
export async function* repairAddresses(
  context: RepositoryContext,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let [restored, left] = [0, 0]
  for await (const graph of damagedGraphs(context, signal)) {
    for (const one of await repairGraph(context, { graph, dryRun }, signal)) {
      if (one.address === undefined) left += 1
      else restored += 1
      yield told(one, dryRun)
    }
  }
  if (restored + left === 0) return
  yield `${restored} ${dryRun ? 'can be restored' : 'restored'}, ${left} cannot: sources that send them again, changed, put them right`
}

async function* damagedGraphs(
  { store, names }: RepositoryContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const query = bind(damagedQuery, {
      predicate: predicates,
      base: literal(names.base),
      genid: literal(names.genidPrefix),
      after: literal(after),
    })
    const rows = await store.select(paged(query, { limit: page }), signal)
    const graphs = rows.flatMap(({ graph }) => graph?.value ?? [])
    yield* graphs
    if (graphs.length < page) return
    after = graphs.at(-1) ?? ''
  }
}

/** One statement whose object should be an address; `address` is what it was at the source, if that is known. */
type Damage = { readonly quad: Quad; readonly address: string | undefined }

const told = (
  { quad: { subject, predicate, object }, address }: Damage,
  dryRun: boolean,
): string => {
  const name = predicate.value.replace(/^.*[#/]/, '')
  const where = `${name} of ${subject.value}`
  if (address === undefined) return `${where} is ${object.value}, and nothing says what it was`
  return `${where} ${dryRun ? 'would be' : 'is'} ${address} again`
}

type Asked = { readonly graph: string; readonly dryRun: boolean }

async function repairGraph(
  context: RepositoryContext,
  { graph, dryRun }: Asked,
  signal: AbortSignal,
): Promise<readonly Damage[]> {
  const { names, store } = context
  const located = await datasetOf(context, graph, signal)
  if (dryRun || !located) {
    const found = damageIn(fromLines((await store.read(graph, {}, signal)) ?? ''), names)
    // Of what is no dataset in a catalogue only a new delivery knows the addresses.
    return located ? found : found.map((one) => ({ ...one, address: undefined }))
  }
  const { result } = await editDataset(
    context,
    located,
    async (quads) => {
      const found = damageIn(quads, names)
      const fresh = new Map(found.flatMap(({ quad: one, address }) => mended(one, address)))
      if (fresh.size === 0) return { result: found }
      return { graph: quads.map((one) => fresh.get(one) ?? one), result: found }
    },
    signal,
  )
  return result
}

const mended = (one: Quad, address: string | undefined): [Quad, Quad][] =>
  address === undefined ? [] : [[one, quad(one.subject, one.predicate, namedNode(address))]]

/** The dataset of a graph; `undefined` for other graphs and for what is in no catalogue. */
async function datasetOf(
  context: RepositoryContext,
  graph: string,
  signal: AbortSignal,
): Promise<LocatedDataset | undefined> {
  const id = context.names.idOf('dataset', graph)
  if (id === undefined) return undefined
  try {
    return await findById(context, id, signal)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unknown-dataset') return undefined
    throw error
  }
}

/** The damaged statements of a graph. What a distribution was called at its source is its `dct:identifier`, if that is one URL. */
function damageIn(quads: readonly Quad[], names: Names): readonly Damage[] {
  const identifiers = Map.groupBy(
    quads.filter(({ predicate }) => predicate.value === dct('identifier').value),
    ({ subject }) => subject.value,
  )
  const addressOf = (node: string): string | undefined => {
    if (names.idOf('distribution', node) === undefined) return undefined
    const urls = (identifiers.get(node) ?? []).flatMap(({ object }) => urlIn(object.value) ?? [])
    return urls.length === 1 ? urls[0] : undefined
  }
  return quads
    .filter(({ predicate, object }) => isAddress.has(predicate.value) && isOurs(object, names))
    .map((one) => ({ quad: one, address: addressOf(one.object.value) }))
}

/** Whether an object is the name of something that may have come under its address. */
const isOurs = ({ termType, value }: Quad['object'], names: Names): boolean =>
  termType === 'NamedNode' && names.owns(value) && !value.startsWith(names.genidPrefix)

const urlIn = (text: string): string | undefined =>
  /^(?:https?|ftps?):\/\/[^\s<>"{}|\\^`]+$/i.test(text) ? text : undefined
