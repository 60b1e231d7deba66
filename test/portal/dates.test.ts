/** Dates on pages, in searches, schema.org and citations, on a portal west of Greenwich. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

const get = (path: string) =>
  fetch(platform.url + path, { headers: { Accept: 'text/html' }, redirect: 'manual' })
const textOf = async (path: string) => (await get(path)).text()
const plain = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const dataset = (id: string, title: string, more: string) =>
  put(
    `/catalogues/city/datasets/origin?originalId=${id}`,
    `<https://city.example/${id}> a dcat:Dataset ; dct:title ${title} ; ${more} .`,
  )

const period = (start: string, end: string) =>
  `dct:temporal [ a dct:PeriodOfTime ; dcat:startDate ${start} ; dcat:endDate ${end} ]`

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_PORTAL_CONFIG: '{"timeZone":"America/New_York"}',
  })
  await put(
    '/catalogues/city',
    '<https://city.example/c> a dcat:Catalog ; dct:title "City"@en ; dct:issued "2020-05-06"^^xsd:date .',
  )
  await dataset(
    'day',
    '"Bridges"@en',
    `dct:issued "2024-03-31"^^xsd:date ; ${period('"2024-01-01"^^xsd:date', '"2024-12-31"^^xsd:date')}`,
  )
  await dataset(
    'year',
    '"Tunnels"@en',
    `dct:issued "2024"^^xsd:gYear ; ${period('"2020"^^xsd:gYear', '"2020"^^xsd:gYear')}`,
  )
  await dataset('month', '"Quays"@en', 'dct:issued "2023-03"^^xsd:gYearMonth')
  await dataset('time', '"Ferries"@en', 'dct:modified "2024-06-02T01:00:00Z"^^xsd:dateTime')
  await dataset('clock', '"Locks"@en', 'dct:modified "2022-06-02T01:00:00"^^xsd:dateTime')
  await dataset(
    'signs',
    String.raw`"R&D: 50% of {GDP} in Town_2 #1 ~ \\back $5 ^2 <a>\nnext"@en`,
    'dct:issued "2024"^^xsd:gYear',
  )
  await dataset('single', '"one } brace"@en', 'dct:issued "2024"^^xsd:gYear')
})

afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const search = async (query: string) => {
  const answer = await fetch(
    `${platform.url}/api/hub/search/search?filters=dataset&aggregation=false&includes=id&${query}`,
  )
  const { result } = (await answer.json()) as { result: { results: { id: string }[] } }
  return result.results.map(({ id }) => id).toSorted()
}

describe('a date without a time', () => {
  it('is the same day in every zone', async () => {
    const page = plain(await textOf('/en/datasets/day'))
    expect(page).toMatch(/First published\s*31 Mar 2024/)
    expect(page).not.toContain('30 Mar 2024')
    expect(page).not.toContain('30 Dec 2024')
  })

  it('of a year or month is no day', async () => {
    expect(plain(await textOf('/en/datasets/year'))).toMatch(/First published\s*2024 /)
    expect(plain(await textOf('/en/datasets/month'))).toMatch(/First published\s*Mar 2023/)
  })

  it('keeps its precision in the record and in schema.org', async () => {
    const record = async (id: string) => {
      const answer = await fetch(`${platform.url}/api/hub/search/datasets/${id}`)
      return ((await answer.json()) as { result: Record<string, unknown> }).result
    }
    const year = await record('year')
    expect(year['issued']).toBe('2024')
    expect(year['temporal']).toEqual([{ gte: '2020', lte: '2020' }])
    expect(year['catalog']).toMatchObject({ issued: '2020-05-06' })
    expect((await record('clock'))['modified']).toBe('2022-06-02T01:00:00')
    const schema = async (id: string) => (await get(`/en/datasets/${id}.schema.jsonld`)).json()
    expect(await schema('year')).toMatchObject({ datePublished: '2024', temporalCoverage: '2020' })
    expect(await schema('day')).toMatchObject({ datePublished: '2024-03-31' })
  })

  it('is found by any day in it, and by no other one', async () => {
    const found = (type: string, from: string, to = from) =>
      search(`dateType=${type}&minDate=${from}&maxDate=${to}`)
    expect(await found('issued', '2024-03-31')).toEqual(['day', 'signs', 'single', 'year'])
    expect(await found('issued', '2024-03-30')).toEqual(['signs', 'single', 'year'])
    expect(await found('issued', '2023-03-31')).toEqual(['month'])
    expect(await found('issued', '2023-04-01')).toEqual([])
    expect(await found('temporal', '2020-06-01', '2020-06-30')).toEqual(['year'])
    expect(await found('temporal', '2021-01-01')).toEqual([])
  })
})

describe('a time', () => {
  it('is shown and filtered in the zone of the portal', async () => {
    expect(plain(await textOf('/en/datasets/time'))).toContain('1 Jun 2024')
    const days = async (day: string) => textOf(`/en/datasets?from=${day}&to=${day}&date=modified`)
    expect(await days('2024-06-01')).toContain('Ferries')
    expect(await days('2024-06-02')).not.toContain('Ferries')
  })

  it('without a zone is that of the clock', async () => {
    expect(plain(await textOf('/en/datasets/clock'))).toContain('2 Jun 2022')
  })
})

describe('citations', () => {
  const cited = (id: string, ending: string) => textOf(`/en/datasets/${id}/cite.${ending}`)

  it('name a year alone where no more is known', async () => {
    expect(await cited('year', 'bib')).toContain('year = {2024}')
    expect(await cited('year', 'bib')).not.toContain('version')
    expect(await cited('year', 'ris')).not.toContain('ET  -')
    const [csl] = JSON.parse(await cited('year', 'json')) as [Record<string, unknown>]
    expect(csl['issued']).toEqual({ 'date-parts': [[2024]] })
    expect(csl).not.toHaveProperty('version')
  })

  it('have the day of the zone as version', async () => {
    expect(await cited('time', 'bib')).toContain('version = {2024-06-01}')
  })

  it('say in LaTeX what the title says', async () => {
    expect(await cited('signs', 'bib')).toContain(
      String.raw`title = {{R\&D: 50\% of \{GDP\} in Town\_2 \#1 \textasciitilde{} \textbackslash{}back \$5 \textasciicircum{}2 \textless{}a\textgreater{} next}}`,
    )
    expect(await cited('single', 'bib')).toContain(String.raw`{{one \textbraceright{} brace}}`)
  })
})

describe('descriptions for search engines', () => {
  it('have 50 characters at least, and nothing that is not known', async () => {
    const schema = (await (await get('/en/datasets/year.schema.jsonld')).json()) as {
      description: string
    }
    expect(schema.description.length).toBeGreaterThanOrEqual(50)
    expect(schema.description).toContain('In the catalogue City.')
    expect(schema.description).not.toContain('–')
  })

  it('are cut behind a word', async () => {
    const long = `${'word '.repeat(999)}longest${'word '.repeat(100)}`
    await dataset('long', '"Long"@en', `dct:description ${JSON.stringify(long)}@en`)
    const schema = (await (await get('/en/datasets/long.schema.jsonld')).json()) as {
      description: string
    }
    expect(schema.description.length).toBeLessThanOrEqual(5000)
    expect(schema.description).toMatch(/word$/)
  })
})

it('a table of a search begins with a byte order mark, as spreadsheets need it', async () => {
  const bytes = Buffer.from(await (await get('/en/datasets.csv?q=bridges')).arrayBuffer())
  expect(bytes.subarray(0, 5).toString('latin1')).toBe('ï»¿id')
})

describe('addresses of a CKAN that was replaced', () => {
  it.each([
    ['/dataset/year', 301, '/en/datasets/year'],
    ['/de/dataset/year', 301, '/de/datasets/year'],
    ['/dataset', 301, '/en/datasets'],
    ['/catalogues', 301, '/en/catalogues'],
    ['/organization/city', 301, '/en/catalogues/city'],
    ['/en/organization', 301, '/en/catalogues'],
    ['/pt_BR/dataset/year', 301, '/en/datasets/year'],
    ['/de_AT/dataset/year', 301, '/de/datasets/year'],
    ['/dataset/year/resource/0b1c', 301, '/en/datasets/year'],
    ['/de/dataset/year/resource/0b1c/download/a.csv', 301, '/de/datasets/year'],
    ['/dataset/activity/year', 301, '/en/datasets/year'],
    ['/organization/about/city', 301, '/en/catalogues/city'],
    [
      '/dataset?q=a&tags=b&res_format=CSV&organization=city&groups=envi&license_id=cc',
      301,
      '/en/datasets?q=a&keywords=b&format=CSV&catalog=city&categories=ENVI&license=cc',
    ],
    ['/dataset/nothing-here', 404, null],
    ['/dataset/nothing-here/resource/0b1c', 404, null],
    ['/organization/nothing-here', 404, null],
    ['/group/nothing-here', 404, null],
  ])('%s answers %i', async (path, status, location) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('Location')]).toEqual([status, location])
  })
})
