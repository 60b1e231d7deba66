/** `npm run demo`: what it prints, and what is there to look at. */

import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, remove, temporaryDirectory } from '../support/gateway.ts'
import { crawl } from './crawling.ts'
import { startDemo, type DemoProcess } from './demo-process.ts'
import { signedIn } from './signed-in.ts'

let temporary: string
let demo: DemoProcess

beforeAll(async () => {
  temporary = await temporaryDirectory()
  demo = await startDemo(temporary, { PLATFORM_PORTAL_CONFIG: '{"name":{"en":"Own name"}}' })
}, 90_000)
afterAll(async () => {
  await demo?.end()
  await remove(temporary)
})

const get = async (path: string): Promise<unknown> =>
  (await fetch(new URL(path, demo.home), { headers: { 'X-API-Key': demo.key } })).json()
const shown = async (path: string) =>
  (await fetch(new URL(path, demo.home), { headers: { Accept: 'text/html' } })).text()

it('shows pages, concepts with their uses, measured datasets, a value that was left out and a removal that waits', async () => {
  const { home, key } = demo
  const page = await fetch(new URL('en/', home), { headers: { Accept: 'text/html' } })
  const first = await page.text()
  expect(first).toMatch(
    /<h1><b>55<\/b> datasets from <b>6<\/b> catalogues, described in 4 languages<\/h1>/,
  )
  const links = [
    'datasets?q=trees',
    'datasets?open=place#place',
    'datasets">All',
    'catalogues">All',
  ]
  expect(links.filter((link) => !first.includes(`href="/en/${link}`))).toEqual([])
  const runs = (await get('api/scheduler/runs?pipe=county-archive')) as {
    id: string
    counts: Record<string, number>
  }[]
  expect(runs.map(({ counts }) => counts['held'])).toEqual([2, 0])
  expect(runs[1]?.counts['findings']).toBe(1)
  expect(await get('api/hub/search/search?filters=dataset&limit=0')).toMatchObject({
    result: { count: 55 },
  })
  const measured = (await get('api/mqa/cache/datasets/archive-0')) as {
    result: { results: { info: { score: number } }[] }
  }
  expect(measured.result.results[0]?.info.score).toBeGreaterThan(100)

  expect(await get(`api/scheduler/runs/${runs[1]?.id}/items?record=archive-3`)).toMatchObject([
    { platformId: 'archive-3', title: 'Photographs of the county archive' },
  ])
  const signIn = await fetch(new URL('en/sign-in', home), {
    method: 'POST',
    body: new URLSearchParams({ key }),
    redirect: 'manual',
  })
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const steward = async (path: string) =>
    (await fetch(new URL(path, home), { headers: { Accept: 'text/html', Cookie: cookie } })).text()
  const report = await steward(`en/harvest/runs/${runs[1]?.id}`)
  expect(report).toContain('<h1>Run of “Harvest the county archive”</h1>')
  expect(report).toContain('issued: “some time in spring” – Not a date or time')
  expect(await steward(`en/harvest/runs/${runs[0]?.id}/held`)).toContain(
    'name="do" value="confirm"',
  )

  const concept = await steward('en/vocabularies/subject/trees')
  for (const text of [
    'In the vocabulary',
    'Trees',
    'Bäume',
    'Arbres',
    'Alberi',
    'Green city',
    'Tree inventory',
  ])
    expect(concept).toContain(text)

  const german = await shown('de/datasets/gauge-levels')
  expect(german).toContain('Durchführungsverordnung (EU) 2023/138')
  expect(german).toContain('7,1–8,3° O, 47,4–48,3° N')
  expect(await shown('en/datasets/archive-3/quality')).toMatch(
    /id="shacl".*<bdi>List<\/bdi>.*id="left-out".*id="all".*Report of the catalogue/s,
  )
  const hits = await shown('en/datasets?q=photographs')
  expect(hits).toContain('<p class="from"><bdi>County archive</bdi></p>')
  expect(await shown('en/publishers/Three%20Rivers%20Basin%20Authority')).toContain(
    'Three Rivers Water Data',
  )
  expect(await shown('en/catalogues/three-rivers-water')).toMatch(/Findability.*90 \/ 100/s)

  const answered = await rowsOfExamples(home)
  expect(answered.length).toBeGreaterThan(8)
  expect(answered.filter(({ rows }) => rows === 0)).toEqual([])
}, 90_000)

