/** Activity: one row for each answered write of the services, one for each run, and none for reads. */

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { signedIn } from '../portal/signed-in.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({ everything: ['*'], rivers: ['publisher:rivers'] }),
  })
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

function rows() {
  const file = new DatabaseSync(join(directory, 'activity.sqlite'), { readOnly: true })
  try {
    return file.prepare('SELECT * FROM activity ORDER BY serial').all()
  } finally {
    file.close()
  }
}

it('has who, as what, by what, and where; refused writes and reads leave nothing', async () => {
  const api = client({ url: platform.url, key: 'everything' })
  await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
  await api.putDataset('rivers', 'x', `${prefixes}<> a dcat:Dataset ; dct:title "secret-title" .`)
  const headers = { 'X-API-Key': 'rivers' }
  const refused = await fetch(`${api.repo}/catalogues/rivers`, { method: 'DELETE', headers })
  expect(refused.status).toBe(403)
  await fetch(`${api.repo}/tombstones`, { headers: { 'X-API-Key': 'everything' } })
  await fetch(`${api.repo}/accounts`, {
    method: 'POST',
    headers: { 'X-API-Key': 'everything', 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'program', name: 'gis', permissions: ['rivers'] }),
  })
  expect(rows()).toMatchObject([
    {
      role: 'administrator',
      via: 'api',
      service: 'repository',
      action: 'putCataloguesByCatalogueId',
      path: '/api/hub/repo/catalogues/rivers',
      catalogue: 'rivers',
      status: '201',
    },
    { path: '/api/hub/repo/catalogues/rivers/datasets/origin', catalogue: 'rivers' },
    { path: '/api/hub/repo/accounts', catalogue: '' },
  ])
  const text = JSON.stringify(rows())
  for (const absent of ['secret-title', '127.0.0.1', 'everything', 'ctl_'])
    expect(text).not.toContain(absent)
})

it('has one row for each of 200 actions by API, pages and bulk writes, and none for what was refused', async () => {
  const api = client({ url: platform.url, key: 'everything' })
  const desk = await signedIn(platform, 'rivers')
  const before = rows().length
  const expected: string[] = []
  const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
  const send = async (method: string, path: string, body?: string, type = 'text/turtle') => {
    const headers = { 'X-API-Key': 'everything', 'Content-Type': type, Accept: 'application/json' }
    const answer = await fetch(api.repo + path, { method, headers, ...(body && { body }) })
    if (answer.status < 400) expected.push(`api ${new URL(api.repo + path).pathname}`)
    return answer
  }
  for (let n = 0; n < 25; n += 1) {
    const origin = `/catalogues/rivers/datasets/origin?originalId=a${n}`
    const bulk = `GRAPH <https://a.example/${n}> { <https://a.example/${n}> a <http://www.w3.org/ns/dcat#Dataset> ;
      <http://purl.org/dc/terms/identifier> "b${n}" ; <http://purl.org/dc/terms/title> "Bulk ${n}" . }`
    await send('PUT', origin, dataset(`A ${n}`))
    await send('PUT', origin, dataset(`A ${n}`))
    await send('PUT', origin, 'no RDF')
    await send('PUT', '/catalogues/rivers/datasets/bulk', bulk, 'application/trig')
    const made = await send('POST', '/drafts/datasets?catalogue=rivers', dataset(`Draft ${n}`))
    const { id } = (await made.json()) as { id: string }
    await send('POST', `/drafts/datasets/${id}/submit`, '{}', 'application/json')
    await send('POST', `/drafts/datasets/${id}/submit`, '{}', 'application/json')
    await send('DELETE', `/datasets/a${n}`)
    const begun = await desk.post('/en/desk/new', { title: `Page ${n}`, catalogue: 'rivers' })
    if (begun.status === 303) expected.push('portal /api/hub/repo/drafts/datasets')
  }
  expect(expected.length).toBeGreaterThanOrEqual(150)
  const added = rows().slice(before)
  expect(added.map(({ via, path }) => `${String(via)} ${String(path)}`)).toEqual(expected)
})
