/** Suggestions while somebody types, the pages that the portal comes with, and what a key for one catalogue sees. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

beforeAll(async () => {
  directory = await temporaryDirectory()
  const own = join(directory, 'own')
  await mkdir(join(own, 'pages'), { recursive: true })
  await writeFile(join(own, 'pages', 'about.md'), '---\ntitle: Who we are\n---\nThe city.\n')
  platform = await gateway(directory, {
    PLATFORM_PORTAL_CONFIG: JSON.stringify({ directory: own }),
  })
  const put = async (path: string, body: string) => {
    const answer = await fetch(`${client(platform).repo}${path}`, {
      method: 'PUT',
      headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' },
      body: `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .\n${body}`,
    })
    expect(answer.status).toBeLessThan(300)
  }
  await put('/catalogues/city', '<https://c.example/> a dcat:Catalog ; dct:title "City"@en .')
  for (const [id, title] of [
    ['levels', 'Water levels & <b>gauges</b>'],
    ['parks', 'Parks'],
  ])
    await put(
      `/catalogues/city/datasets/origin?originalId=${id}`,
      `<https://c.example/${id}> a dcat:Dataset ; dct:title ${JSON.stringify(title)}@en ;
       dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> ;
       dct:publisher [ a foaf:Organization ; foaf:name "Waterworks of the city" ] .`,
    )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const suggest = async (q: string): Promise<object> =>
  (await (await fetch(`${platform.url}/en/suggest?q=${encodeURIComponent(q)}`)).json()) as object

it('suggestions are titles, themes and publishers with a word that begins like what was typed', async () => {
  expect(await suggest('wat')).toEqual({
    titles: [{ label: 'Water levels & <b>gauges</b>', path: '/en/datasets/levels' }],
    themes: [],
    publishers: [{ label: 'Waterworks of the city', path: expect.stringMatching(/\?publisher=/) }],
  })
  expect(await suggest('envi')).toMatchObject({
    themes: [{ label: 'Environment', path: '/en/datasets?categories=ENVI' }],
  })
})

it.each(['', 'w', '  ', '"', '(((', 'NOT', '*'.repeat(500), '\u0000', '💧'])(
  'nothing that somebody types breaks them: %j',
  async (q) => {
    expect(Object.keys(await suggest(q))).toEqual(['titles', 'themes', 'publishers'])
  },
)

it('the portal comes with a page about itself and one about accessibility, which the operator replaces by name', async () => {
  const page = async (path: string) =>
    (await fetch(platform.url + path, { headers: { Accept: 'text/html' } })).text()
  expect(await page('/de/pages/accessibility')).toContain('Erklärung zur Barrierefreiheit')
  expect(await page('/de/pages/about')).toContain('Who we are')
  expect(await page('/en/')).toContain('/en/pages/accessibility')
})