it('has a publisher with two drafts, a steward with a review, an administrator, and five versions of a dataset', async () => {
  const { home, output, publisher, steward, key } = demo
  const url = new URL(home).origin
  expect(output).toContain(`sign in at ${url}/en/sign-in with one of these keys:`)
  const asked = async (path: string, own: string) =>
    (await fetch(`${url}/api/hub/repo${path}`, { headers: { 'X-API-Key': own } })).json()
  const { drafts } = (await asked('/drafts/datasets', publisher)) as {
    drafts: { id: string; state: string; author: string }[]
  }
  expect(drafts.map(({ id, state, author }) => `${id} ${state} ${author}`).toSorted()).toEqual([
    'ferries review Anna Berger',
    'groundwater-levels draft Anna Berger',
    'snow-depth draft Anna Berger',
  ])
  const { versions } = (await asked('/datasets/nitrate/versions', steward)) as {
    versions: { number: number; note: string }[]
  }
  expect(versions.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1])
  expect(versions[1]?.note).toBe('undid version 3')
  expect(await asked('/accounts', publisher)).toMatchObject({ status: 403 })
  expect(await asked('/accounts', key)).toHaveLength(3)

  const [anna, luca] = [await signedIn({ url }, publisher), await signedIn({ url }, steward)]
  expect(await anna.page('/en/desk')).toContain('Snow depth in the headwaters')
  expect(await luca.page('/en/desk/waiting')).toMatch(
    /Anna Berger asks for a review.*Is the title clear/s,
  )
  const check = '/en/desk/datasets/ferries/check?catalogue=three-rivers-water'
  expect(await luca.page(check)).toContain('It can be published')
  expect(await luca.page('/en/desk/datasets/nitrate/history')).toContain('Version 5')
  expect(await luca.page('/en/harvest/waiting')).toContain('county archive')
  expect(await shown('en/datasets?q=ferries')).not.toContain('Ferries at low water')
})

it('shows after a correction the points that the metrics later count, but for links', async () => {
  const url = new URL(demo.home).origin
  const { page, post } = await signedIn({ url }, demo.key)
  const corrected = new Map<string, number>()
  for (const id of ['drought-bulletin', 'haushalt-2025', 'archive-1']) {
    const place = `/en/desk/datasets/${id}/essentials?fix=keywordAvailability`
    const saved = await post(place, { do: 'save', 'keywords.+0': 'corrected', 'keywords.@': 'en' })
    const [, , after] =
      /(\d+) → (\d+) points/.exec(await page(saved.headers.get('Location') ?? '')) ?? []
    corrected.set(id, Number(after))
    const headers = { 'X-API-Key': demo.key }
    const path = `${url}/api/hub/repo/drafts/datasets/publish/${id}`
    const { status } = await fetch(path, { method: 'PUT', headers })
    expect([id, status < 300]).toEqual([id, true])
  }
  const send = (path: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'X-API-Key': demo.key, 'Content-Type': 'application/json' },
      body: '{}',
    })
  const run = (await send('/api/scheduler/pipes/metrics/runs')).headers.get('Location')
  await (await fetch(`${run}/events`, { headers: { 'X-API-Key': demo.key } })).text()
  await send('/api/mqa/cache/admin/refresh')
  const later = new Map<string, number>()
  for (const id of corrected.keys()) {
    const { result } = (await get(`api/mqa/cache/datasets/${id}`)) as Pointed
    const [first] = result.results
    const ofLinks = ['accessUrlStatusCode', 'downloadUrlStatusCode'].map(
      (name) => first?.points[name]?.points ?? 0,
    )
    later.set(id, (first?.info.score ?? 0) - ofLinks.reduce((sum, points) => sum + points, 0))
  }
  expect(later).toEqual(corrected)
}, 60_000)

it('counts in the terminal what its home page counts', async () => {
  const [, printed] = /^(\d+) sample datasets are in/m.exec(demo.output) ?? []
  expect(await shown('en/')).toContain(`<h1><b>${printed}</b> datasets`)
})

it('has links that work but for the two that say that they fail on purpose', async () => {
  const links = new Map<string, number | null>()
  for (const id of await datasetIds()) {
    const { result } = (await get(`api/mqa/cache/datasets/${id}/distributions`)) as Measured
    for (const [, ...parts] of result.results)
      for (const { url, statusCode } of parts.flatMap(({ links: some = [] }) => some))
        links.set(url, statusCode)
  }
  // The text that a record of the archive has where an address belongs.
  expect(links.get('ask%20at%20the%20desk') ?? links.get('ask at the desk')).toBe(1300)
  expect(links.size).toBeGreaterThan(120)
  const failing = [...links].filter(([url, status]) => URL.canParse(url) && status !== 200)
  expect(failing.map(([, status]) => status).sort((a, b) => Number(a) - Number(b))).toEqual([
    404, 410,
  ])
  for (const [url] of failing) expect(await (await fetch(url)).text()).toContain('fails on purpose')
  const page = await shown('en/datasets/stromverbrauch')
  for (const text of ['404', 'missing on purpose']) expect(page).toContain(text)
}, 30_000)

