/** A repository with a dataset of two distributions, and what tests ask of it. */

import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'

export const source = `${prefixes}<https://example.org/ds/1> a dcat:Dataset ; dct:title "Water"@en ;
  dct:publisher <https://example.org/board> ; dcat:contactPoint [ foaf:name "Desk" ] ;
  dcat:distribution <https://example.org/dist/1> , <https://example.org/dist/2> .
<https://example.org/board> a foaf:Agent ; foaf:name "Board" .
<https://example.org/licence> a dct:LicenseDocument ; dct:title "Open" .
<https://example.org/own> a dct:LicenseDocument ; dct:title "Ours" .
<https://example.org/dist/1> a dcat:Distribution ; dct:title "First"@en ; dct:license <https://example.org/licence> ;
  dct:rights <https://example.org/own> , [ dct:title "Mine" ] .
<https://example.org/dist/2> a dcat:Distribution ; dct:title "Second" ; dct:license <https://example.org/licence> .`

export async function distributionsFixture() {
  const repo = await repository()
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')

  const graphOf = async (id: string) => (await repo.store.read(`${base}set/data/${id}`)) ?? ''
  /** The lines of a dataset's graph without its record. */
  const content = async (id: string) =>
    (await graphOf(id)).split('\n').filter((line) => !/record|checksumValue/.test(line))

  /** Ids of the distributions by title, and of all that are linked. */
  const ids = async (dataset: string) => {
    const lines = (await graphOf(dataset)).split('\n')
    const named = lines.flatMap(
      (line) => /data\/[^>]*> <[^>]*#distribution> <([^>]+)>/.exec(line)?.[1] ?? [],
    )
    const titled = (title: string) =>
      named.find((iri) => lines.some((line) => line.startsWith(`<${iri}>`) && line.includes(title)))
    const id = (iri: string | undefined) => iri?.split('/').at(-1) ?? 'none'
    return { first: id(titled('"First"')), second: id(titled('"Second"')), all: named.map(id) }
  }

  const send = (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ) => repo.ask(path, { method, headers, ...(body !== undefined && { type: 'text/turtle', body }) })
  const post = (dataset: string, body: string) =>
    send('POST', `/datasets/${dataset}/distributions`, body)
  const turtle = async (path: string) =>
    (await repo.ask(path, { headers: { Accept: 'text/turtle' } })).text()
  const quads = async (path: string) => parse(await turtle(path), 'turtle', { baseIri: base })

  let count = 0
  /** Puts the source as a new dataset; answers its id. */
  const fresh = async () => {
    const dataset = `water-${(count += 1)}`
    await repo.putDataset('alpine-water', dataset, source)
    return dataset
  }

  return { ...repo, graphOf, content, ids, send, post, turtle, quads, fresh }
}
