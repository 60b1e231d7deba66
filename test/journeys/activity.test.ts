/** Activity: one row for each answered write of the services, one for each run, and none for reads. */

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
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
