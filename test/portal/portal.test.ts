/** The pages over HTTP: addresses, negotiation, headers, hostile values, sign-in. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { harmIn, hostileStrings } from './hostile-strings.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let directory: string
let platform: Gateway

const get = (path: string, headers: Record<string, string> = { Accept: browser }) =>
  fetch(platform.url + path, { headers, redirect: 'manual' })

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
`
const literal = (text: string) => JSON.stringify(text)

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const dataset = (id: string, title: string, description: string, more = '') =>
  put(
    `/catalogues/city/datasets/origin?originalId=${id}`,
    `<https://city.example/${id}> a dcat:Dataset ; dct:title ${literal(title)}@en ; dct:description ${literal(description)}@en ;
     dcat:keyword ${literal(title)}@en ; dct:publisher [ a foaf:Organization ; foaf:name ${literal(title)} ] ;
     dcat:contactPoint [ a vcard:Organization ; vcard:fn ${literal(title)} ] ${more} ;
     dcat:distribution [ a dcat:Distribution ; dct:title ${literal(title)}@en ; dcat:accessURL <https://city.example/${id}.csv> ; dct:license <http://publications.europa.eu/resource/authority/licence/CC_BY_4_0> ] .`,
  )

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await put(
    '/catalogues/city',
    '<https://city.example/> a dcat:Catalog ; dct:title "City"@en, "Stadt"@de ; dct:description "Of the city."@en ; dct:publisher <https://city.example/org> .',
  )
  await dataset(
    'parks',
    'Parks of the city',
    'Where the parks are, and how large each of them is.',
    '; dct:issued "2024-05-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
  )
  for (const [at, text] of hostileStrings.entries()) await dataset(`bad-${at}`, text, text)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

describe('addresses', () => {
  it.each([
    '',
    'datasets',
    'datasets?q=parks',
    'datasets/parks',
    'datasets/parks/quality',
    'datasets/facets/publisher',
    'catalogues',
    'catalogues/city',
    'publishers',
    'vocabularies',
    'quality',
    'sparql',
    'check',
    'sign-in',
  ])(
    '/en/%s is a page with a title, in its language, for search engines and people',
    async (path) => {
      const answer = await get(`/en/${path}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('Content-Language')).toBe('en')
      const text = await answer.text()
      expect(text).toMatch(/^<!doctype html>\s*<html lang="en" dir="ltr">/)
      expect(text).toMatch(/<title>[^<]+<\/title>/)
      expect(text.match(/<h1/g)).toHaveLength(1)
    },
  )

  it('say which values of a record they do not show, and why', async () => {
    await dataset('odd', 'Odd', 'One date is none.', '; dct:issued "yesterday"')
    const page = await (await get('/en/datasets/odd')).text()
    expect(page).toContain('href="/en/datasets/odd/quality#left-out">One value is left out')
    const quality = await (await get('/en/datasets/odd/quality')).text()
    expect(quality).toMatch(/<code>dct:issued<\/code>.*yesterday.*Not a date or time/s)
  })

  it.each(['de', 'fr', 'it'])('say everything in %s, too', async (language) => {
    const text = await (await get(`/${language}/datasets/parks`)).text()
    expect(text).toContain(`<html lang="${language}"`)
    expect(text).not.toContain('All metadata')
  })

  it('of languages that the portal does not speak, and of nothing, are 404 as a page and as a problem', async () => {
    for (const path of ['/es/datasets', '/en/datasets/nope', '/en/nope', '/nope']) {
      const page = await get(path)
      expect([path, page.status, page.headers.get('Content-Type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ])
      const problem = await get(path, { Accept: 'application/json' })
      expect(problem.status).toBe(404)
    }
  })

  it.each([
    ['/', browser, /\/en\/$/],
    ['/set/data/parks', browser, /\/en\/datasets\/parks$/],
    ['/set/data/parks', 'text/turtle', /\/api\/hub\/repo\/datasets\/parks$/],
    ['/set/data/parks', '*/*', /\/api\/hub\/repo\/datasets\/parks$/],
    ['/set/data/parks.ttl', browser, /\/api\/hub\/repo\/datasets\/parks\.ttl$/],
    ['/id/catalogue/city', browser, /\/en\/catalogues\/city$/],
  ])('of IRIs lead to pages and to RDF: %s for %s', async (path, accept, location) => {
    const answer = await get(path, { Accept: accept, 'Accept-Language': 'en' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toMatch(location)
    const isNegotiated = !path.endsWith('.ttl')
    expect(answer.headers.get('Vary')?.includes('Accept') ?? false).toBe(isNegotiated)
  })

  it('of older portals lead to the page of today', async () => {
    const answer = await get('/datasets/parks?locale=de')
    expect([answer.status, answer.headers.get('Location')]).toEqual([301, '/de/datasets/parks'])
  })

  it('leave the list of services to programs', async () => {
    const answer = await get('/', { Accept: '*/*' })
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/json'])
  })
})

