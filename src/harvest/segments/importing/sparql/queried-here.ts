/** Files and triple pattern fragments, queried from here by Comunica, which is loaded when it is wanted. */
import type { Quad } from '@rdfjs/types'
import type { Row } from '../../../../store/graph-store.ts'
import { documentOf } from '../rdf/document.ts'
import type { Asking, Endpoint } from './endpoint.ts'

const batchSize = 1000

/** Every request of the engine goes through the source: guarded, polite and counted. */
export async function queriedHere(
  { config, source }: Asking,
  kind: 'file' | 'fragments',
): Promise<Endpoint> {
  const { QueryEngine } = await import('@comunica/query-sparql')
  const engine = new QueryEngine()
  const type = kind === 'file' ? 'file' : 'qpf'
  const get = fetchBy(source, kind === 'file')
  const options: Parameters<typeof engine.queryBindings>[1] = {
    sources: [{ type, value: config.address }],
    fetch: get,
    lenient: true,
  }
  return {
    select: async (query) => {
      const rows: Row[] = []
      for await (const bindings of await engine.queryBindings(query, options))
        rows.push(Object.fromEntries([...bindings].map(([name, term]) => [name.value, term])))
      return rows
    },
    construct: async (query) =>
      documentOf(config.address, batches(await engine.queryQuads(query, options))),
    close: () => engine.invalidateHttpCache(),
  }
}

async function* batches(quads: AsyncIterable<Quad>): AsyncIterable<Quad[]> {
  let batch: Quad[] = []
  for await (const quad of quads) {
    batch.push(quad)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  yield batch
}

/** `keep`: the one document is asked for once, however many queries are put to it. */
function fetchBy(source: Asking['source'], keep: boolean): typeof fetch {
  let kept: Promise<Response> | undefined
  const ask = async (url: string, accept: string): Promise<Response> => {
    const page = await source.page(url, { accept, paged: false })
    const headers = new Headers(page.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    const response = new Response(page.text, { status: page.status, headers })
    Object.defineProperty(response, 'url', { value: page.url })
    return response
  }
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const accept = new Headers(init?.headers).get('accept') ?? '*/*'
    if (!keep) return ask(url, accept)
    const response = await (kept ??= ask(url, accept))
    const copy = response.clone()
    Object.defineProperty(copy, 'url', { value: response.url })
    return copy
  }
}
