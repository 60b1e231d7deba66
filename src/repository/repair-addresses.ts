/** Restores addresses that earlier versions renamed: access URLs, pages and the like that are IRIs of the platform. */

import type { Quad } from '@rdfjs/types'
import { fromLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct, foaf, prov, vcard } from '../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { RepositoryContext } from './context.ts'
import { editDataset } from './writing/dataset-writer.ts'
import { datasetPlaces } from './writing/find-datasets.ts'

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
    for (const { quad: damaged, address } of await repairGraph(context, graph, dryRun, signal)) {
      const { subject, predicate, object } = damaged
      const where = `${predicate.value.replace(/^.*[#/]/, '')} of ${subject.value}`
      if (address === undefined) {
        left += 1
        yield `${where} is ${object.value}, and nothing says what it was`
      } else {
        restored += 1
        yield `${where} ${dryRun ? 'would be' : 'is'} ${address} again`
      }
    }
  }
  if (restored + left === 0) return
  yield `${restored} ${dryRun ? 'can be restored' : 'restored'}, ${left} cannot: sources that send them again, changed, put them right`
}

async function* damagedGraphs(
  { store, names }: RepositoryContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const values = {
    predicate: predicates,
    base: literal(names.base),
    genid: literal(names.genidPrefix),
  }
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const query = bind(damagedQuery, { ...values, after: literal(after) })
    const rows = await store.select(paged(query, { limit: page }), signal)
    const graphs = rows.flatMap(({ graph }) => graph?.value ?? [])
    yield* graphs
    if (graphs.length < page) return
    after = graphs.at(-1) ?? ''
  }
}

/** One statement whose object should be an address; `address` is what it was at the source, if that is known. */
type Damage = { readonly quad: Quad; readonly address?: string | undefined }

async function repairGraph(
  context: RepositoryContext,
  graph: string,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<readonly Damage[]> {
  const { names, store } = context
  const id = names.idOf('dataset', graph)
  const located =
    id === undefined ? undefined : (await datasetPlaces(context, [id], signal)).get(id)
  if (dryRun || !located) {
    const found = damageIn(fromLines((await store.read(graph, {}, signal)) ?? ''), names)
    // Of what is no dataset in a catalogue only a new delivery knows the addresses.
    return located ? found : found.map((one) => ({ quad: one.quad }))
  }
  const edit = async (quads: readonly Quad[]) => {
    const found = damageIn(quads, names)
    const fresh = new Map(
      found.flatMap(({ quad: one, address }) =>
        address === undefined
          ? []
          : [[one, quad(one.subject, one.predicate, namedNode(address))] as const],
      ),
    )
    if (fresh.size === 0) return { result: found }
    return { graph: quads.map((one) => fresh.get(one) ?? one), result: found }
  }
  return (await editDataset(context, located, edit, signal)).result
}

/** The damaged statements of a graph. What a distribution was called at its source is its `dct:identifier`, if that is one URL. */
function damageIn(quads: readonly Quad[], names: Names): readonly Damage[] {
  const identifiers = Map.groupBy(
    quads.filter(({ predicate }) => predicate.value === dct('identifier').value),
    ({ subject }) => subject.value,
  )
  const addressOf = (node: string): string | undefined => {
    if (names.idOf('distribution', node) === undefined) return undefined
    const said = (identifiers.get(node) ?? []).map(({ object }) => object.value)
    const [url, ...more] = said.filter((text) => isUrl.test(text))
    return more.length === 0 ? url : undefined
  }
  return quads
    .filter(({ predicate, object }) => isAddress.has(predicate.value) && isOurs(object, names))
    .map((one) => ({ quad: one, address: addressOf(one.object.value) }))
}

/** Whether an object is the name of something that may have come under its address. */
const isOurs = ({ termType, value }: Quad['object'], names: Names): boolean =>
  termType === 'NamedNode' && names.owns(value) && !value.startsWith(names.genidPrefix)

const isUrl = /^(?:https?|ftps?):\/\/[^\s<>"{}|\\^`]+$/i
