/** A crowd on links of facets while somebody writes: every write is taken, every page is whole or says when to come back. */

import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

let directory: string
let platform: Gateway
const agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  const { put } = client(platform)
  await put('/catalogues/busy', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  for (let at = 0; at < 30; at += 1) await publish(`old-${at}`)
}, 60_000)
afterAll(async () => {
  agent.destroy()
  await platform.stop()
  await remove(directory)
})

const themes = ['ENVI', 'TRAN', 'ECON', 'EDUC']
const formats = ['CSV', 'JSON', 'PDF']
const authority = 'http://publications.europa.eu/resource/authority'

async function publish(id: string): Promise<number> {
  const at = Number(id.split('-')[1])
  const answer = await client(platform).putDataset(
    'busy',
    id,
    `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://busy.example/${id}> a dcat:Dataset ; dct:title "Levels ${id}"@en ; dcat:keyword "k${at % 7}"@en ;
  dcat:theme <${authority}/data-theme/${themes[at % themes.length]}> ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://busy.example/${id}.csv> ;
    dct:format <${authority}/file-type/${formats[at % formats.length]}> ] .`,
  )
  await answer.body?.cancel()
  return answer.status
}

type Page = { readonly status: number; readonly retryAfter: string | undefined; text: string }

/** By `node:http`, which opens as many connections as there are requests: nobody waits for an earlier answer. */
const page = (path: string) =>
  new Promise<Page>((resolve, reject) => {
    const headers = { Accept: 'text/html', 'Accept-Encoding': 'gzip' }
    const request = get(platform.url + path, { agent, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          retryAfter: answer.headers['retry-after'],
          text: Buffer.concat(parts).toString('latin1'),
        }),
      )
    })
    request.on('error', reject)
  })

/** The n-th link that a crawler follows from facet to facet: hardly any of them twice. */
const facetLink = (n: number): string =>
  `/en/datasets?${new URLSearchParams([
    ['categories', themes[n % themes.length] ?? ''],
    ['format', formats[n % formats.length] ?? ''],
    ['keywords', `k${n % 7}`],
    ['keywords', `none-${n}`],
    ['q', n % 5 === 0 ? 'levels' : ''],
    ['page', String(1 + (n % 9))],
  ]).toString()}`

it('a crawler that does not wait gets pages or 503 with Retry-After, and nothing that is written meanwhile is refused or lost', async () => {
  const pages: Promise<Page>[] = []
  const written: number[] = []
  // Fifty more links with each write, whatever became of those before.
  for (let at = 0; at < 30; at += 1) {
    for (let n = 0; n < 50; n += 1) pages.push(page(facetLink(50 * at + n)))
    written.push(await publish(`new-${at}`))
  }
  expect(written).toEqual(written.map(() => 201))
  const answers = await Promise.all(pages)
  const ours = answers.filter(({ status, retryAfter }) =>
    status === 503 ? Number(retryAfter) > 0 : status === 200,
  )
  expect(ours).toHaveLength(1500)
  expect(new Set(ours.map(({ status }) => status))).toEqual(new Set([200, 503]))

  const { json, search } = client(platform)
  const count = async () => {
    const found = await json<{ result: { count: number } }>(
      `${search}/search?filters=dataset&q=levels`,
    )
    return found.result.count
  }
  expect(await eventually(async () => (await count()) === 60)).toBe(true)
  expect((await fetch(`${platform.url}/health`)).status).toBe(200)
  expect((await page('/en/datasets?q=levels')).status).toBe(200)
  expect(platform.process.exitCode).toBeNull()
}, 120_000)