it('has quality that differs for reasons that are shown', async () => {
  const scores: number[] = []
  for (const id of await datasetIds()) {
    const { result } = (await get(`api/mqa/cache/datasets/${id}`)) as Scored
    for (const { info } of result.results) scores.push(info.score)
  }
  // The bounds of excellent, good and sufficient.
  for (const [least, most] of [
    [351, 405],
    [221, 350],
    [121, 220],
  ])
    expect(scores.some((score) => score >= (least ?? 0) && score <= (most ?? 0))).toBe(true)
})

it.each([
  ['bathing-water', ['e_coli_per_100ml', 'enterococci_per_100ml', '<svg class="map"']],
  ['budget-participatif', ['coût estimé (€)', 'Façade végétalisée']],
  ['haushalt-2026', ['Kindertagesstätten', '<h2>Haushalt 2026</h2>', '<h2>Summen</h2>']],
  ['municipalities', ['old_code', '<svg class="map"']],
  ['parkhaeuser', ['durchfahrtshoehe_m']],
  ['sentieri', ['difficolta', '<svg class="map"']],
  ['wells', ['GW201', '<svg class="map"']],
])('shows the files of %s as tables and on maps', async (name, texts) => {
  const id = name === 'wells' ? 'groundwater-levels' : name
  const page = await shown(`en/datasets/${id}`)
  const addresses = [...page.matchAll(/href="([^"]+\/preview)"/g)].map(([, path = '']) => path)
  let previews = ''
  for (const address of addresses) previews += await shown(address)
  for (const text of ['<table', ...texts]) expect(previews).toContain(text)
})

it('describes its datasets in four languages', async () => {
  const { result } = (await get('api/hub/search/search?filters=dataset&limit=100')) as {
    result: { results: { description: Record<string, string> }[] }
  }
  const languages = new Set(result.results.flatMap(({ description }) => Object.keys(description)))
  expect([...languages].sort()).toEqual(['de', 'en', 'fr', 'it'])
})

it('keeps its own settings beside those of the environment', async () => {
  expect(await shown('en/')).toContain('Own name')
  const [, preview = ''] =
    /href="([^"]+\/preview)"/.exec(await shown('en/datasets/bathing-water')) ?? []
  expect(await shown(preview)).toContain('<table')
})

// `accessibility.many.test.ts` follows twenty times as many links, in every language.
crawl(() => new URL(demo.home).origin, {
  addresses: 80,
  languages: 'one language after the other',
})

it('removes its data when it ends', async () => {
  expect(await demo.end()).toBe(0)
  expect(readdirSync(temporary).filter((name) => name.startsWith('cartulary-demo'))).toEqual([])
}, 30_000)

type Scored = {
  readonly result: { readonly results: { readonly info: { readonly score: number } }[] }
}
type Pointed = {
  readonly result: {
    readonly results: {
      readonly info: { readonly score: number }
      readonly points: Readonly<Record<string, { readonly points: number }>>
    }[]
  }
}
type Measured = {
  readonly result: {
    readonly results: {
      readonly links?: { readonly url: string; readonly statusCode: number | null }[]
    }[][]
  }
}

async function datasetIds(): Promise<readonly string[]> {
  const { result } = (await get('api/hub/search/search?filters=dataset&limit=100')) as {
    result: { results: { id: string }[] }
  }
  return result.results.map(({ id }) => id)
}

/** How many rows each example of the page of SPARQL has, as the page says. */
async function rowsOfExamples(home: string) {
  // On a busy machine the first query is answered with 503 while the public copy is built.
  const text = async (path: string) => {
    let page = ''
    await eventually(async () => {
      const answer = await fetch(new URL(path, home), { headers: { Accept: 'text/html' } })
      page = await answer.text()
      return answer.status !== 503
    })
    return page
  }
  const examples = /<ul class="examples.*?<\/ul>/s.exec(await text('en/sparql'))?.[0] ?? ''
  const links = [...examples.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path)
  const found: { readonly path: string; readonly rows: number }[] = []
  // One at a time: the service answers few queries at once.
  for (const path of links) {
    const [, heading = ''] = /<h2 id="res">([^<]+)/.exec(await text(path)) ?? []
    found.push({ path, rows: heading === 'One row' ? 1 : Number(/^\d+/.exec(heading)?.[0] ?? 0) })
  }
  return found
}
