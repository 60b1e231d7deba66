/** A platform whose IRIs have other segments than the usual ones, and whose records may hold less. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const base = 'http://localhost:8080/'
const segments = {
  dataset: 'dataset/',
  catalogue: 'catalogue/',
  record: 'record/of/',
  distribution: 'dist/',
  metrics: 'quality/',
}

let directory: string
let platform: Gateway
let created: Response
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_IRI_SEGMENTS: JSON.stringify(segments),
    PLATFORM_LIMITS: '{"blankNodes":2}',
  })
  const { put, putDataset } = client(platform)
  await put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "Cat"@en .`)
  created = await putDataset('c', 'levels', dataset)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Levels"@en ; dcat:contactPoint [ foaf:name "Desk" ] ;
  dcat:distribution <urn:d> . <urn:d> a dcat:Distribution ; dct:title "File"@en .`

it('gives them to everything that it names, and writes the same again as unchanged', async () => {
  expect([created.status, created.headers.get('Location')]).toEqual([201, `${base}dataset/levels`])
  const { repo, putDataset, query } = client(platform)
  const text = await (await fetch(`${repo}/datasets/levels.nt`)).text()
  expect(text).toContain(`<${base}dataset/levels>`)
  expect(text).toContain(`<${base}record/of/levels>`)
  expect(text).toMatch(new RegExp(`<${base}dist/[0-9a-f-]{36}>`))
  const graphs = await query('SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }')
  const found = await graphs.text()
  for (const iri of ['dataset/levels', 'catalogue/c']) expect(found).toContain(`"${base}${iri}"`)
  for (const usual of ['set/data/', 'id/catalogue/', 'set/record/', 'set/distribution/'])
    expect(text + found).not.toContain(usual)
  expect((await putDataset('c', 'levels', dataset)).status).toBe(304)
})

it('leads from them to the descriptions, and finds the records', async () => {
  const { search, json } = client(platform)
  const leads = async (path: string) => {
    const answer = await fetch(`${platform.url}/${path}`, { redirect: 'manual' })
    return [answer.status, answer.headers.get('Location')]
  }
  expect(await leads('dataset/levels.ttl')).toEqual([303, '/api/hub/repo/datasets/levels.ttl'])
  expect(await leads('catalogue/c.ttl')).toEqual([303, '/api/hub/repo/catalogues/c.ttl'])
  expect(await leads('record/of/levels')).toEqual([303, '/api/hub/repo/datasets/levels/record'])
  expect((await leads('set/data/levels'))[0]).toBe(404)
  const { result } = await json<{ result: { resource: string; catalog?: { id: string } } }>(
    `${search}/datasets/levels`,
  )
  expect(result).toMatchObject({ resource: `${base}dataset/levels`, catalog: { id: 'c' } })
})

it('refuses what is over a limit of one record', async () => {
  const body = dataset.replace('[ foaf:name "Desk" ]', '[], [], []')
  const answer = await client(platform).putDataset('c', 'other', body)
  expect(await answer.json()).toMatchObject({
    status: 422,
    detail: '3 blank nodes, at most 2 are allowed (limit "blankNodes" of PLATFORM_LIMITS)',
  })
})
