/** `npm run demo`: what it prints, and what is there to look at. */

import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { startDemo } from './demo-process.ts'

it('shows pages, concepts with their uses, measured datasets, a value that was left out and a removal that waits, and leaves nothing behind', async () => {
  const temporary = await temporaryDirectory()
  const { home, key, end } = await startDemo(temporary)
  const get = async (path: string) =>
    (await fetch(new URL(path, home), { headers: { 'X-API-Key': key } })).json()

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

  const shown = async (path: string) =>
    (await fetch(new URL(path, home), { headers: { Accept: 'text/html' } })).text()
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

  expect(await end()).toBe(0)
  expect(readdirSync(temporary).filter((name) => name.startsWith('cartulary-demo'))).toEqual([])
  await remove(temporary)
}, 90_000)

/** How many rows each example of the page of SPARQL has, as the page says. */
async function rowsOfExamples(home: string) {
  const text = async (path: string) =>
    (await fetch(new URL(path, home), { headers: { Accept: 'text/html' } })).text()
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
