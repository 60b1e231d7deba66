/** Every answer of a platform's search service, checked by the schema that the service itself serves. */

import { servedSchemas, type Fault } from './served-schemas.ts'

/** A fault with the address of the answer, the IRI of the record in which it is, and the id of that one's catalogue. */
type Finding = Fault & {
  readonly address: string
  readonly record: string
  readonly catalogue: string
}

type Json = Readonly<Record<string, unknown>>

export type Checked = { readonly answers: number; readonly findings: readonly Finding[] }

/** Asks for every record by its id, and for all of them page by page. `service` is the address of the search service. */
export async function checkAnswers(service: string): Promise<Checked> {
  const get = async (address: string): Promise<unknown> => {
    const answer = await fetch(service + address)
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const document = await get('/openapi.json')
  const served = servedSchemas(document)
  const findings: Finding[] = []
  let answers = 0
  const note = (address: string, { resource, catalog }: Json, faults: readonly Fault[]) => {
    const catalogue = String((catalog as Json | undefined)?.['id'])
    const from = { address, record: String(resource), catalogue }
    findings.push(...faults.map((fault) => ({ ...fault, ...from })))
  }
  const check = async (path: string, address: string) => {
    const body = (await get(address)) as { readonly result?: Json } & readonly string[]
    answers += 1
    const faults = served.answer(path, body).map((fault) => ({
      ...fault,
      path: fault.path.replace(/^result(\.results)?\./, ''),
    }))
    note(address, body.result ?? {}, faults)
    return { ids: body, result: body.result ?? {} }
  }
  const each = async (path: string, ids: readonly string[]) => {
    for (const id of ids) await check(path, path.replace('{id}', encodeURIComponent(id)))
  }

  const { ids: catalogues } = await check('/catalogues', '/catalogues')
  await each('/catalogues/{id}', catalogues)
  for (const catalogue of catalogues) {
    const { ids } = await check('/datasets', `/datasets?catalogue=${encodeURIComponent(catalogue)}`)
    await each('/datasets/{id}', ids)
  }
  for (const id of (await check('/vocabularies', '/vocabularies')).ids) {
    const { result } = await check('/vocabularies/{id}', `/vocabularies/${id}`)
    for (const concept of (result['results'] as readonly Json[]).slice(0, 50)) {
      const [name, iri] = [concept['id'], concept['resource']].map((one) =>
        encodeURIComponent(String(one)),
      )
      await check('/vocabularies/{vocabulary}/{id}', `/vocabularies/${id}/${name}`)
      const byIri = `/vocabularies/${id}/vocable?resource=${iri}`
      await check('/vocabularies/{vocabulary}/vocable', byIri)
    }
  }
  const { paths } = document as { paths: object }
  const types = '/resources' in paths ? (await check('/resources', '/resources')).ids : []
  for (const type of types) {
    for (const id of (await check('/resources/{type}', `/resources/${type}`)).ids)
      await check('/resources/{type}/{id}', `/resources/${type}/${encodeURIComponent(id)}`)
  }
  await checkPages()
  return { answers, findings }

  async function checkPages() {
    const hits = new Map(served.names.flatMap((name) => indexOf(document, name)))
    const limit = 200
    for (let page = 0; ; page++) {
      const address = `/search?showScore=true&limit=${limit}&page=${page}`
      const { result } = await check('/search', address)
      const results = result['results'] as readonly Json[]
      // The union has a form for reduced hits, into which everything fits: each is held to its own.
      for (const hit of results) {
        const name = hits.get(String(hit['index']))
        if (name === undefined) throw new Error(`no schema of hits in ${String(hit['index'])}`)
        note(address, hit, served.component(name, hit))
      }
      if (results.length < limit) break
    }
    for (const filters of ['dataset', 'catalogue', 'vocabulary', 'dataset,catalogue', 'resource'])
      await check('/search', `/search?filters=${filters}`)
    await check('/search', '/search?filters=dataset&countOnly=true')
    await check('/search', '/search?includes=id,title.en,distributions.format.id')
  }
}

/** The index whose hits a component describes. */
function indexOf(document: unknown, name: string): [string, string][] {
  type Hit = { properties?: { index?: { const?: string } } }
  const { components } = document as { components: { schemas: Record<string, Hit> } }
  const index = components.schemas[name]?.properties?.index?.const
  return index === undefined ? [] : [[index, name]]
}