describe('a page', () => {
  it('has a policy without exceptions, and its style and script from here', async () => {
    const answer = await get('/en/datasets/parks')
    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).not.toMatch(/unsafe|https:/)
    const [style] = /\/assets\/portal\.[0-9a-f]{8}\.css/.exec(await answer.text()) ?? ['']
    const asset = await get(style)
    expect([asset.status, asset.headers.get('Cache-Control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  })

  it('that did not change is not sent again', async () => {
    const first = await get('/en/datasets/parks')
    const tag = first.headers.get('ETag') ?? ''
    const again = await get('/en/datasets/parks', { Accept: browser, 'If-None-Match': tag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('of a dataset is a Dataset of schema.org, with what search engines require', async () => {
    const text = await (await get('/en/datasets/parks')).text()
    const [, json = '{}'] =
      /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text) ?? []
    const data = JSON.parse(json) as Record<string, unknown>
    expect(data).toMatchObject({
      '@type': 'Dataset',
      name: 'Parks of the city',
      '@id': 'http://localhost:8080/set/data/parks',
    })
    expect(String(data['description']).length).toBeGreaterThanOrEqual(50)
    const alone = await get('/en/datasets/parks.schema.jsonld')
    expect(await alone.json()).toEqual(data)
  })

  it('has citations for programs', async () => {
    expect(await (await get('/en/datasets/parks/cite.bib')).text()).toMatch(/^@misc\{parks,/)
    expect(await (await get('/en/datasets/parks/cite.ris')).text()).toMatch(/^TY  - DATA\r\n/)
    expect(await (await get('/en/datasets/parks/cite.json')).json()).toMatchObject([
      { type: 'dataset', title: 'Parks of the city' },
    ])
  })

  it('of a search can be had as CSV, where no cell is a formula', async () => {
    const text = await (await get('/en/datasets.csv?q=parks')).text()
    expect(text.split('\r\n')[0]).toBe(
      'id,address,title,description,publisher,catalogue,formats,licence,issued,modified',
    )
    expect(text).toContain('Parks of the city')
  })
})

describe('hostile values', () => {
  // Pages of records with such values are tried in `hostile-records.many.test.ts`.
  it('stay text where they are searched for, and in lists', async () => {
    const paths = [
      ...hostileStrings.map((text) => `datasets?q=${encodeURIComponent(text)}`),
      'datasets',
      'datasets?page=2',
      'datasets?page=3',
      'publishers',
      'catalogues/city',
      'datasets/facets/publisher',
      'datasets/facets/keywords',
      '',
    ]
    for (const path of paths) {
      const answer = await get(`/en/${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      expect([path, harmIn(await answer.text())]).toEqual([path, []])
    }
  })

  it('in addresses are no markup either', async () => {
    for (const text of hostileStrings) {
      const answer = await get(`/en/${encodeURIComponent(text)}`)
      expect(answer.status).toBe(404)
      expect(harmIn(await answer.text())).toEqual([])
    }
  })
})

describe('deleted records', () => {
  it('are listed for stewards, who restore them by a form of their session', async () => {
    await dataset('back', 'Comes back', 'This one is removed and restored.')
    const headers = { 'X-API-Key': platform.key }
    await fetch(`${client(platform).repo}/datasets/back`, { method: 'DELETE', headers })
    const signIn = await fetch(`${platform.url}/en/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ key: platform.key }),
      redirect: 'manual',
    })
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const text = await (
      await get('/en/harvest/deleted', { Accept: browser, Cookie: cookie })
    ).text()
    const token =
      /action="\/en\/harvest\/deleted\/dataset\/back"[^]*?name="_csrf" value="([^"]+)"/.exec(
        text,
      )?.[1] ?? ''
    const restore = (csrf: string) =>
      fetch(`${platform.url}/en/harvest/deleted/dataset/back`, {
        method: 'POST',
        headers: { Cookie: cookie },
        body: new URLSearchParams({ _csrf: csrf, do: 'restore' }),
        redirect: 'manual',
      })
    expect((await restore('forged')).status).toBe(403)
    expect((await restore(token)).status).toBe(303)
    await expect.poll(async () => (await get('/en/datasets/back')).status).toBe(200)
  })
})

describe('signing in', () => {
  const signIn = (key: string) =>
    fetch(`${platform.url}/en/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ key }),
      redirect: 'manual',
    })
  const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''

  it('takes a key and gives a cookie that scripts and other sites do not get', async () => {
    const answer = await signIn(platform.key)
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/en/desk'])
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const page = await get('/en/harvest', { Accept: browser, Cookie: cookieOf(answer) })
    expect([page.status, page.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
  })

  it('leads strangers, and those with a cookie that we did not make, to the form', async () => {
    for (const Cookie of ['', 'session=forged', `session=${'a'.repeat(43)}`]) {
      const answer = await get('/en/harvest', { Accept: browser, Cookie })
      expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/en/sign-in'])
    }
  })

  it('makes a new session each time, so that nobody can give one away beforehand', async () => {
    const first = cookieOf(await signIn(platform.key))
    const second = cookieOf(await signIn(platform.key))
    expect(second).not.toBe(first)
  })

  it('does nothing for a form of another site', async () => {
    const Cookie = cookieOf(await signIn(platform.key))
    const page = await (await get('/en/harvest', { Accept: browser, Cookie })).text()
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(page) ?? []
    const post = (fields: Record<string, string>, headers: Record<string, string>) =>
      fetch(`${platform.url}/en/harvest/pipes/metrics`, {
        method: 'POST',
        headers: { Cookie, ...headers },
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })
    expect((await post({ do: 'run' }, {})).status).toBe(403)
    expect((await post({ do: 'run', _csrf: 'x' }, {})).status).toBe(403)
    expect(
      (await post({ do: 'run', _csrf: token }, { Origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect((await post({ do: 'run', _csrf: token }, {})).status).toBe(303)
  })

  it('ends when somebody signs out', async () => {
    const Cookie = cookieOf(await signIn(platform.key))
    const page = await (await get('/en/harvest', { Accept: browser, Cookie })).text()
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(page) ?? []
    const out = await fetch(`${platform.url}/en/sign-out`, {
      method: 'POST',
      headers: { Cookie },
      body: new URLSearchParams({ _csrf: token }),
      redirect: 'manual',
    })
    expect(out.status).toBe(303)
    expect((await get('/en/harvest', { Accept: browser, Cookie })).status).toBe(303)
  })

  it('is slowed down for those who guess', async () => {
    const statuses = []
    for (let tried = 0; tried < 7; tried += 1)
      statuses.push((await signIn(`wrong-${tried}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })
})

describe('problems for people', () => {
  const paths = [
    '/nothing',
    '/api/hub/search/nothing',
    '/api/hub/repo/nothing',
    '/api/scheduler/nothing',
    '/sparql/nothing',
    '/api/mqa/cache/nothing',
    '/api/segments/nothing',
  ]
  it.each(paths)('%s is a page for browsers and a problem for programs', async (path) => {
    const page = await get(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    const text = await page.text()
    expect(text).toContain('<meta name="robots" content="noindex"')
    const programs: Record<string, string>[] = [
      {},
      { Accept: '*/*' },
      { Accept: 'application/json' },
    ]
    for (const headers of programs) {
      const problem = await get(path, headers)
      expect(problem.headers.get('content-type')).toContain('application/problem+json')
      await problem.body?.cancel()
    }
  })

  it('a removed record says when it was removed and until when it can be restored', async () => {
    await dataset('gone', 'Gone for good', 'This one is removed.')
    const removed = await fetch(`${client(platform).repo}/datasets/gone`, {
      method: 'DELETE',
      headers: { 'X-API-Key': platform.key },
    })
    expect(removed.status).toBe(204)
    await expect.poll(async () => (await get('/en/datasets/gone')).status).toBe(410)
    const page = await get('/de/datasets/gone')
    const text = await page.text()
    expect(text).toMatch(/Wiederherstellbar bis<\/dt>\s*<dd><time/)
    expect(text).toContain('/de/catalogues/city')
    for (const path of ['/dataset/gone', '/en/dataset/gone', '/dataset/gone/resource/1'])
      expect([path, (await get(path)).status]).toEqual([path, 410])
  })

  it('an address that is nearly right shows datasets with such a title', async () => {
    const text = await (await get('/en/datasets/parks-of')).text()
    expect(text).toContain('/en/datasets/parks"')
  })
})

describe('checked metadata', () => {
  it('gets the line of what is wrong and the points to expect, and nothing is stored', async () => {
    const rdf = `${prefixes}<https://city.example/new> a dcat:Dataset ;
  dct:title "Wells"@en ; dcat:keyword "water"@en .`
    const answer = await fetch(`${platform.url}/en/check`, {
      method: 'POST',
      headers: { Accept: browser, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ rdf, level: 'dcatap301level1' }),
    })
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain('href="#l5"')
    expect(page).toContain('id="points"')
    expect(page).toMatch(/<strong>30<\/strong>/)
    expect(page).toContain('How the record would look')
    const found = await fetch(`${client(platform).search}/search?q=Wells`)
    expect(await found.json()).toMatchObject({ result: { count: 0 } })
  })

  it('begins with the Turtle of the record that somebody wants to correct', async () => {
    await dataset('wells', 'Wells of the old town', 'All of them.')
    const answer = await get('/en/check?dataset=wells')
    const [, text = ''] = /<textarea[^>]*>([^]*?)<\/textarea>/.exec(await answer.text()) ?? []
    expect(text).toContain('Wells of the old town')
    expect(text).toContain('dcat:Dataset')
    expect((await get('/en/check?dataset=none')).status).toBe(404)
  })

  const check = async (rdf: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${platform.url}/en/check`, {
      method: 'POST',
      headers: { Accept: browser, ...headers },
      body: new URLSearchParams({ rdf, level: 'dcatap301level1' }),
    })
    return { status: answer.status, page: await answer.text() }
  }
  const many = (count: number) => {
    const parts = Array.from({ length: count }, (_, at) => `<d${at}>`)
    return `${prefixes}<https://city.example/many> a dcat:Dataset ;\n dcat:distribution ${parts.join(', ')} .`
  }

  it('of 200 kB is what a stranger may send, and more what somebody who is signed in may', async () => {
    const rdf = many(30_000)
    const refused = await check(rdf)
    expect(refused.status).toBe(413)
    expect(refused.page).toContain('at most 200000 bytes are checked at once')
    const signIn = await fetch(`${platform.url}/en/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ key: platform.key }),
      redirect: 'manual',
    })
    const Cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await check(rdf, { Cookie })).status).toBe(200)
  })

  it('with thousands of distributions shows a bounded page', async () => {
    const { status, page } = await check(many(15_000))
    expect(status).toBe(200)
    expect(page).toContain('id="result"')
    expect(page.match(/<tr/g)?.length ?? 0).toBeLessThan(520)
  })

  it('that cannot be read says where', async () => {
    const { status, page } = await check(`${prefixes}<https://city.example/x> a dcat:Dataset ;;;`)
    expect(status).toBe(200)
    expect(page).toContain('The text is not valid RDF')
  })

  it('is one text at a time for each client, and a body without end is refused', async () => {
    const states = await Promise.all(Array.from({ length: 4 }, () => check(many(5000))))
    expect(states.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 429, 429, 429,
    ])
    expect((await check('x'.repeat(9 * 2 ** 20))).status).toBe(413)
    for (const path of ['/en/sign-in', '/en/harvest/pipes/x']) {
      const body = new URLSearchParams({ key: 'x'.repeat(2 * 2 ** 20) })
      const answer = await fetch(platform.url + path, { method: 'POST', body, redirect: 'manual' })
      expect([path, answer.status < 500]).toEqual([path, true])
      await answer.body?.cancel()
    }
  })

  it('is checked twenty times a minute for one client, and a file counts as an empty text', async () => {
    const states: number[] = []
    for (let n = 0; n < 21; n += 1) {
      const body = new FormData()
      body.set('rdf', new Blob(['x']), 'x.ttl')
      const headers = { Accept: browser }
      const answer = await fetch(`${platform.url}/en/check`, { method: 'POST', headers, body })
      await answer.body?.cancel()
      states.push(answer.status)
    }
    expect(states[0]).toBe(200)
    expect(states.at(-1)).toBe(429)
  })
})
