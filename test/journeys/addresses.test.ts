/** Every address that an answer leads on by is one that the platform serves, by whatever name it was reached. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { xmlTree, type Node } from '../search/feeds/xml-tree.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const datasets = 23
const file = 'https://files.example/levels.csv'
const publisher = 'https://lakes.example/'
const ofTheData = [file, publisher]

/** The IRIs are of a host that leads nowhere. */
const names = { PLATFORM_BASE_URI: 'https://id.example/names/' }

const dataset = (n: number) => `${prefixes}<> a dcat:Dataset ;
  dct:title "Level ${n}"@en , "Pegel ${n}"@de ; dct:publisher [ a foaf:Organization ;
    foaf:name "Lake Office" ; foaf:homepage <${publisher}> ] ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <${file}> ; dcat:downloadURL <${file}> ] .`

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, names)
  const api = client(platform)
  await api.put('/catalogues/lakes', `${prefixes}<> a dcat:Catalog ; dct:title "Lakes"@en .`)
  for (let n = 0; n < datasets; n += 1) await api.putDataset('lakes', `level-${n}`, dataset(n))
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Another process on the same data, with other settings. */
async function restarted(env: Record<string, string>): Promise<void> {
  await platform.stop()
  platform = await gateway(directory, { ...names, ...env })
}

/** Where a document of XML leads: `href`, `url`, `loc` and the links of RSS. Ids are names, not addresses. */
function addressesIn({ name, attributes, text, children }: Node): string[] {
  const own = name === 'loc' || (name === 'link' && text !== '') ? [text] : []
  const [href, url] = [attributes['href'], attributes['url']]
  return [href, url, ...own]
    .filter((address) => address !== undefined)
    .concat(children.flatMap(addressesIn))
}

const isXml = (answer: Response) =>
  /^application\/(\w+\+)?xml/.test(answer.headers.get('Content-Type') ?? '')

/** Goes on from some addresses through all documents of XML; answers every address, and where it leads. */
async function followed(starts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const met = new Map<string, number>()
  const open = [...starts]
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (met.has(address) || ofTheData.includes(address)) continue
    met.set(address, 0)
    if (!address.startsWith(`${platform.url}/`)) continue
    const answer = await fetch(address)
    met.set(address, answer.status)
    const body = await answer.text()
    if (isXml(answer)) open.push(...addressesIn(xmlTree(body)))
  }
  return met
}

const linkTo = (rel: string, header: string | null) =>
  new RegExp(`<([^>]*)>; rel="${rel}"`).exec(header ?? '')?.[1]

describe('by the address that it is reached by, whatever its IRIs are', () => {
  it.each([
    ['a sitemap', ['/sitemap'], datasets + 3],
    [
      'the feeds',
      ['/en/feeds/datasets.atom?limit=5', '/de/feeds/datasets.rss?limit=5'],
      datasets + 11,
    ],
  ])('%s leads to addresses that answer, all of them', async (_, paths, least) => {
    const starts = paths.map((path) => `${platform.url}/api/hub/search${path}`)
    const met = await followed(starts)
    expect(met.size).toBeGreaterThanOrEqual(least)
    expect([...met].filter(([, status]) => status !== 200)).toEqual([])
  })

  it('pages of a list are walked by Link and by hydra:next', async () => {
    const list = `${platform.url}/api/hub/repo/datasets?valueType=metadata&limit=10`
    const seen: string[] = []
    for (let next: string | undefined = list; next !== undefined;) {
      const answer = await fetch(next, { headers: { Accept: 'application/n-triples' } })
      const text = await answer.text()
      seen.push(
        ...text
          .matchAll(/^<(\S+)> \S+type> <http:\/\/www.w3.org\/ns\/dcat#Dataset>/gm)
          .map(([, iri = '']) => iri),
      )
      next = linkTo('next', answer.headers.get('Link'))
      expect(/hydra\/core#next> <([^>]*)>/.exec(text)?.[1]).toBe(next)
    }
    expect(new Set(seen).size).toBe(datasets)
    expect(seen.every((iri) => iri.startsWith(names.PLATFORM_BASE_URI))).toBe(true)
  })

  it('other formats of a record are where its links say', async () => {
    const answer = await fetch(`${platform.url}/api/hub/repo/datasets/level-7`)
    const header = answer.headers.get('Link') ?? ''
    expect(linkTo('canonical', header)).toBe('https://id.example/names/set/data/level-7')
    const others = [...header.matchAll(/<([^>]*)>; rel="alternate"/g)].map(([, to = '']) => to)
    const told = await Promise.all(others.map(async (to) => (await fetch(to)).status))
    expect(told).toEqual(Array.from({ length: 7 }, () => 200))
  })
})

const everywhere = [
  '/api/hub/search/sitemap',
  '/api/hub/search/sitemap/1',
  '/api/hub/search/en/feeds/datasets.atom',
  '/api/hub/search/en/feeds/datasets.rss',
]

/** All that documents of the platform lead to, asked for with these headers. */
async function told(headers: Record<string, string>): Promise<string[]> {
  const answers = await Promise.all(
    everywhere.map(async (path) => (await fetch(platform.url + path, { headers })).text()),
  )
  const list = await fetch(`${platform.url}/api/hub/repo/datasets?limit=10`, { headers })
  const sparql = await fetch(`${platform.url}/sparql`, {
    headers: { ...headers, Accept: 'application/n-triples' },
  })
  return [
    ...answers.flatMap((text) => addressesIn(xmlTree(text))),
    linkTo('next', list.headers.get('Link')) ?? '',
    /#endpoint> <([^>]*)>/.exec(await sparql.text())?.[1] ?? '',
  ].filter((address) => !ofTheData.includes(address))
}

const forwarded = { 'X-Forwarded-Host': 'open.example', 'X-Forwarded-Proto': 'https' }

describe('behind a proxy', () => {
  it('that nobody trusts, its word counts for nothing', async () => {
    const addresses = await told(forwarded)
    expect(addresses.length).toBeGreaterThan(50)
    expect(addresses.filter((address) => !address.includes(`${platform.url}/`))).toEqual([])
  })

  it('that is trusted, addresses are those that the proxy was asked for', async () => {
    await restarted({ PLATFORM_TRUSTED_PROXIES: '127.0.0.1' })
    const addresses = await told({ ...forwarded, 'X-Forwarded-Prefix': '/data' })
    expect(addresses.filter((one) => !one.includes('https://open.example/data/'))).toEqual([])
  })

  it('PLATFORM_PUBLIC_URL is what all addresses begin with', async () => {
    await restarted({ PLATFORM_PUBLIC_URL: 'https://public.example/p/' })
    const addresses = await told(forwarded)
    expect(addresses.filter((one) => !one.includes('https://public.example/p/'))).toEqual([])
  })
})
